"""Environments with a browser wherever programs put them: vectors, processes, threads, notebooks, copies."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import gymnasium as gym
import pytest
from chain_builder import action_text
from gymnasium.error import ResetNeeded

pytestmark = pytest.mark.browser

BROWSE = "riskchain_gym:RiskChainBrowse-v0"
STEPS = ("scroll_down", "reload", "scroll_up")


def make(**kwargs: Any) -> Any:
    return gym.make(BROWSE, backend="chromium", **kwargs)


def steps(env: Any) -> str:
    """Play on; return what identifies all that was shown and done in the episode."""
    for action in STEPS:
        *_, truncated, info = env.step(action_text(action))
        assert not truncated, info
    return str(env.unwrapped.trajectory.trajectory_hash())


def play(env: Any, seed: int = 7) -> str:
    try:
        env.reset(seed=seed)
        return steps(env)
    finally:
        env.close()


def play_spec(pickled: bytes) -> str:
    return play(gym.make(pickle.loads(pickled)))


@pytest.fixture(scope="module")
def hashes() -> list[str]:
    """What two seeds come to here."""
    return [play(make(), seed) for seed in (7, 8)]


@pytest.mark.parametrize(
    "how", ["sync", "fork", *(pytest.param(how, marks=pytest.mark.slow) for how in ("forkserver", "spawn"))]
)
def test_every_kind_of_vector_plays_the_same_episodes(how: str, hashes: list[str]) -> None:
    running = make()
    try:
        running.reset(seed=7)
        options = {} if how == "sync" else {"shared_memory": False, "context": how}
        envs = gym.make_vec(
            BROWSE,
            2,
            vectorization_mode="sync" if how == "sync" else "async",
            vector_kwargs=options,
            backend="chromium",
        )
        try:
            envs.reset(seed=7)
            for action in STEPS:
                *_, lost, _ = envs.step((action_text(action),) * 2)
                assert not lost.any()
            assert [trajectory.trajectory_hash() for trajectory in envs.get_attr("trajectory")] == hashes
        finally:
            envs.close()
        assert steps(running) == hashes[0], "the environment that ran here before goes on"
    finally:
        running.close()


def test_two_threads_have_an_environment_each(hashes: list[str]) -> None:
    meet = threading.Barrier(2, timeout=60)

    def play_at_once(seed: int) -> str:
        env = make()
        meet.wait()
        return play(env, seed)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(play_at_once, (7, 8))) == hashes


def test_one_environment_goes_from_thread_to_thread(hashes: list[str]) -> None:
    env = make()
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        first.submit(env.reset, seed=7).result()
        assert second.submit(steps, env).result() == hashes[0]
    env.close()


def test_a_notebook_may_do_all_there_is_in_its_running_loop(hashes: list[str]) -> None:
    async def cells() -> str:
        env = make(render_mode="rgb_array")
        env.reset(seed=7)
        await asyncio.sleep(0)
        done = steps(env)
        picture = env.render()
        assert picture.shape == (900, 1280, 3)
        assert picture.std() > 1
        env.close()
        return done

    assert asyncio.run(cells()) == hashes[0]


def test_an_interrupt_ends_the_episode_and_the_next_one_works(
    hashes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = threading.Event.wait

    def interrupted(event: threading.Event, timeout: float | None = None) -> bool:
        if threading.current_thread() is threading.main_thread():
            monkeypatch.undo()
            raise KeyboardInterrupt
        return wait(event, timeout)

    env = make()
    try:
        env.reset(seed=7)
        monkeypatch.setattr("riskchain_gym.envs.backends.worker.threading.Event.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step(action_text("scroll_down"))
        with pytest.raises(ResetNeeded):
            env.step(action_text("scroll_down"))
        env.reset(seed=7)
        assert steps(env) == hashes[0]
    finally:
        env.close()


def test_a_forked_child_loses_the_episode_by_name_and_plays_another(hashes: list[str]) -> None:
    env = make()
    env.reset(seed=7)
    ours, theirs = get_context("fork").Pipe()

    def child() -> None:
        *_, truncated, info = env.step(action_text("scroll_down"))
        lost = (truncated, info["valid"], env.unwrapped.trajectory.infra_cause)
        theirs.send((lost, play(env)))

    process = get_context("fork").Process(target=child)
    process.start()
    theirs.close()
    assert ours.recv() == ((True, False, "forked"), hashes[0])
    process.join(60)
    assert process.exitcode == 0
    assert steps(env) == hashes[0]
    env.close()


def test_a_running_environment_is_not_copied_and_its_spec_makes_another_elsewhere(hashes: list[str]) -> None:
    env = make()
    try:
        env.reset(seed=7)
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="make another one"):
                attempt(env.unwrapped)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            assert pool.submit(play_spec, pickle.dumps(env.spec)).result(120) == hashes[0]
        assert steps(env) == hashes[0]
    finally:
        env.close()
