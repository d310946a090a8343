"""A backend that fails is replayed, unseen, twice an episode; after that the episode is lost and no score."""

from __future__ import annotations

import json
import logging
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, report_text, stop_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lossy_backend import SECRET, LossyBackend

from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.factory import make_backend
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.protocol.codebook import Decision

STEPS = 8
PICTURES: dict[str, Any] = {"backend": "fake", "observe": ["screenshot", "axtree", "dom"]}
fast = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def make(split: str, env_id: str = "RiskChain-v0", **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", split=split, **{"backend": "text", **kwargs}).unwrapped


def lossy(env: Any, *fail_at: int) -> LossyBackend:
    """Put an environment on a backend that fails at some calls, and return it."""
    inner: BrowseBackend = FakeBackend() if env.config.backend == "fake" else TextBackend()
    lossy = LossyBackend(inner, fail_at)
    env.backend = RecoveringBackend(lossy)
    return lossy


def play(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Play a chain with random browse actions; return what each step gave, the last one being the end."""
    env.reset(options={"chain": "chaina"})
    env.action_space.seed(seed)
    steps = [env.step(commit_text("wrong.pw.test"))]
    while not steps[-1][3] and len(steps) <= STEPS:
        if json.loads(action := env.sample_action())["action"] != "stop":
            steps.append(env.step(action))
    if not steps[-1][3]:
        steps.append(env.step(stop_text()))
        steps.append(env.step(report_text(Decision.INSUFFICIENT_EVIDENCE, steps[0][0]["text"].split("\n")[0])))
    return steps


def assert_same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    for (obs, *rest), (obs_again, *rest_again) in zip(one, other, strict=True):
        assert rest == rest_again
        for name, shown in obs.items():
            assert np.array_equal(shown, obs_again[name]), name


@pytest.mark.parametrize("kwargs", [{}, PICTURES], ids=["text", "pictures"])
@fast
@given(data=st.data())
def test_up_to_two_failures_are_seen_nowhere(split: str, kwargs: dict[str, Any], data: st.DataObject) -> None:
    env, seed = make(split, **kwargs), data.draw(st.integers(0, 9))
    calls = lossy(env)
    undisturbed = play(env, seed)
    expected = env.trajectory.trajectory_hash()
    failures = data.draw(st.sets(st.integers(1, calls.calls), min_size=1, max_size=2))
    lossy(env, *failures)
    assert_same(undisturbed, play(env, seed))
    assert env.trajectory.trajectory_hash() == expected
    assert env.backend.relaunches == {"browser_lost": len(failures)}


@pytest.mark.parametrize("kwargs", [{}, PICTURES], ids=["text", "pictures"])
@fast
@given(data=st.data())
def test_a_third_failure_loses_the_episode_and_is_no_score(
    split: str, kwargs: dict[str, Any], data: st.DataObject
) -> None:
    env, seed = make(split, **kwargs), data.draw(st.integers(0, 9))
    calls = lossy(env)
    play(env, seed)
    lossy(env, *data.draw(st.sets(st.integers(1, calls.calls), min_size=3, max_size=3)))
    _, reward, terminated, truncated, info = play(env, seed)[-1]
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["valid"], info["status"]) == (False, "infra_error")
    assert {"web_correct", "end_to_end_correct", "gate.passed", "first_failure"}.isdisjoint(info["outcome"])
    assert env.trajectory.infra_cause == "browser_lost"
    assert env.backend.relaunches == {"browser_lost": 2}
    assert play(env, seed)[-1][4]["status"] == "reported", "the next episode has its own two"


def test_what_failed_is_told_to_who_runs_it_and_to_no_agent(split: str, caplog: pytest.LogCaptureFixture) -> None:
    env = make(split)
    lossy(env, 2, 4, 7)
    with caplog.at_level(logging.WARNING, "riskchain_gym"):
        steps = play(env, 1)
    assert [SECRET in record.getMessage() for record in caplog.records] == [True] * 3
    assert steps[-1][3]
    shown = repr(steps) + env.trajectory.model_dump_json()
    for word in ("k3f9a2", "127.0.0.1", "4242", "/home/user/profile"):
        assert word not in shown
    for obs, _, _, truncated, info in steps:
        assert ("browser_lost" in repr((obs, info))) == truncated


def test_a_site_that_opens_at_the_third_try(split: str) -> None:
    env = make(split, "RiskChainBrowse-v0")
    calls = lossy(env, 1, 2)
    obs, info = env.reset()
    assert info["valid"]
    assert obs["text"]
    assert calls.opens == 3


def test_time_that_the_infrastructure_loses_is_not_the_agents(split: str) -> None:
    env = make(split, "RiskChainBrowse-v0", max_seconds=10)
    now = [0.0]

    def pass_time(call: int) -> None:
        now[0] += 60.0 if call in inner.fail_at else 1.0

    inner = LossyBackend(TextBackend(), {3})
    inner.on_call = pass_time
    env.backend = RecoveringBackend(inner, now=lambda: now[0])
    env.reset()
    left = [float(env.step(action_text("reload"))[0]["seconds_left"]) for _ in range(3)]
    assert left == [9.0, 8.0, 7.0]
    assert now[0] > 60


def test_environments_with_a_browser_recover_by_themselves() -> None:
    pytest.importorskip("playwright")
    try:
        made = make_backend(EnvConfig(backend="chromium"), [])
    except RuntimeError as error:
        pytest.skip(str(error))
    assert isinstance(made, RecoveringBackend)
    assert made._queued == made.inner.queued_s, "time budgets leave out what calls wait for neighbours"
    assert not isinstance(make_backend(EnvConfig(backend="text"), []), RecoveringBackend)
