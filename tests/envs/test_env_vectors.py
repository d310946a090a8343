"""Wrappers and vectors, without a browser and without an extra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, entry_of
from chain_player import actions_of_an_episode, make, play
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import OrderEnforcing, RecordEpisodeStatistics, TimeAwareObservation, TimeLimit

from riskchain_gym.envs.registration import IDS
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError

pytestmark = pytest.mark.contract

CHAIN = IDS[0]


def test_common_wrappers(split: str) -> None:
    env = RecordEpisodeStatistics(OrderEnforcing(make(split)))
    _, rewards, info = play(env, options={"chain": "chaina"})
    assert info["episode"]["r"] == pytest.approx(sum(rewards)) == 1.0
    assert info["episode"]["l"] == 3
    env = TimeLimit(make(split), 2)
    env.reset()
    env.step(commit_text("x.pw.test"))
    assert env.step(action_text("reload"))[3]
    env = TimeAwareObservation(TimeLimit(make(split), 9), flatten=False)
    obs, _ = env.reset()
    assert obs in env.observation_space


@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_by_default(split: str, env_id: str) -> None:
    envs = gym.make_vec(env_id, 2, split=split, backend="text")
    obs, info = envs.reset(seed=1)
    assert obs in envs.observation_space
    assert list(info["status"]) == ["running", "running"]
    assert len(obs["text"]) == 2
    step = envs.step(envs.action_space.sample())
    assert step[0] in envs.observation_space
    assert list(step[4]["strikes"]) == [1, 1]
    envs.close()


def test_a_sequential_vector_deals_the_chains_out(split: str) -> None:
    envs = gym.make_vec(CHAIN, 2, split=split, backend="text", order="sequential")
    assert envs.get_attr("chain_ids") == (("chaina", "chainc"), ("chainb", "chaind"))
    envs = gym.make_vec(
        CHAIN, 2, split=split, backend="text", order="sequential", chains=["chaind", "chainb", "chainc"], shard=[0, 1]
    )
    assert envs.get_attr("chain_ids") == (("chaind", "chainc"), ("chainb",))


def vector(split: str, kind: str, mode: AutoresetMode) -> Any:
    kwargs: dict[str, Any] = {"split": split, "backend": "text", "chains": ["chaina"]}
    if kind == "make_vec":
        return gym.make_vec(CHAIN, 2, autoreset_mode=mode.value, **kwargs)
    return gym.make_vec(
        CHAIN,
        2,
        vectorization_mode=kind,
        vector_kwargs={"autoreset_mode": mode, **({"shared_memory": False} if kind == "async" else {})},
        **kwargs,
    )


@pytest.mark.parametrize("kind", ["make_vec", "sync", "async"])
def test_next_step_autoreset_ignores_the_action(split: str, kind: str) -> None:
    envs = vector(split, kind, AutoresetMode.NEXT_STEP)
    envs.reset(seed=1)
    for action in actions_of_an_episode():
        _, rewards, ended, _, info = envs.step((action, action))
    assert ended.all()
    assert list(rewards) == [1.0, 1.0]
    assert list(info["outcome"]["end_to_end_correct"]) == [1, 1]
    obs, rewards, ended, _, info = envs.step(("no JSON at all", "this neither"))
    assert not ended.any()
    assert list(rewards) == [0.0, 0.0]
    assert list(info["strikes"]) == [0, 0], "an ignored action is no strike"
    assert obs["feedback"] == ("", "")
    _, _, _, _, info = envs.step(("no JSON at all", commit_text(entry_of(0))))
    assert list(info["strikes"]) == [1, 0]
    envs.close()


@pytest.mark.parametrize("kind", ["make_vec", "sync", "async"])
def test_same_step_autoreset_hands_out_the_last_observation(split: str, kind: str) -> None:
    envs = vector(split, kind, AutoresetMode.SAME_STEP)
    envs.reset(seed=1)
    for action in actions_of_an_episode():
        obs, rewards, ended, _, info = envs.step((action, action))
    assert ended.all()
    assert list(rewards) == [1.0, 1.0]
    assert list(obs["phase"]) == [0, 0]
    assert list(info["status"]) == ["running", "running"]
    assert [final["phase"] for final in info["final_obs"]] == [2, 2]
    assert list(info["final_info"]["outcome"]["end_to_end_correct"]) == [1, 1]
    envs.close()


def test_shared_memory_is_refused_in_words(split: str) -> None:
    with pytest.raises(ConfigError, match="shared_memory=False"):
        AsyncVectorEnv([lambda: make(split)] * 2, shared_memory=True)


def test_sync_and_async_vectors_agree(split: str) -> None:
    makers = [lambda: make(split, chains=["chaina"])] * 2
    played = []
    for envs in (SyncVectorEnv(makers), AsyncVectorEnv(makers, shared_memory=False)):
        obs, _ = envs.reset(seed=3)
        steps = [obs["text"]]
        for action in actions_of_an_episode():
            obs, rewards, *_ = envs.step((action, action))
            steps.append((obs["text"], obs["elements"], tuple(rewards)))
        played.append(steps)
        envs.close()
    assert played[0] == played[1]


# -- arguments and options --------------------------------------------------------------------------------------------


def test_paths_may_be_path_objects(split: str, tmp_path: Path) -> None:
    config = tmp_path / "short.toml"
    config.write_text("max_steps = 3", encoding="utf-8")
    outcomes = tmp_path / "w.jsonl"
    outcomes.write_text('{"chain_id": "chaina", "w_hat": 0.5}', encoding="utf-8")
    envs = gym.make_vec(
        CHAIN,
        2,
        split=Path(split),
        backend="text",
        config=config,
        chains=["chaina"],
        reward="delta_gate",
        web_outcomes=outcomes,
    )
    assert [c.max_steps for c in envs.get_attr("config")] == [3, 3]
    envs.reset(seed=1)
    _, rewards, *_ = envs.step((commit_text("wrong.pw.test"), commit_text(entry_of(0))))
    assert list(rewards) == [-0.5, 0]
    envs.close()


def chains_of(envs: Any) -> list[str]:
    return [trajectory.chain_id for trajectory in envs.get_attr("trajectory")]


def test_options_name_the_chain_of_each_environment(split: str) -> None:
    envs = gym.make_vec(CHAIN, 2, split=split, backend="text", order="sequential")
    envs.reset(options={"chains": ["chaind", "chainb"]})
    assert chains_of(envs) == ["chaind", "chainb"]
    envs.reset(options={"chains": ["chainc", None], "reset_mask": np.array([True, True])})
    assert chains_of(envs) == ["chainc", "chainb"], "None leaves the choice to the order"
    envs.reset()
    assert chains_of(envs) == ["chaina", "chaind"]
    with pytest.raises(UnknownNameError, match="Did you mean"):
        envs.reset(options={"chains": ["chaina", "chainz"]})


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"chain": "chaina"}, "of a vector knows only 'chains'.*Did you mean 'chains'"),
        ({"chains": ["chaina"]}, "one id for each of 2"),
        ({"chains": "chaina"}, "one id for each of 2"),
    ],
)
def test_options_that_mean_nothing_to_a_vector_are_refused(split: str, options: dict[str, Any], hint: str) -> None:
    envs = gym.make_vec(CHAIN, 2, split=split, backend="text")
    with pytest.raises(ConfigError, match=hint):
        envs.reset(options=options)
