"""Several environments of one process in one browser."""

from __future__ import annotations

import gc
import threading
from typing import Any

import psutil
import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError

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
