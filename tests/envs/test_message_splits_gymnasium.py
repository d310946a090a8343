"""Message splits under Gymnasium's own checks: vectors, spawned workers, renderings."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from message_split_cases import RESTORE, TRAIN, commit_of, make, name_of, train

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.message_cases import STREAM_LENGTH
from riskchain_gym.protocol.model import canonical_json

pytestmark = pytest.mark.contract


@pytest.mark.parametrize("order", ["random", "sequential"])
@pytest.mark.parametrize("split", [TRAIN, "messages/dev"])
def test_check_env_has_nothing_to_say(split: str, order: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(split, order=order).unwrapped)


def chains_of(envs: Any) -> list[str]:
    return [trajectory.chain_id for trajectory in envs.get_attr("trajectory")]


def test_vectors_deal_the_stream_out() -> None:
    envs = gym.make_vec(RESTORE, 3, split=TRAIN, order="sequential")
    observations, _ = envs.reset(seed=0)
    assert chains_of(envs) == [name_of(i) for i in range(3)]
    assert observations["text"] == tuple(canonical_json(train(i).variants["v000"]) for i in range(3))
    commits = tuple(commit_of(train(i).gold, *filter(None, [train(i).gold.entry])) for i in range(3))
    _, rewards, ended, *_ = envs.step(commits)
    assert (list(rewards), ended.all()) == ([1.0, 1.0, 1.0], True)
    envs.step(commits)
    assert chains_of(envs) == [name_of(i) for i in range(3, 6)]
    envs.reset(options={"chains": [name_of(9), None, name_of(4)]})
    assert chains_of(envs)[::2] == [name_of(9), name_of(4)]
    envs.close()


def test_random_vectors_follow_the_seed() -> None:
    envs = gym.make_vec(RESTORE, 2, split=TRAIN)
    envs.reset(seed=4)
    first = chains_of(envs)
    assert first[0] != first[1]
    envs.reset(seed=4)
    assert chains_of(envs) == first
    envs.close()


def test_spawned_workers_make_the_same_messages() -> None:
    envs = gym.make_vec(
        f"riskchain_gym:{RESTORE}",
        2,
        vectorization_mode="async",
        vector_kwargs={"shared_memory": False, "context": "spawn"},
        split=TRAIN,
    )
    observations, _ = envs.reset(seed=4)
    ids = chains_of(envs)
    assert len(envs.get_attr("chain_ids")[0]) == STREAM_LENGTH
    envs.close()
    env = make()
    assert observations["text"] == tuple(env.reset(options={"chain": chain})[0]["text"] for chain in ids)


def test_nothing_is_written_and_sites_need_no_messages(tmp_path: Path) -> None:
    code = (
        "import sys, gymnasium as gym, riskchain_gym\n"
        "gym.make('RiskChainRestore-v0').reset()\n"
        "print('riskchain_gym.messages.splits' in sys.modules)\n"
        "gym.make('RiskChainRestore-v0', split='messages/train').reset()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "False"
    assert not list(tmp_path.iterdir())


def test_a_message_is_rendered() -> None:
    env = make(render_mode="ansi", chains=[name_of(2)])
    env.reset()
    assert train(2).variants["v000"].messages[0].content.split("\n")[0] in env.render()


def test_a_message_is_drawn() -> None:
    env = make(backend="fake", observe=["message_image"])
    observation, _ = env.reset(seed=0)
    assert observation["message_image"].any()
