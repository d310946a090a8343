"""Environments with a browser in actors of Ray: the same episodes as here, and nothing left of a killed one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium as gym
import psutil
import pytest
from chain_builder import action_text

os.environ["RAY_AUTH_MODE"] = "disabled"  # read when Ray is imported; its cluster is this machine alone
ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BROWSE = "riskchain_gym:RiskChainBrowse-v0"


class Player:
    """Plays the first steps of an episode."""

    def __init__(self) -> None:
        self.env: Any = gym.make(BROWSE, split="mini", backend="chromium")

    def play(self) -> str:
        self.env.reset(seed=7)
        for action in ("scroll_down", "reload", "scroll_up"):
            *_, truncated, info = self.env.step(action_text(action))
            assert not truncated, info
        return self.env.unwrapped.trajectory.trajectory_hash()

    def pids(self) -> tuple[int, ...]:
        return self.env.unwrapped.backend.inner.pids

    def close(self) -> None:
        self.env.close()


@pytest.fixture
def cluster() -> Iterator[None]:
    here = os.path.dirname(__file__)  # noqa: PTH120 - what PYTHONPATH holds
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # short, as the names of sockets have to be
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=80 * 2**20,
            runtime_env={"env_vars": {"PYTHONPATH": here}},
            _temp_dir=folder,
        )
        yield
        ray.shutdown()


@pytest.mark.timeout(300)
def test_actors_play_what_is_played_here_and_leave_no_browser_behind(cluster: None) -> None:
    actor_class = ray.remote(num_cpus=1)(Player)
    actors = [actor_class.remote() for _ in range(2)]
    hashes = ray.get([actor.play.remote() for actor in actors], timeout=200)
    mine = Player()
    try:
        assert hashes == [mine.play()] * 2
    finally:
        mine.close()

    pids = ray.get([actor.pids.remote() for actor in actors], timeout=60)
    assert len({pid for pair in pids for pid in pair}) == 4, "each actor has a browser of its own"
    families = [[psutil.Process(pid) for pid in pair] for pair in pids]
    families = [[*family, *family[0].children(recursive=True)] for family in families]
    ray.get(actors[0].close.remote(), timeout=60)
    ray.kill(actors[1])
    _, left = psutil.wait_procs([process for family in families for process in family], timeout=60)
    assert left == []
