"""Who only looks on, for a picture of the page, costs the episode nothing, whatever comes of it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from chain_builder import action_text, make_site
from lossy_backend import LossyBackend

from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import RECOVERIES, RecoveringBackend
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError

SITE = make_site(0, "充值返利")
RELOAD = BrowserAction(action=ActionKind.RELOAD)


def opened(*fail_at: int, cause: str = "browser_lost", **kwargs: Any) -> tuple[RecoveringBackend, LossyBackend]:
    inner = LossyBackend(FakeBackend(), fail_at, cause)
    backend = RecoveringBackend(inner, **kwargs)
    backend.open(SITE)
    return backend, inner


def test_a_glance_is_the_screenshot() -> None:
    backend, _ = opened()
    assert (backend.glance() == backend.screenshot()).all()


def test_a_failed_glance_is_tried_once_and_made_up_for_by_the_next_call() -> None:
    backend, inner = opened(3)
    shown = backend.act(RELOAD, None)
    for _ in range(3):
        with pytest.raises(InfrastructureError, match="Call 3") as caught:
            backend.glance()
        assert caught.value.cause == "browser_lost"
    assert (inner.calls, inner.opens, backend.relaunches) == (3, 1, {})
    assert backend.act(RELOAD, None) == shown
    assert (inner.opens, backend.relaunches) == (2, {"browser_lost": 1})
    assert backend.glance().any()


def test_failed_glances_leave_the_episode_the_failures_that_it_survives() -> None:
    backend, inner = opened()
    for _ in range(RECOVERIES + 2):
        inner.fail_at = frozenset({inner.calls + 1})
        with pytest.raises(InfrastructureError):
            backend.glance()
        backend.act(RELOAD, None)
    for _ in range(RECOVERIES):
        inner.fail_at = frozenset({inner.calls + 1})
        backend.act(RELOAD, None)
    inner.fail_at = frozenset({inner.calls + 1, inner.calls + 2})
    with pytest.raises(InfrastructureError):
        backend.act(RELOAD, None)


def test_a_glance_that_failed_for_what_no_replay_mends_ends_the_episode_at_the_next_call() -> None:
    backend, inner = opened(2, cause="forked")
    for call in (backend.glance, lambda: backend.act(RELOAD, None)):
        with pytest.raises(InfrastructureError) as caught:
            call()
        assert caught.value.cause == "forked"
    assert inner.opens == 1
    with pytest.raises(InfrastructureError, match="forked") as caught:
        backend.act(RELOAD, None)
    assert caught.value.cause == "not_open"


def test_time_in_the_queue_and_time_of_failed_glances_is_not_the_agents() -> None:
    now, queued = [0.0], [0.0]

    def pass_time(call: int) -> None:
        now[0] += 60.0
        queued[0] += 50.0

    backend, inner = opened(4, now=lambda: now[0], queued=lambda: queued[0])
    inner.on_call = pass_time
    began = backend.clock()
    backend.act(RELOAD, None)
    assert backend.clock() - began == 10.0
    backend.glance()
    assert backend.clock() - began == 20.0
    with pytest.raises(InfrastructureError):
        backend.glance()
    assert backend.clock() - began == 20.0
    backend.act(RELOAD, None)
    assert backend.clock() - began == 30.0


def test_rendering_never_ends_an_episode(split: str) -> None:
    pytest.importorskip("PIL")
    env: Any = gym.make("riskchain_gym:RiskChainBrowse-v0", split=split, backend="fake", render_mode="rgb_array")
    inner = LossyBackend(FakeBackend(viewport=env.unwrapped.config.viewport))
    backend = env.unwrapped.backend = RecoveringBackend(inner)
    env.reset()
    page = env.render()
    for _ in range(RECOVERIES + 2):
        inner.fail_at = frozenset({inner.calls + 1})
        card = env.render()
        assert card.shape == page.shape
        assert (card != page).any()
        _, _, terminated, truncated, info = env.step(action_text("reload"))
        assert (terminated, truncated, info["valid"]) == (False, False, True)
    assert backend.relaunches == {"browser_lost": RECOVERIES + 2}
    assert (env.render() == page).all()
