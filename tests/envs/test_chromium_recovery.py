"""Recovery in the real Chromium: what is killed or stopped in mid-episode is seen in nothing, twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import psutil
import pytest
from chain_builder import action_text, report_text, stop_text
from chromium_stub import act, show, stub_backend, texts

from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import InfrastructureError

pytestmark = pytest.mark.browser

WALK = [
    ("click", "刷新回合"),
    ("click", "进入活动"),
    ("fill", "手机号"),
    ("check", "同意条款"),
    ("click", "提交"),
    ("back", ""),
]
"""Changes the site's state, fills in a form, sends it and goes back; targets by name."""


@pytest.fixture(scope="module")
def env(split: str) -> Iterator[Any]:
    made = gym.make("riskchain_gym:RiskChainBrowse-v0", split=split, observe=["screenshot", "axtree"]).unwrapped
    yield made
    made.close()


def kill(which: int) -> Callable[[Any], None]:
    return lambda env: os.kill(env.backend.inner.pids[which], signal.SIGKILL)


def renderers(env: Any) -> list[psutil.Process]:
    family = psutil.Process(env.backend.inner.pids[1]).children(recursive=True)
    return [process for process in family if "--type=renderer" in process.cmdline()]


def crash(env: Any) -> None:
    for renderer in renderers(env):
        renderer.kill()


def stop(env: Any) -> None:
    for renderer in renderers(env):
        renderer.suspend()


def play(env: Any, harm: dict[int, Callable[[Any], None]] | None = None) -> list[tuple[Any, ...]]:
    """Play one chain, something being harmed before some of the steps; return what each step gave."""
    env.backend.relaunches.clear()
    obs, info = env.reset(options={"chain": "chaina"})
    steps: list[tuple[Any, ...]] = [(obs, 0.0, False, False, info)]
    report = report_text(Decision.INSUFFICIENT_EVIDENCE, obs["text"].split("\n")[0])
    for number, todo in enumerate([*WALK, stop_text(), report]):
        if harm is not None and number in harm:
            harm[number](env)
        steps.append(env.step(todo if isinstance(todo, str) else aimed(steps[-1][0], *todo)))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


def aimed(obs: dict[str, Any], action: str, name: str) -> str:
    shown = [e for e in json.loads(obs["elements"])["elements"] if e["role"] != "form"]
    return action_text(action, next((e["element_id"] for e in shown if name and e["name"] == name), None))


def assert_same(env: Any, harm: dict[int, Callable[[Any], None]]) -> None:
    undisturbed = play(env)
    expected = env.trajectory.trajectory_hash()
    assert [info["action_result"] for *_, info in undisturbed[1:]] == ["executed"] * (len(WALK) + 2)
    for (obs, *rest), (obs_again, *rest_again) in zip(undisturbed, play(env, harm), strict=True):
        assert rest == rest_again
        for name, shown in obs.items():
            assert np.array_equal(shown, obs_again[name]), name
    assert env.trajectory.trajectory_hash() == expected


@pytest.mark.parametrize("which", [pytest.param(0, id="driver", marks=pytest.mark.slow), pytest.param(1, id="browser")])
def test_a_browser_killed_twice_in_an_episode_is_not_noticed(env: Any, which: int) -> None:
    assert_same(env, {2: kill(which), 5: kill(which)})
    assert env.backend.relaunches == {"browser_lost": 2}


def test_the_third_kill_loses_the_episode(env: Any) -> None:
    obs, reward, terminated, truncated, info = play(env, {1: kill(1), 3: kill(1), 4: kill(1)})[-1]
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["valid"], info["status"]) == (False, "infra_error")
    assert {"web_correct", "end_to_end_correct"}.isdisjoint(info["outcome"])
    assert obs["feedback"].startswith("The infrastructure failed (browser_lost)")
    assert play(env)[-1][4]["status"] == "reported"


def impatient(env: Any, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a harm whose action has two seconds, while its replay may take as long as ever."""
    inner = env.backend.inner
    settings, reopen = inner.settings, inner.open

    def open_again(site: Any) -> Any:
        inner.settings = settings
        return reopen(site)

    def harm_and_hurry(env: Any) -> None:
        inner.settings = replace(settings, act_deadline_s=2.0)
        monkeypatch.setattr(inner, "open", open_again)
        harm(env)

    return harm_and_hurry


def test_a_crashed_renderer_is_not_noticed(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(env, {3: impatient(env, monkeypatch, crash)})
    assert sum(env.backend.relaunches.values()) == 1


def test_a_renderer_that_stands_still_costs_a_deadline_and_the_episode_goes_on(
    env: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(env, {4: impatient(env, monkeypatch, stop)})
    assert env.backend.relaunches == {"deadline": 1}


@pytest.mark.slow
def test_a_page_that_hangs_by_itself_is_given_up_and_the_next_one_works() -> None:
    backend: Any = RecoveringBackend(stub_backend(act_deadline_s=1.5))
    try:
        show(backend, "/script")
        with pytest.raises(InfrastructureError) as caught:
            act(backend, "click", "hang1")
        assert caught.value.cause == "deadline"
        assert backend.relaunches == {"deadline": 2}
        assert texts(show(backend))[0] == "首页"
    finally:
        backend.close()
