"""Gymnasium's contract for the array environments of restoration, without a browser and without an extra."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from array_cases import EDIT, SELECT, actions_for, make, vector
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from riskchain_gym.envs.registration import ARRAY_IDS
from riskchain_gym.envs.wrappers.restore_select import PROPOSER
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError

pytestmark = pytest.mark.contract

RESTORE_IDS = (SELECT, EDIT)


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_check_env_has_nothing_to_say(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(env_id).unwrapped)
        check_env(make(env_id, split="mini", reward="delta_gate", web_outcomes=0.5).unwrapped)


@pytest.mark.parametrize("env_id", ARRAY_IDS)
def test_array_ids_are_registered_as_strings(env_id: str) -> None:
    spec = gym.spec(env_id)
    assert isinstance(spec.entry_point, str)
    assert isinstance(spec.vector_entry_point, str)
    assert EnvSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_specs_of_array_environments_survive_json(env_id: str) -> None:
    env = make(env_id, order="sequential", shard=(1, 2), pool=7)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    assert again.observation_space == env.observation_space
    assert again.unwrapped.config == env.unwrapped.config


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_array_environments_are_neither_pickled_nor_copied(env_id: str) -> None:
    env = make(env_id).unwrapped
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="make another one"):
            attempt(env)


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_a_step_needs_an_episode(env_id: str) -> None:
    env = make(env_id).unwrapped
    action = env.action_space.sample() * 0
    with pytest.raises(ResetNeeded):
        env.step(action)
    env.reset()
    env.step(action)
    with pytest.raises(ResetNeeded):
        env.step(action)
    env.close()
    env.close()
    env.reset()
    envs = vector(env_id, 2)
    with pytest.raises(ResetNeeded):
        envs.step(np.stack([action, action]))


@pytest.mark.parametrize("env_id", RESTORE_IDS)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_vector_is_closed_as_often_as_it_is_reset(env_id: str, mode: AutoresetMode) -> None:
    envs = vector(env_id, 2, autoreset_mode=mode.value)
    action = envs.action_space.sample() * 0
    for _ in range(2):
        envs.reset(seed=1)
        envs.step(action)
        envs.close()
        envs.close()
        assert envs.closed
        with pytest.raises(ResetNeeded):
            envs.step(action)


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_shared_memory_carries_the_arrays(env_id: str) -> None:
    made = []
    for kind in (SyncVectorEnv, AsyncVectorEnv):
        envs: Any = kind([lambda: make(env_id)] * 2)
        observation, _ = envs.reset(seed=4)
        assert observation in envs.observation_space
        actions = actions_for(env_id, np.random.default_rng(1), 2)
        made.append([observation, envs.step(actions)])
        envs.close()
    for first, second in zip(*made, strict=True):
        np.testing.assert_equal(first, second)


@pytest.mark.parametrize("env_id", RESTORE_IDS)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_the_native_vector_is_a_vector_of_single_environments(env_id: str, mode: AutoresetMode) -> None:
    kwargs = {"proposer": PROPOSER} if env_id == SELECT else {}
    native = vector(env_id, 3, autoreset_mode=mode.value, outcomes="full", **kwargs)
    single: Any = SyncVectorEnv([lambda: make(env_id, **kwargs)] * 3, autoreset_mode=mode)
    rng = np.random.default_rng(2)
    np.testing.assert_equal(native.reset(seed=5), single.reset(seed=5))
    paid, struck = 0.0, 0
    for _ in range(20):
        actions = actions_for(env_id, rng, 3)
        theirs = single.step(actions)
        ours = native.step(actions)
        last = ours[4].pop("final_obs", []), theirs[4].pop("final_obs", [])
        np.testing.assert_equal(list(last[0]), list(last[1]))
        np.testing.assert_equal(ours, theirs)
        paid, struck = paid + theirs[1].sum(), struck + int(theirs[4]["strikes"].max())
    assert struck
    assert paid or env_id == EDIT
    assert native.metadata["autoreset_mode"] is mode


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_a_vector_says_of_the_gate_what_the_full_outcome_says(env_id: str) -> None:
    quick, full = vector(env_id, 3), vector(env_id, 3, outcomes="full")
    quick.reset(seed=6), full.reset(seed=6)
    rng = np.random.default_rng(3)
    ended = 0
    for _ in range(20):
        actions = actions_for(env_id, rng, 3)
        ours, theirs = quick.step(actions), full.step(actions)
        np.testing.assert_equal(ours[:4], theirs[:4])
        for name, values in ours[4].get("outcome", {}).items():
            np.testing.assert_equal(values, theirs[4]["outcome"][name])
        ended += int(ours[2].sum())
    assert ended


@pytest.mark.parametrize("env_id", RESTORE_IDS)
@pytest.mark.parametrize(
    ("kwargs", "hint"),
    [
        ({"pools": 3}, "Did you mean 'pool'"),
        ({"observe": ["message_image"]}, "so no 'observe'"),
        ({"actions": "browsergym"}, "so no 'actions'"),
        ({"reward": "web"}, "'gated', 'delta_gate' or 'none'"),
        ({"pool": 0}, "whole number"),
        ({"strikes": 2}, "part of a protocol"),
    ],
)
def test_bad_arguments_are_sentences(env_id: str, kwargs: dict[str, Any], hint: str) -> None:
    for attempt in (lambda: make(env_id, **kwargs), lambda: vector(env_id, 2, **kwargs)):
        with pytest.raises(ConfigError, match=hint):
            attempt()


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_what_only_a_vector_can_be_asked(env_id: str) -> None:
    for kwargs, hint in (
        ({"outcomes": "some"}, "'gate' or 'full'"),
        ({"autoreset_mode": "Disabled"}, "resets by itself"),
        ({"render_mode": "ansi"}, "draws nothing"),
    ):
        with pytest.raises(ConfigError, match=hint):
            vector(env_id, 2, **kwargs)
    envs = vector(env_id, 2)
    with pytest.raises(ConfigError, match="one for each of 2"):
        envs.reset(seed=[1])
    with pytest.raises(ConfigError, match="one id for each of 2"):
        envs.reset(options={"chains": ["x"]})
    with pytest.raises(UnknownNameError, match="has no chain"):
        envs.reset(options={"chains": ["x", "y"]})
    with pytest.raises(ConfigError, match="fewer environments"):
        vector(env_id, 25, split="mini", order="sequential")
