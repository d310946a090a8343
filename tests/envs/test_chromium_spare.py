"""The page of the next site, made while nothing else is to do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psutil
import pytest
from playwright.sync_api import Error

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.backends.browser_hub import BrowserHub
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError

pytestmark = pytest.mark.browser

RELOAD = BrowserAction(action=ActionKind.RELOAD)
LIMIT_S = 30.0

Make = Callable[..., ChromiumBackend]


@pytest.fixture(scope="module")
def sites() -> list[Any]:
    return [chain.site for chain in load_public("mini")[:2]]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[ChromiumBackend] = []

    def backend(*modalities: Any, **settings: Any) -> ChromiumBackend:
        made.append(ChromiumBackend(BrowserSettings(**settings), modalities=frozenset(modalities)))
        return made[-1]

    yield backend
    for one in made:
        one.close()


def hub_of(backend: ChromiumBackend) -> BrowserHub:
    assert backend._host is not None
    return backend._host._hub


def rest(backend: ChromiumBackend) -> dict[Any, Episode]:
    """Have the owner thread do all that it does in idle times, and return the pages that it has made ahead."""
    hub = hub_of(backend)
    while hub.call(hub._prepare, LIMIT_S):
        pass
    return dict(hub._spares)


def page_of(backend: ChromiumBackend) -> Episode:
    assert backend._host is not None
    assert backend._host._episode is not None
    return backend._host._episode


def test_the_next_site_is_shown_on_the_page_made_ahead(make: Make, sites: list[Any]) -> None:
    backend = make()
    other = backend.open(sites[1])
    first = backend.open(sites[0])
    (spare,) = rest(backend).values()
    assert backend.open(sites[1]) == other
    assert page_of(backend) is spare
    (another,) = rest(backend).values()
    assert another is not spare
    assert backend.open(sites[0]) == first


def test_nothing_leads_from_one_site_to_the_page_made_ahead(make: Make, sites: list[Any]) -> None:
    backend = make()
    backend.open(sites[0])
    rest(backend)
    old = page_of(backend)
    cookie: Any = {"name": "seen", "value": "1", "domain": ".test", "path": "/"}
    hub = hub_of(backend)
    hub.call(lambda: old.page.context.add_cookies([cookie]), LIMIT_S)
    backend.open(sites[1])
    new = page_of(backend)
    assert hub.call(new.page.context.cookies, LIMIT_S) == []
    assert new.host != old.host
    assert hub.server.session(old.host) is None
    rest(backend)
    assert hub.call(lambda: len(hub.process.browser.contexts), LIMIT_S) == 2
    assert old.page.is_closed()


def test_each_kind_of_page_in_use_has_one_made_ahead(make: Make, sites: list[Any]) -> None:
    plain, marked = make(), make("axtree")
    plain.open(sites[0])
    marked.open(sites[1])
    for _ in range(2):
        spares = rest(plain)
        assert len(spares) == 2
        plain.open(sites[0])
        assert hub_of(plain)._spares.keys() < spares.keys(), "the neighbour's is left alone"
        marked.open(sites[1])
        assert {page_of(plain), page_of(marked)} == set(spares.values())
        assert page_of(marked)._with_marks
        assert not page_of(plain)._with_marks


def test_a_page_of_another_kind_is_not_used(make: Make, sites: list[Any]) -> None:
    plain, marked = make(), make("axtree")
    plain.open(sites[0])
    (spare,) = rest(plain).values()
    marked.open(sites[0])
    assert page_of(marked) is not spare
    assert spare in rest(plain).values()
    assert marked.axtree({})


def test_the_page_of_a_kind_that_nobody_uses_any_more_is_closed(make: Make, sites: list[Any]) -> None:
    plain, marked = make(), make("axtree")
    plain.open(sites[0])
    (own,) = rest(plain).values()
    marked.open(sites[1])
    assert len(rest(plain)) == 2
    marked.close()
    assert list(rest(plain).values()) == [own]
    hub = hub_of(plain)
    assert hub.call(lambda: len(hub.process.browser.contexts), LIMIT_S) == 2


@pytest.mark.parametrize("way", ["closed", "crashed"])
def test_a_dead_page_is_replaced_in_the_same_browser(make: Make, sites: list[Any], way: str) -> None:
    backend = make()
    landing = backend.open(sites[0])
    (spare,) = rest(backend).values()

    def end() -> None:
        with suppress(Error):
            spare.page.close() if way == "closed" else spare.page.goto("chrome://crash")

    hub_of(backend).call(end, LIMIT_S)
    pids = backend.pids
    assert backend.open(sites[0]) == landing
    assert page_of(backend) is not spare
    assert (backend.pids, backend.restarts) == (pids, {})
    (another,) = rest(backend).values()
    assert another not in (spare, page_of(backend))


@pytest.mark.parametrize("hangs", [False, True])
def test_a_backend_closed_while_a_page_is_made_ahead_ends(
    make: Make, sites: list[Any], monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    backend = make(close_deadline_s=1.0 if hangs else 30.0)
    backend.open(sites[0])
    rest(backend)
    hub = hub_of(backend)
    begun, release = threading.Event(), threading.Event()
    make_page = hub._make

    def slowly(kind: Any) -> Episode:
        begun.set()
        release.wait(60)
        return make_page(kind)

    monkeypatch.setattr(hub, "_make", slowly)
    backend.open(sites[1])
    processes = [psutil.Process(pid) for pid in backend.pids]
    assert begun.wait(30), "a new page is begun when nothing else is to do"
    closing = threading.Thread(target=backend.close)
    closing.start()
    if not hangs:
        release.set()
    closing.join(30)
    assert not closing.is_alive()
    assert psutil.wait_procs(processes, timeout=20)[1] == []
    release.set()


def test_a_browser_that_hangs_in_an_idle_time_is_ended_by_who_waits_for_it(
    make: Make, sites: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskchain_gym.envs.backends.worker.IDLE_DEADLINE_S", 0.5)
    backend = make(close_deadline_s=1.0)
    landing = backend.open(sites[0])
    rest(backend)
    hub = hub_of(backend)
    begun, release = threading.Event(), threading.Event()

    def hang(_: Any) -> None:
        begun.set()
        release.wait(60)

    monkeypatch.setattr(hub, "_make", hang)
    backend.open(sites[0])
    processes = [psutil.Process(pid) for pid in backend.pids]
    assert begun.wait(30)
    with pytest.raises(InfrastructureError, match="carrying out 'reload'") as caught:
        backend.act(RELOAD, None)
    release.set()
    assert caught.value.cause == "deadline"
    assert psutil.wait_procs(processes, timeout=20)[1] == []
    assert backend.open(sites[0]) == landing
    assert backend.restarts == {"deadline": 1}


def test_a_page_that_cannot_be_made_leaves_no_context(
    make: Make, sites: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = make(spare_page=False)
    landing = backend.open(sites[0])
    assert rest(backend) == {}
    hub = hub_of(backend)

    def refuse(*_: Any) -> None:
        raise Error("no border")

    with monkeypatch.context() as patch:
        patch.setattr("riskchain_gym.envs.browser.episode.Border", refuse)
        with pytest.raises(Error, match="no border"):
            hub.call(lambda: hub._make(backend._host._kind), LIMIT_S)  # type: ignore[union-attr]
    assert hub.call(lambda: len(hub.process.browser.contexts), LIMIT_S) == 1
    assert backend.act(RELOAD, None).page == landing
