"""A browser at work for hours: nothing grows, and load changes nothing."""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import psutil
import pytest

from riskchain_gym.envs.registration import IDS

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(3600)]

BROWSE = IDS[2]
EPISODES = 1000
SETTLED = 100
EVERY = 50
REPETITIONS = 20
ACTIONS = 6


def links(observation: dict[str, Any]) -> list[str]:
    listed = json.loads(observation["elements"] or "{}").get("elements", [])
    return [element["element_id"] for element in listed if element["capabilities"]["click"]]


def walk(env: Any, actions: int, **reset: Any) -> Any:
    """Reset and click one after the other; return the unwrapped environment."""
    observation, _ = env.reset(**reset)
    for turn in range(actions):
        found = links(observation)
        action = {"action": "click", "element_id": found[turn * 7 % len(found)]} if found else {"action": "reload"}
        observation, _, terminated, truncated, _ = env.step(json.dumps(action))
        assert not truncated, observation["feedback"]
        if terminated:
            break
    return env.unwrapped


class Holdings:
    """What this process and its children hold: processes, open files, temporary files and memory."""

    def __init__(self) -> None:
        own = psutil.Process()
        family = [own, *own.children(recursive=True)]
        self.processes = len(family)
        self.files = sum(process.num_fds() for process in family[:2])
        self.temporary = len(list(Path(tempfile.gettempdir()).iterdir()))
        self.rss = own.memory_info().rss
        self.browser_rss = sum(process.memory_info().rss for process in family[1:])


def test_a_thousand_episodes_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    env = gym.make(f"riskchain_gym:{BROWSE}", reward="none", disable_env_checker=True)
    seen: list[Holdings] = []
    try:
        for episode in range(EPISODES):
            walk(env, 1)
            if episode >= SETTLED and episode % EVERY == 0:
                seen.append(Holdings())
    finally:
        env.close()
    first, later = seen[0], seen[1:]
    assert max(one.processes for one in later) <= first.processes + 1, "a renderer may be on its way out"
    assert max(one.files for one in later) <= first.files + 5
    assert max(one.temporary for one in later) <= first.temporary
    assert min(one.rss for one in later[-5:]) < 1.05 * first.rss
    assert min(one.browser_rss for one in later[-5:]) < 1.05 * first.browser_rss
    assert list(tmp_path.iterdir()) == []


def burn() -> None:
    while True:
        pass


@contextmanager
def loaded() -> Iterator[None]:
    """Keep every core busy twice over."""
    context = multiprocessing.get_context("spawn")
    burners = [context.Process(target=burn, daemon=True) for _ in range(2 * (os.cpu_count() or 1))]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()


def test_the_same_actions_give_the_same_trajectory_whatever_the_load() -> None:
    env = gym.make(f"riskchain_gym:{BROWSE}", reward="none", observe=["screenshot"], disable_env_checker=True)
    try:
        calm = walk(env, ACTIONS, seed=5).trajectory.trajectory_hash()
        with loaded():
            hashes = {walk(env, ACTIONS, seed=5).trajectory.trajectory_hash() for _ in range(REPETITIONS)}
    finally:
        env.close()
    assert hashes == {calm}
