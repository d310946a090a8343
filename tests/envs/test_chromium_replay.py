"""Captures of a site on this machine are imported and played in a real browser: nothing outside is ever asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gymnasium as gym
import pytest
from chain_builder import action_text, report_text, stop_text
from imported_split import write_split
from replay_origin import PNG, Origin

from riskchain_gym.envs.backends.worker import OwnerThread
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.flags import wants_sandbox
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.sites.replay.importer import Imported, Options, import_site
from riskchain_gym.sites.replay.store import write_import

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    made = Origin()
    yield made
    made.close()


def write_har(origin: Origin, path: Path) -> None:
    """Walk the site in a browser that records it."""

    def record() -> None:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=wants_sandbox())
            context = browser.new_context(record_har_path=path, record_har_content="embed")
            context.route(lambda url: urlsplit(url).netloc == origin.away, lambda route: route.abort())
            page = context.new_page()
            page.goto(origin.url)
            page.goto(f"{origin.url}list?page=2")
            page.goto(origin.url)
            page.fill("input", "a@b.test")
            page.click("button")
            page.wait_for_url("**/thanks")
            context.close()
            browser.close()

    thread = OwnerThread("recording")
    thread.call(record, 60)
    thread.stop(10)


WRITERS: dict[str, Callable[[Origin, Path], None]] = {
    "site.har": write_har,
    "site.warc": lambda origin, path: origin.write_warc(path),
    "site.warc.gz": lambda origin, path: origin.write_warc(path),
    "mirror": lambda origin, path: origin.write_folder(path),
}


FILLED_IN = {
    "decision": "VIOLATION",
    "type": "FRAUD_DECEPTIVE_INDUCEMENT",
    "annotator": "a1",
    "environment_status": "COMPLETE",
    "depth": "D1",
}


@dataclass(frozen=True)
class Case:
    imported: Imported
    split: str


@pytest.fixture(scope="module", params=WRITERS)
def case(request: pytest.FixtureRequest, origin: Origin, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("capture")
    source = folder / request.param
    WRITERS[request.param](origin, source)
    made = import_site(source, Options(base=origin.url if source.is_dir() else None))
    return Case(made, write_split(made, source, FILLED_IN, folder))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Every address that the browser asks for in an episode, and whether it is of the episode's own host."""
    found: list[tuple[str, bool]] = []
    show = Episode.show

    def watched(self: Episode, path: str) -> Any:
        self.page.context.on("request", lambda request: found.append((request.url, self.allows(request.url))))
        return show(self, path)

    monkeypatch.setattr(Episode, "show", watched)
    return found


def element(obs: dict[str, Any], role: str, name: str) -> str:
    elements = json.loads(obs["elements"])["elements"]
    return next(e["element_id"] for e in elements if (e["role"], e["name"]) == (role, name))


def test_a_capture_is_played_and_asks_nothing_of_the_world(
    case: Case, origin: Origin, asked: list[tuple[str, bool]]
) -> None:
    origin.heard.clear()
    env = gym.make("riskchain_gym:RiskChainBrowse-v0", split=case.split, observe=["screenshot"])
    try:
        obs, _ = env.reset(seed=1)
        assert obs["text"].split("\n")[0] == "欢迎光临"
        assert "请打开脚本" in obs["text"]
        landing = obs

        def act(action: str, role: str, name: str) -> dict[str, Any]:
            seen, _, _, lost, info = env.step(action_text(action, element(obs, role, name)))
            assert not lost
            assert info["action_result"] == "executed", seen["feedback"]
            return seen

        obs = act("click", "link", "第二页")
        assert obs["text"].startswith("第二页的货品")
        obs = act("click", "link", "首页")
        assert (obs["screenshot"] == landing["screenshot"]).all()
        obs = act("click", "link", "加入")
        assert "该链接指向存档以外的地址" in obs["text"]
        obs = act("click", "link", "返回首页")
        obs = act("fill", "textbox", "邮箱")
        obs = act("click", "button", "下单")
        assert "订单已收到" in obs["text"]
        env.step(stop_text())
        *_, info = env.step(report_text(Decision.VIOLATION, "订单已收到", step=6))
    finally:
        env.close()
    assert origin.heard == []
    assert [url for url, own in asked if not own and not url.startswith("data:")] == []
    assert any(urlsplit(url).path == "/goods.png" for url, _ in asked)
    outcome = info["outcome"]
    assert (outcome["web_correct"], outcome["label.gold_decision"]) == (1, "VIOLATION")
    assert not [name for name in outcome if name.startswith("evidence.")]


def test_what_lies_outside_is_listed(case: Case, origin: Origin) -> None:
    imported = case.imported
    outside = imported.notes.outside
    assert {f"http://{origin.away}/{name}" for name in ("pixel.gif", "h.png", "p.png", "late.css", "frame")} <= set(
        outside
    )
    assert outside[f"http://{origin.away}/join"] == 1
    assert imported.notes.dropped["script"] == 2
    assert PNG in imported.bodies.values()
    everything = b"".join(imported.bodies.values()) + imported.site.model_dump_json().encode()
    assert origin.away.encode() not in everything


def test_the_same_capture_gives_the_same_site(origin: Origin, tmp_path: Path) -> None:
    origin.write_warc(tmp_path / "a.warc")
    sites = [import_site(tmp_path / "a.warc").site for _ in range(2)]
    assert sites[0] == sites[1]
    assert import_site(tmp_path / "a.warc", Options(scripts=True)).site.site_id != sites[0].site_id


def test_kept_scripts_run_and_reach_nothing(origin: Origin, asked: list[tuple[str, bool]], tmp_path: Path) -> None:
    from riskchain_gym.envs.backends.chromium import ChromiumBackend
    from riskchain_gym.sites.replay.store import load_import

    origin.write_warc(tmp_path / "a.warc")
    made = import_site(tmp_path / "a.warc", Options(scripts=True))
    write_import(tmp_path / "site", made, tmp_path / "a.warc")
    origin.heard.clear()
    backend = ChromiumBackend()
    try:
        page = backend.open(load_import(tmp_path / "site"))
    finally:
        backend.close()
    assert page.title == "脚本"
    assert "请打开脚本" not in [line.text for line in page.lines]
    assert origin.heard == []
