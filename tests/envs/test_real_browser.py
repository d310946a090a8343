"""The environments with the real Chromium, made with their defaults."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, report_text, stop_text
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from riskchain_gym.envs.registration import IDS
from riskchain_gym.protocol.codebook import Decision

pytestmark = pytest.mark.browser

CHAIN, RESTORE, BROWSE = IDS


def make(env_id: str = CHAIN, **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", **kwargs)


def play(env: Any) -> list[str]:
    """Play one short whole chain; return the status after each step."""
    obs, info = env.reset(seed=1)
    statuses = [info["status"]]
    quote = ""
    for turn in ("commit", "scroll", "stop", "report"):
        action = {
            "commit": commit_text("wrong.pw.test"),
            "scroll": action_text("scroll_down"),
            "stop": stop_text(),
            "report": report_text(Decision.INSUFFICIENT_EVIDENCE, quote or "x"),
        }[turn]
        obs, _, _, truncated, info = env.step(action)
        assert not truncated, obs["feedback"]
        quote = obs["text"].split("\n")[0]
        statuses.append(info["status"])
    return statuses


WHOLE = ["running", "running", "running", "running", "reported"]


@pytest.mark.parametrize("env_id", IDS)
def test_check_env_has_nothing_to_say(env_id: str) -> None:
    env = make(env_id)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env.unwrapped)
    finally:
        env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_with_defaults(env_id: str) -> None:
    envs = gym.make_vec(env_id, 2)
    try:
        obs, info = envs.reset(seed=1)
        assert obs in envs.observation_space
        actions = envs.call("sample_action")
        obs, rewards, _, lost, info = envs.step(actions)
        assert obs in envs.observation_space
        assert not lost.any()
        assert list(info["action_result"]) != ["invalid", "invalid"]
        assert rewards.shape == (2,)
    finally:
        envs.close()


@pytest.mark.parametrize("vector", ["sync", "async", "async-spawn"])
def test_vectors_with_pictures(vector: str) -> None:
    makers = [lambda: make(BROWSE, observe=["screenshot"])] * 2
    if vector == "sync":
        envs: Any = SyncVectorEnv(makers)
    else:
        context = "spawn" if vector == "async-spawn" else None
        envs = AsyncVectorEnv(makers, shared_memory=False, context=context)
    try:
        obs, _ = envs.reset(seed=1)
        assert obs["screenshot"].shape == (2, 900, 1280, 3)
        assert obs["screenshot"].std() > 1
        obs, _, _, lost, _ = envs.step((action_text("scroll_down"), action_text("reload")))
        assert not lost.any()
        assert all(json.loads(elements)["step"] == 1 for elements in obs["elements"])
    finally:
        envs.close()


def test_inside_a_running_asyncio_loop() -> None:
    async def run() -> list[str]:
        env = make()
        try:
            return play(env)
        finally:
            env.close()

    assert asyncio.run(run()) == WHOLE


def test_in_a_thread_other_than_the_creators() -> None:
    env = make()
    played: list[list[str]] = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: played.append(play(env)))
        thread.start()
        thread.join(120)
    env.close()
    assert played == [WHOLE, WHOLE]


def play_elsewhere(pipe: Any) -> None:
    env = make()
    pipe.send(play(env))
    env.close()
    pipe.close()


def test_in_a_spawned_process() -> None:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=play_elsewhere, args=(theirs,))
    process.start()
    theirs.close()
    assert ours.recv() == WHOLE
    process.join(60)
    assert process.exitcode == 0


def test_two_environments_in_one_process() -> None:
    first, second = make(BROWSE, order="sequential"), make(BROWSE, order="sequential", shard=[1, 2])
    a, _ = first.reset()
    b, _ = second.reset()
    assert a["text"] != b["text"]
    first.close()
    obs, *_, info = second.step(action_text("scroll_down"))
    assert info["valid"]
    assert obs["text"] == b["text"]
    second.close()


@pytest.mark.slow
def test_killing_the_browser_time_and_again_masks_the_episode_and_the_next_one_works() -> None:
    env = make(reward="delta_gate", web_outcomes=1.0)
    try:
        env.reset(seed=1)
        _, reward, _, _, info = env.step(commit_text("wrong.pw.test"))
        assert (reward, info["valid"]) == (-1.0, True)
        for survived in (True, True, False):
            for pid in env.unwrapped.backend.inner.pids:
                os.kill(pid, signal.SIGKILL)
            obs, reward, terminated, truncated, info = env.step(action_text("reload"))
            assert info["valid"] == survived
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert (info["valid"], info["status"]) == (False, "infra_error")
        assert {"web_correct", "end_to_end_correct", "gate.passed"}.isdisjoint(info["outcome"])
        assert obs in env.observation_space
        assert play(env) == WHOLE
    finally:
        env.close()


def test_a_browser_that_does_not_start_loses_the_episode_and_keeps_the_commit(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", sys.executable)
    env = make()
    try:
        env.reset(seed=1)
        obs, reward, terminated, truncated, info = env.step(commit_text("wrong.pw.test"))
        assert (reward, terminated, truncated, info["status"]) == (0.0, False, True, "infra_error")
        assert "does not start as a browser" in caplog.text
        assert "(launch)" in obs["feedback"]
        assert env.unwrapped.trajectory.infra_cause == "launch"
        assert env.unwrapped.trajectory.commit.entry_candidates[0].value == "wrong.pw.test"
        monkeypatch.delenv("RISKCHAIN_CHROMIUM")
        assert play(env) == WHOLE
    finally:
        env.close()


def test_pictures_have_one_shape_in_every_phase() -> None:
    env = make(render_mode="rgb_array")
    try:
        env.reset(seed=1)
        frames = [env.render()]
        for action in (commit_text("x.pw.test"), stop_text()):
            env.step(action)
            frames.append(env.render())
        assert {(frame.shape, frame.dtype) for frame in frames} == {((900, 1280, 3), np.dtype(np.uint8))}
        assert len({frame.tobytes() for frame in frames}) == 3
    finally:
        env.close()


def test_the_same_actions_look_the_same_in_both_backends() -> None:
    kwargs: dict[str, Any] = {"reward": "none", "order": "sequential"}
    text, chromium = (make(BROWSE, backend=backend, **kwargs).unwrapped for backend in ("text", "chromium"))
    text.action_space.seed(4)
    try:
        for _ in range(3):
            text.reset()
            chromium.reset()
            for _ in range(8):
                action = text.sample_action()
                seen = [env.step(action) for env in (text, chromium)]
                assert seen[0][0]["text"] == seen[1][0]["text"]
                assert seen[0][0]["feedback"] == seen[1][0]["feedback"]
                assert seen[0][4]["action_result"] == seen[1][4]["action_result"]
                if seen[0][4]["phase"] == "report":
                    break
            assert text.trajectory.trajectory_hash() == chromium.trajectory.trajectory_hash()
    finally:
        chromium.close()
