"""The episode's host, which a page's script can write anywhere, is told by a name that stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from chromium_stub import StubSession, act, in_page, show, texts
from egress_site import TableServer
from imported_split import write_split

from riskchain_gym.envs.backends.base import RawPage
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.sites.replay.importer import Options, import_site

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><meta charset=utf-8><title>-</title>
<h1 id=said></h1><p id=name></p><a id=away>-</a>
<form id=form action=/done><input id=field><select id=pick><option></option><option id=choice></option></select>
<button>go</button></form><img id=image src=/none width=9 height=9>
<script>
  const {host, href} = location;
  document.title = `${host} title`;
  said.textContent = `host ${host} HOST ${host.toUpperCase()}`;
  document.getElementById('name').textContent = `href ${href} name ${host.split('.')[0]}`;
  away.href = '//' + host + '/x?at=' + host;
  away.textContent = 'x'.repeat(220) + host;
  field.placeholder = field.title = host;
  field.value = host;
  choice.textContent = host;
  image.alt = host;
  away.id = 'to ' + host;
  history.replaceState(null, '', '/here?at=' + host);
</script>"""
TABLE = {
    "/": (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE),
    "/x": (200, {"Content-Type": "text/html; charset=utf-8"}, "<p>x</p>"),
}


class AnyQuery(TableServer):
    """Answers a path whatever its query is."""

    def _handler(self) -> type[Any]:
        base: Any = super()._handler()

        class Handler(base):  # type: ignore[misc]
            def do_GET(self) -> None:  # noqa: N802
                self.path = self.path.partition("?")[0]
                super().do_GET()

        return Handler


class Session(StubSession):
    """Keeps the pages on which fields were filled."""

    def fixture(self, path: str, key: str) -> str:
        return f"{path} {key}"


@pytest.fixture(scope="module")
def backend() -> Iterator[ChromiumBackend]:
    made: dict[str, Any] = {"session": lambda site: Session(site, has_scripts=True), "server": lambda: AnyQuery(TABLE)}
    backend = ChromiumBackend(**made)
    yield backend
    backend.close()


def seen(backend: ChromiumBackend) -> tuple[RawPage, dict[str, Any]]:
    """Open the page and return everything that is told of it, but its picture."""
    page = show(backend)
    inventory = Inventory()
    told = inventory.observe(page)
    ids = inventory.ids_by_key()
    marks = backend.browsergym()
    return page, {
        "elements": told.model_dump(mode="json"),
        "text": told.shown_text,
        "hash": told.state_hash(),
        "ids": ids,
        "dom": backend.dom(ids),
        "axtree": backend.axtree(ids),
        "marks": [marks.dom, marks.axtree, marks.properties, marks.bids, marks.targets, marks.forms],
    }


def test_no_observation_holds_the_host(backend: ChromiumBackend) -> None:
    page, told = seen(backend)
    label = in_page(backend, "location.hostname").partition(".")[0]
    assert label.lower() not in json.dumps(told).lower()
    assert texts(page)[:2] == ["host site.test HOST site.TEST", "href http://site.test/ name site"]
    assert (page.title, page.path) == ("site.test title", "/here?at=site.test")
    link, _, field, pick, *_ = page.elements
    assert (link.key, link.name) == ("to site.test", "x" * 220 + "site.test")
    assert (field.placeholder, pick.options, page.pictures[0].alt) == ("site.test", ("", "site.test"), "site.test")
    assert 'href="//site.test/x?at=site.test"' in told["dom"]
    assert 'value="site.test"' in told["dom"]
    assert "'site.test'" in told["axtree"]
    assert f"[{told['ids'][link.key]}] link" in told["axtree"]
    assert set(json.loads(json.dumps(told["marks"][3]))) == {element.key for element in page.elements}


def test_two_episodes_are_told_alike(backend: ChromiumBackend) -> None:
    _, first = seen(backend)
    first_host = in_page(backend, "location.hostname")
    _, second = seen(backend)
    assert in_page(backend, "location.hostname") != first_host
    assert first == second


def test_what_is_told_can_be_acted_on(backend: ChromiumBackend) -> None:
    show(backend)
    assert act(backend, "select", "pick", "site.test").error is None
    assert in_page(backend, "pick.selectedIndex") == 1
    assert act(backend, "fill", "field").error is None
    assert in_page(backend, "field.value") == "/here?at=site.test field"
    assert texts(act(backend, "click", "to site.test").page) == ["x"]


LABELS = {"decision": "NON_VIOLATION", "annotator": "a1", "environment_status": "COMPLETE", "depth": "D1"}


@pytest.fixture
def imported(tmp_path: Path) -> str:
    """A split of a site that was imported with its scripts."""
    source = tmp_path / "mirror"
    source.mkdir()
    (source / "index.html").write_text(PAGE, encoding="utf-8")
    return write_split(import_site(source, Options(scripts=True)), source, LABELS, tmp_path)


def test_episodes_on_an_imported_site_repeat(imported: str) -> None:
    made: dict[str, Any] = {"split": imported, "actions": "browsergym", "observe": ["browsergym", "axtree", "dom"]}
    env: Any = gym.make("riskchain_gym:RiskChainBrowse-v0", **made)
    hosts, told, trajectories = [], [], []
    try:
        for _ in range(2):
            obs, _ = env.reset(seed=1)
            seen = [obs]
            hosts.append(in_page(env.unwrapped.backend.inner, "location.hostname"))
            for call in ("fill('e3', 'x')", "select_option('e4', 'site.test')", "hover('e1')", "click('e1')"):
                obs, *_, info = env.step(call)
                assert info["action_result"] != "invalid", obs["feedback"]
                seen.append(obs)
            told.append(repr([{**each, "browsergym": {**each["browsergym"], "screenshot": 0}} for each in seen]))
            trajectories.append(env.unwrapped.trajectory.model_dump_json())
    finally:
        env.close()
    assert hosts[0] != hosts[1]
    assert "site.test title" in told[0]
    assert hosts[0].partition(".")[0] not in told[0].lower() + trajectories[0].lower()
    assert told[0] == told[1]
    assert trajectories[0] == trajectories[1]
