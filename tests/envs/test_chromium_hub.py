"""Several environments of one process in one browser."""

from __future__ import annotations

import gc
import threading
from typing import Any

import psutil
import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.backends.browser_hub import enter_hub
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.sites.server import SandboxServer

pytestmark = pytest.mark.browser

RELOAD = BrowserAction(action=ActionKind.RELOAD)


@pytest.fixture
def sites() -> list[Any]:
    return [chain.site for chain in load_public("mini")[:2]]


@pytest.fixture
def pair():
    made = (ChromiumBackend(modalities=frozenset()), ChromiumBackend(modalities=frozenset()))
    yield made
    for backend in made:
        backend.close()


def test_backends_share_a_browser_and_each_keeps_its_own_page(pair, sites) -> None:
    first, second = pair
    landing, other = first.open(sites[0]), second.open(sites[1])
    assert first.pids == second.pids
    assert landing.title != other.title
    assert first.act(RELOAD, None).page == landing
    assert second.act(RELOAD, None).page == other


def test_other_settings_get_another_browser(pair, sites) -> None:
    pair[0].open(sites[0])
    wide = ChromiumBackend(BrowserSettings(lang="en-US"), modalities=frozenset())
    try:
        wide.open(sites[0])
        assert wide.pids != pair[0].pids
    finally:
        wide.close()


def test_the_browser_ends_with_its_last_backend(pair, sites) -> None:
    first, second = pair
    first.open(sites[0])
    landing = second.open(sites[1])
    processes = [psutil.Process(pid) for pid in first.pids]
    first.close()
    assert second.act(RELOAD, None).page == landing
    second.close()
    assert psutil.wait_procs(processes, timeout=10)[1] == []


def test_a_backend_that_comes_back_joins_the_browser_there_is(pair, sites) -> None:
    first, second = pair
    first.open(sites[0])
    second.open(sites[1])
    first.close()
    first.open(sites[0])
    assert first.pids == second.pids


def test_a_browser_killed_under_one_is_replaced_for_all(sites) -> None:
    backends = [RecoveringBackend(ChromiumBackend(modalities=frozenset())) for _ in range(2)]
    try:
        landings = [backend.open(site) for backend, site in zip(backends, sites, strict=True)]
        psutil.Process(backends[0].inner.pids[1]).kill()
        for backend, landing in zip(backends, landings, strict=True):
            assert backend.act(RELOAD, None).page == landing
            assert sum(backend.relaunches.values()) == 1
        assert backends[0].inner.pids == backends[1].inner.pids
    finally:
        for backend in backends:
            backend.close()


def test_a_page_that_crashes_costs_the_others_nothing(pair, sites) -> None:
    first, second = pair
    landing = first.open(sites[0])
    second.open(sites[1])
    pids = first.pids
    assert second._host is not None
    with pytest.raises(InfrastructureError) as caught:
        second._host.use(lambda episode: episode.page.goto("chrome://crash"), 30, "testing")
    assert caught.value.cause in ("browser_lost", "deadline")
    second.close()
    assert first.act(RELOAD, None).page == landing
    assert first.pids == pids


def test_threads_take_turns(pair, sites) -> None:
    landings = [backend.open(site) for backend, site in zip(pair, sites, strict=True)]
    wrong: list[Any] = []

    def reload(number: int) -> None:
        for _ in range(5):
            page = pair[number].act(RELOAD, None).page
            if page != landings[number]:
                wrong.append(page)

    threads = [threading.Thread(target=reload, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []


def test_a_backend_collected_on_the_owner_thread_does_not_wait_for_itself(pair, sites) -> None:
    first, _ = pair
    landing = first.open(sites[0])
    forgotten = [ChromiumBackend(modalities=frozenset())]
    forgotten[0].open(sites[1])

    def forget(episode: Any) -> None:
        forgotten.clear()
        gc.collect()

    assert first._host is not None
    first._host.use(forget, 30, "testing")
    assert first.act(RELOAD, None).page == landing


def busy(backend: ChromiumBackend, release: threading.Event) -> threading.Thread:
    """Begin a job of one backend that keeps the browser from all others until the event is set."""
    running = threading.Event()

    def job(_: Any) -> None:
        running.set()
        release.wait(60)

    thread = threading.Thread(target=lambda: backend._use(job, 3600, "testing"))
    thread.start()
    assert running.wait(60)
    return thread


def test_a_slow_neighbour_costs_the_others_nothing(pair, sites, monkeypatch) -> None:
    slow, other = pair
    slow.open(sites[0])
    landing = other.open(sites[1])
    pids, release, looks = other.pids, threading.Event(), []
    process = other._host._hub.process
    is_running = process.is_running

    def looked_at() -> bool:
        # Whoever waits asks every half a second; at the fourth time it has waited longer than its job may take.
        if threading.current_thread() is threading.main_thread():
            looks.append(1)
            if len(looks) == 4:
                release.set()
        return is_running()

    monkeypatch.setattr(process, "is_running", looked_at)
    thread = busy(slow, release)
    assert other._use(lambda episode: episode.host, 1.0, "testing").endswith(".test")
    thread.join(60)
    assert len(looks) >= 4
    assert other.queued_s() > 1.0
    assert slow.act(RELOAD, None).page is not None
    assert other.act(RELOAD, None).page == landing
    assert (slow.pids, slow.restarts, other.restarts) == (pids, {}, {})


def test_a_turn_that_does_not_come_leaves_the_browser_to_who_uses_it(pair, sites, monkeypatch) -> None:
    slow, other = pair
    landing = slow.open(sites[0])
    other.open(sites[1])
    hub, release = slow._host._hub, threading.Event()
    pids, old = slow.pids, other._host._episode
    impatient = hub.call
    monkeypatch.setattr(hub, "call", lambda job, deadline_s, **_: impatient(job, deadline_s, queue_s=0.1))
    thread = busy(slow, release)
    with pytest.raises(InfrastructureError, match="busy") as caught:
        other.act(RELOAD, None)
    assert caught.value.cause == "deadline"
    release.set()
    thread.join(60)
    monkeypatch.undo()
    assert slow.act(RELOAD, None).page == landing
    assert slow.pids == pids
    while hub.call(hub._prepare, 30):
        pass
    assert old.page.is_closed(), "what it could not close itself is closed when the browser is free"


def test_a_page_that_hangs_in_one_is_recovered_from_in_all(sites) -> None:
    backends = [RecoveringBackend(ChromiumBackend(modalities=frozenset())) for _ in range(2)]
    try:
        landings = [backend.open(site) for backend, site in zip(backends, sites, strict=True)]
        with pytest.raises(InfrastructureError, match="2 s") as caught:
            backends[0].inner._use(lambda episode: episode.page.evaluate("() => { for (;;); }"), 2.0, "testing")
        assert caught.value.cause == "deadline"
        for backend, landing in zip(backends, landings, strict=True):
            assert backend.act(RELOAD, None).page == landing
            assert sum(backend.relaunches.values()) == 1
        assert backends[0].inner.pids == backends[1].inner.pids
        assert sum(sum(backend.inner.restarts.values()) for backend in backends) == 1, "one was started, one joined"
    finally:
        for backend in backends:
            backend.close()


def test_who_enters_while_the_last_one_leaves_gets_a_browser_of_its_own(pair, sites, monkeypatch) -> None:
    first, second = pair
    first.open(sites[0])
    pids, hub, landings = first.pids, first._host._hub, []
    end = hub._end

    def end_late(**how: Any) -> None:
        landings.append(second.open(sites[1]))
        end(**how)

    monkeypatch.setattr(hub, "_end", end_late)
    first.close()
    assert set(second.pids).isdisjoint(pids)
    assert second.act(RELOAD, None).page == landings[0]


def test_who_enters_while_another_ends_its_page_keeps_the_browser_and_nothing_of_that_page(
    pair, sites, monkeypatch
) -> None:
    first, _ = pair
    first.open(sites[0])
    hub, host, entered = first._host._hub, first._host._episode.host, []
    end_page = hub.end_page

    def enter_meanwhile(*page: Any) -> None:
        entered.append(enter_hub(first.settings, SandboxServer))
        end_page(*page)

    monkeypatch.setattr(hub, "end_page", enter_meanwhile)
    first.close()
    try:
        assert entered == [hub]
        assert not hub.is_closed
        assert hub.server.session(host) is None
        while hub.call(hub._prepare, 30):
            pass
        assert hub.call(lambda: hub.process.browser.contexts, 30) == []
    finally:
        hub.leave()
    assert hub.is_closed


def test_messages_wear_a_browser_too_but_never_end_a_site_that_is_open(sites) -> None:
    message = load_public("mini")[0].variants["v000"]
    backend = ChromiumBackend(BrowserSettings(recycle_episodes=2), modalities=frozenset())
    try:
        for restarts in ({}, {}, {"recycled": 1}):
            assert backend.message_image(message, "light").any()
            assert backend.restarts == restarts
        landing = backend.open(sites[0])
        pids = backend.pids
        backend.message_image(message, "light")
        assert backend.act(RELOAD, None).page == landing
        assert backend.pids == pids
    finally:
        backend.close()
