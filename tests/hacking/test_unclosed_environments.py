"""Environments that nobody closes: any number of each id leaves no thread, file, process or memory behind."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.registration import ARRAY_IDS, IDS

psutil = pytest.importorskip("psutil")

EVERY_ID = (*IDS, *ARRAY_IDS)
ROUNDS = [20, pytest.param(200, marks=pytest.mark.slow)]
CHAINS = [chain.chain_id for chain in load_public("mini")][:2]
"""Two chains, so that what is kept of pages on purpose, and bounded, is there before anything is counted."""

WARM = 10


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


def objects_left_by(round_of: Callable[[int], None], rounds: int) -> int:
    """Return how many objects some rounds leave, once what is kept on purpose is there."""
    for number in range(WARM):
        round_of(number % 10)
    gc.collect()
    gc.freeze()  # what is there by now is neither counted nor looked through again
    try:
        counted, before = _objects_after(round_of), held()
        for number in range(rounds):
            round_of(number % 10)
        left = _objects_after(round_of) - counted
        assert held() == before
        return left
    finally:
        gc.unfreeze()


def _objects_after(round_of: Callable[[int], None]) -> int:
    """Return how many objects there are after a round that is always the same, what is left over swept away."""
    round_of(0)
    gc.collect()
    return len(gc.get_objects())


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


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("env_id", EVERY_ID)
def test_environments_that_are_never_closed_leave_nothing(env_id: str, rounds: int) -> None:
    assert objects_left_by(forgotten(env_id), rounds) < rounds, "not one object each"


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("env_id", EVERY_ID)
def test_episodes_of_one_environment_leave_nothing(env_id: str, rounds: int) -> None:
    assert objects_left_by(episodes_of(make(env_id)), rounds) < rounds, "not one object each"


@pytest.mark.parametrize("env_id", EVERY_ID)
def test_environments_that_are_kept_and_not_closed_hold_no_thread_file_or_process(env_id: str) -> None:
    kept = [make(env_id)]
    kept[0].reset(seed=0)
    before = held()
    for number in range(15):
        kept.append(make(env_id))
        kept[-1].reset(seed=number)
    assert held() == before


@pytest.mark.parametrize("env_id", EVERY_ID)
def test_who_lets_go_of_an_environment_lets_go_of_its_episode(env_id: str) -> None:
    env = make(env_id)
    env.reset(seed=0)
    world = weakref.ref(env.unwrapped)
    del env
    gc.collect()
    assert world() is None


@pytest.mark.slow
@pytest.mark.parametrize("env_id", EVERY_ID)
def test_the_bytes_do_not_grow_either(env_id: str) -> None:
    play = forgotten(env_id)
    for number in range(WARM):
        play(number % 10)
    grown: list[int] = []
    tracemalloc.start()
    try:
        for _ in range(2):
            gc.collect()
            kept = tracemalloc.get_traced_memory()[0]
            for number in range(100):
                play(number % 10)
            gc.collect()
            grown.append(tracemalloc.get_traced_memory()[0] - kept)
    finally:
        tracemalloc.stop()
    # A table of the interpreter's may be made larger once, a leak grows every time.
    assert min(grown) < 500 * 100, "one environment with its episode holds a hundred times as much"
