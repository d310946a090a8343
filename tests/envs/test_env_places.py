"""Where the environments run: fresh processes, asyncio loops, threads, side by side."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from typing import Any

import gymnasium as gym
import pytest
from chain_builder import commit_text, entry_of
from chain_player import make, play

from riskchain_gym.envs.registration import IDS

pytestmark = pytest.mark.contract

CHAIN = IDS[0]


def play_elsewhere(split: str, pipe: Any) -> None:
    """Play in a fresh process, by the id alone."""
    pipe.send(play(make(split), options={"chain": "chaina"})[1])
    pipe.close()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_in_a_fresh_process(split: str, method: str) -> None:
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=play_elsewhere, args=(split, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == [0.0, 0.0, 1.0]
    process.join(30)
    assert process.exitcode == 0


def test_spawned_vector(split: str) -> None:
    envs = gym.make_vec(
        f"riskchain_gym:{CHAIN}",
        2,
        vectorization_mode="async",
        vector_kwargs={"shared_memory": False, "context": "spawn"},
        split=split,
        backend="text",
    )
    obs, _ = envs.reset(seed=1)
    assert len(obs["text"]) == 2
    envs.close()


def test_inside_a_running_asyncio_loop(split: str) -> None:
    async def run() -> list[float]:
        return play(make(split), options={"chain": "chaina"})[1]

    assert asyncio.run(run()) == [0.0, 0.0, 1.0]


def test_in_a_thread_other_than_the_creators(split: str) -> None:
    env = make(split)
    rewards: list[list[float]] = []
    thread = threading.Thread(target=lambda: rewards.append(play(env, options={"chain": "chaina"})[1]))
    thread.start()
    thread.join(30)
    assert rewards == [[0.0, 0.0, 1.0]]


def test_two_environments_in_one_process(split: str) -> None:
    first, second = make(split), make(split)
    a, _ = first.reset(options={"chain": "chaina"})
    b, _ = second.reset(options={"chain": "chainb"})
    assert a["text"] != b["text"]
    first.close()
    assert not second.step(commit_text(entry_of(1)))[2]
