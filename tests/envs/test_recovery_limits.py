"""What a replay may not gloss over: another page, a cause it cannot mend, an interrupt, and time without end."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from chain_builder import make_site
from lossy_backend import LossyBackend

from riskchain_gym.envs.backends.base import ActResult, RawPage
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import NOT_RECOVERED, RECOVERIES, REPLAY_LIMIT_S, RecoveringBackend
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.protocol.action import SCROLL_PIXELS, ActionErrorKind, ActionKind, BrowserAction
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError

SITE = make_site(0, "充值返利")
Change = Callable[[ActResult], ActResult]


def act(backend: Any, kind: str = "reload", key: str | None = None) -> ActResult:
    return backend.act(BrowserAction(action=ActionKind(kind), element_id="e1" if key else None), key)


WAYS = [("click", "notice"), ("click", "to-offer"), ("fill", "name"), ("back", None), ("scroll_down", None)]


def walk(backend: Any) -> list[ActResult]:
    """Open the site and do a few things that lead to different pages."""
    return [ActResult(backend.open(SITE)), *(act(backend, kind, key) for kind, key in WAYS)]


class Drifting(LossyBackend):
    """Answers otherwise from the second opening on."""

    change: Change

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        result = super().act(action, key)
        return self.change(result) if self.opens > 1 else result


def with_elements(**changes: Any) -> Change:
    return lambda result: replace(
        result, page=replace(result.page, elements=tuple(replace(e, **changes) for e in result.page.elements[:1]))
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda result: replace(result, page=replace(result.page, title="别的")),
        lambda result: replace(result, page=replace(result.page, path="/elsewhere")),
        lambda result: replace(result, page=replace(result.page, lines=result.page.lines[:-1])),
        lambda result: replace(result, error=ActionErrorKind.EXECUTION_ERROR),
        with_elements(key="other"),
        with_elements(name="别的"),
    ],
    ids=["title", "path", "lines", "error", "key", "name"],
)
def test_a_replay_that_shows_another_page_is_named_and_final(change: Change) -> None:
    inner = Drifting(FakeBackend(), {4})
    inner.change = change
    backend = RecoveringBackend(inner)
    with pytest.raises(InfrastructureError, match="Step 1 ") as caught:
        walk(backend)
    assert caught.value.cause == "replay_diverged"
    assert inner.opens == 2
    assert backend.relaunches == {"browser_lost": 1}
    with pytest.raises(InfrastructureError, match=r"lost \(replay_diverged\): call open"):
        act(backend)


def test_geometry_may_differ_as_in_trajectory_hashes() -> None:
    inner = Drifting(FakeBackend(), {4})
    inner.change = lambda result: replace(result, page=replace(result.page, scroll_y=7, height=9))
    assert [r.page.path for r in walk(RecoveringBackend(inner))] == ["/", "/", "/offer", "/offer", "/", "/"]


@pytest.mark.parametrize("cause", sorted(NOT_RECOVERED))
@pytest.mark.parametrize("fail_at", [1, 3])
def test_some_causes_are_raised_at_once(cause: str, fail_at: int) -> None:
    inner = LossyBackend(FakeBackend(), {fail_at}, cause)
    backend = RecoveringBackend(inner)
    with pytest.raises(InfrastructureError) as caught:
        walk(backend)
    assert caught.value.cause == cause
    assert (inner.calls, backend.relaunches) == (fail_at, {})


def test_the_last_failure_is_raised_as_it_came() -> None:
    backend = RecoveringBackend(inner := LossyBackend(FakeBackend(), range(2, 99), "deadline"))
    backend.open(SITE)
    with pytest.raises(InfrastructureError, match=f"Call {2 + RECOVERIES} failed") as caught:
        act(backend)
    assert caught.value.cause == "deadline"
    assert inner.opens == 1 + RECOVERIES
    with pytest.raises(InfrastructureError, match="call open"):
        backend.screenshot()


@pytest.mark.parametrize("fail_at", [1, 3])
def test_a_missed_deadline_is_raised_at_once_where_nobody_should_wait_again(fail_at: int) -> None:
    backend = RecoveringBackend(inner := LossyBackend(FakeBackend(), {fail_at}, "deadline"), retry_deadlines=False)
    with pytest.raises(InfrastructureError) as caught:
        walk(backend)
    assert (caught.value.cause, inner.calls, backend.relaunches) == ("deadline", fail_at, {})
    assert backend.open(SITE).path == "/", "the site can be opened again"
    backend = RecoveringBackend(LossyBackend(FakeBackend(), {2}), retry_deadlines=False)
    walk(backend)
    assert backend.relaunches == {"browser_lost": 1}, "other failures are recovered from"


class Afresh(FakeBackend):
    """Makes every page anew, as a browser does."""

    def _page(self) -> RawPage:
        return copy.deepcopy(super()._page())


def test_what_is_shown_again_is_held_once() -> None:
    backend, inventory = RecoveringBackend(Afresh()), Inventory()
    first = backend.open(SITE)
    again = act(backend).page
    scrolled = act(backend, "scroll_down").page
    noticed = act(backend, "click", "notice").page
    assert again is first
    assert (scrolled.scroll_y, noticed.lines[:2]) == (SCROLL_PIXELS, first.lines[:2])
    assert noticed.lines != first.lines
    shown = [inventory.observe(page) for page in (first, again, scrolled, noticed)]
    for other in (again, scrolled, noticed):
        assert all(one is two for one, two in zip(first.elements, other.elements, strict=True))
    for page in shown:
        assert all(one is two for one, two in zip(shown[0].elements, page.elements, strict=True))


def test_a_site_that_the_inner_backend_forgot_is_opened_again() -> None:
    undisturbed = walk(FakeBackend())
    backend = RecoveringBackend(fake := FakeBackend())
    backend.open(SITE)
    act(backend, "click", "notice")
    fake.close()
    assert act(backend, "click", "to-offer") == undisturbed[2]
    assert backend.relaunches == {"not_open": 1}


def test_nothing_is_open_before_open_and_after_close() -> None:
    backend = RecoveringBackend(FakeBackend())
    with pytest.raises(InfrastructureError, match="none was opened: call open"):
        act(backend)
    backend.open(SITE)
    backend.close()
    with pytest.raises(InfrastructureError, match="closed: call open"):
        act(backend)
    assert backend.open(SITE).path == "/"
    assert backend.relaunches == {}


def test_a_browser_that_never_started_is_not_tried_again() -> None:
    class Missing(FakeBackend):
        def open(self, site: Any) -> Any:
            self.calls += 1
            raise BrowserUnavailableError("none here: apt-get install chromium")

    backend = RecoveringBackend(inner := Missing())
    with pytest.raises(BrowserUnavailableError):
        backend.open(SITE)
    assert (inner.calls, backend.relaunches) == (1, {})
    with pytest.raises(InfrastructureError, match="did not open: call open"):
        act(backend)


@pytest.mark.parametrize("interrupted_at", [2, 3, 4, 5])
def test_an_interrupt_leaves_no_half_done_action_behind(interrupted_at: int) -> None:
    """Call 2 is an action, 3 fails, and 4 and 5 are its replay."""
    undisturbed = walk(FakeBackend())

    def interrupt(call: int) -> None:
        if call == interrupted_at:
            raise KeyboardInterrupt

    inner = LossyBackend(FakeBackend(), {3})
    inner.on_call = interrupt
    backend = RecoveringBackend(inner)
    with pytest.raises(KeyboardInterrupt):
        walk(backend)
    if interrupted_at == 2:
        assert act(backend, "click", "notice") == undisturbed[1]
    assert act(backend, "click", "to-offer") == undisturbed[2]


def test_replays_have_an_end() -> None:
    """On a site whose every step takes a third of what a replay may take, no replay of five steps gets through."""
    now = [0.0]

    def pass_time(_: int) -> None:
        now[0] += REPLAY_LIMIT_S / 3

    inner = LossyBackend(FakeBackend(), {7})
    inner.on_call = pass_time
    backend = RecoveringBackend(inner, now=lambda: now[0])
    walk(backend)
    began = now[0]
    with pytest.raises(InfrastructureError, match="replay had come to step") as caught:
        act(backend)
    assert caught.value.cause == "deadline"
    assert now[0] - began <= (RECOVERIES + 1) * 1.5 * REPLAY_LIMIT_S
    assert backend.relaunches == {"browser_lost": 1, "deadline": 1}
