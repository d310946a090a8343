"""Environments that nobody closes: two hundred of each id leave no thread, file, process or memory behind."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import psutil
import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.registration import IDS

MADE = 200
CHAINS = [chain.chain_id for chain in load_public("mini")][:2]
"""Two chains, so that what is kept of pages on purpose, and bounded, is there before anything is counted."""

WARM = 30
MOST_OBJECTS = MADE
"""Python objects that two hundred may leave in all: not one each."""


def make(env_id: str) -> gym.Env[Any, Any]:
    backend = {} if "Restore" in env_id else {"backend": "text"}
    return gym.make(f"riskchain_gym:{env_id}", chains=CHAINS, disable_env_checker=True, **backend)


def step(env: gym.Env[Any, Any], number: int) -> bool:
    """Take a step that is the same for the same number; return whether the episode has ended."""
    world: Any = env.unwrapped
    env.action_space.seed(number)
    action = world.sample_action() if hasattr(world, "sample_action") else env.action_space.sample()
    _, _, terminated, truncated, _ = env.step(action)
    return terminated or truncated


def held() -> dict[str, int]:
    """Return what this process holds beside memory."""
    me = psutil.Process()
    return {"threads": threading.active_count(), "files": me.num_fds(), "processes": len(me.children(recursive=True))}


def objects_left_by(round_of: Callable[[int], None]) -> int:
    """Return how many objects two hundred rounds leave, once what is kept on purpose is there."""
    for number in range(WARM):
        round_of(number % 10)
    gc.collect()
    before, counted = held(), len(gc.get_objects())
    for number in range(MADE):
        round_of(number % 10)
    gc.collect()
    assert held() == before
    return len(gc.get_objects()) - counted


def forgotten(env_id: str) -> Callable[[int], None]:
    """Return a round that makes an environment, begins an episode, and leaves it there."""

    def play(number: int) -> None:
        env = make(env_id)
        env.reset(seed=number)
        step(env, number)

    return play


def episodes_of(env: gym.Env[Any, Any]) -> Callable[[int], None]:
    """Return a round that plays some of an episode; the next one begins another."""

    def play(number: int) -> None:
        env.reset(seed=number)
        for at in range(4):
            if step(env, 10 * number + at):
                break

    return play


@pytest.mark.parametrize("env_id", IDS)
def test_two_hundred_environments_that_are_never_closed_leave_nothing(env_id: str) -> None:
    assert objects_left_by(forgotten(env_id)) < MOST_OBJECTS


@pytest.mark.parametrize("env_id", IDS)
def test_two_hundred_episodes_of_one_environment_leave_nothing(env_id: str) -> None:
    assert objects_left_by(episodes_of(make(env_id))) < MOST_OBJECTS


@pytest.mark.parametrize("env_id", IDS)
def test_environments_that_are_kept_and_not_closed_hold_no_thread_file_or_process(env_id: str) -> None:
    kept = [make(env_id)]
    kept[0].reset(seed=0)
    before = held()
    for number in range(40):
        kept.append(make(env_id))
        kept[-1].reset(seed=number)
    assert held() == before


@pytest.mark.parametrize("env_id", IDS)
def test_who_lets_go_of_an_environment_lets_go_of_its_episode(env_id: str) -> None:
    env = make(env_id)
    env.reset(seed=0)
    world = weakref.ref(env.unwrapped)
    del env
    gc.collect()
    assert world() is None


@pytest.mark.slow
@pytest.mark.parametrize("env_id", IDS)
def test_the_bytes_do_not_grow_either(env_id: str) -> None:
    play = forgotten(env_id)
    for number in range(WARM):
        play(number % 10)
    tracemalloc.start()
    try:
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
        for number in range(MADE):
            play(number % 10)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - kept
    finally:
        tracemalloc.stop()
    assert grown < 500 * MADE, "one environment with its episode holds a hundred times as much"
