"""Episodes played with browsergym-core's calls, without a browser; and the space of its observations."""

from __future__ import annotations

import json
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import commit_text, entry_of, report_text
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import batch_space, create_empty_array, create_shared_memory

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.browsergym_space import KEYS, BrowsergymObservation
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.validator import validate


def make(split: str, **kwargs: Any) -> Any:
    made: dict[str, Any] = {"split": split, "backend": "text", "actions": "browsergym", **kwargs}
    return gym.make("riskchain_gym:RiskChain-v0", **made)


def test_a_chain_is_played_with_calls_on_element_ids(split: str) -> None:
    env = make(split)
    env.reset(options={"chain": "chaina"})
    env.step(commit_text(entry_of(0)))
    obs, _, _, _, info = env.step("click('e2')")
    assert info["action_result"] == "executed"
    assert json.loads(obs["elements"])["path"] == "/offer"
    obs, _, _, _, info = env.step('{"action":"scroll_down"}')
    assert info["action_result"] == "invalid"
    assert "send one call" in obs["feedback"]
    obs, _, _, _, info = env.step("click('e999')")
    assert "Elements here:" in obs["feedback"]
    obs, _, _, _, info = env.step("noop()")
    assert info["action_result"] == "no_state_change"
    assert info["strikes"] == 0
    obs, *_ = env.step("go_back()")
    assert json.loads(obs["elements"])["path"] == "/"
    obs, *_ = env.step("send_msg_to_user('done')")
    assert int(obs["phase"]) == 2
    *_, terminated, _, info = env.step(report_text(Decision.VIOLATION, "示例站0"))
    assert terminated
    assert info["outcome"]["validator.valid"]
    trajectory = env.unwrapped.trajectory
    calls = [BrowserAction.model_validate_json(s.action).reason for s in trajectory.steps if s.browse_step]
    assert calls == ["click('e2')", "noop()", "go_back()"]
    assert [s.action for s in trajectory.steps if s.phase is Phase.BROWSE][1] == '{"action":"scroll_down"}'
    assert not validate(trajectory).problems


def test_sampled_calls_are_always_valid(split: str) -> None:
    env = make(split, max_steps=12)
    env.action_space.seed(7)
    for episode in range(4):
        env.reset(seed=episode)
        ended = False
        while not ended:
            *_, ended, _, info = env.step(env.unwrapped.sample_action())
            assert info["action_result"] != "invalid"


def test_the_schema_of_calls_is_text(split: str) -> None:
    schema = make(split).unwrapped.action_schema()
    assert schema["browse"]["type"] == "string"
    assert "select_option(bid, options)" in schema["browse"]["description"]
    assert schema["report"]["properties"]["decision"]


@pytest.mark.parametrize("backend", ["text", "fake"])
def test_without_a_browser_there_is_no_browsergym(split: str, backend: str) -> None:
    with pytest.raises(ConfigError, match=r"has no 'browsergym'.*use backend='chromium'"):
        make(split, backend=backend, observe=["browsergym"])


def test_settings_are_keywords_and_survive_json(split: str) -> None:
    with pytest.raises(ConfigError, match="'json' or 'browsergym', got 'python'"):
        make(split, actions="python")
    spec = make(split).spec
    assert spec is not None
    assert EnvSpec.from_json(spec.to_json()) == spec
    assert gym.make(EnvSpec.from_json(spec.to_json())).unwrapped.config.actions == "browsergym"  # type: ignore[attr-defined]


def test_the_space_holds_its_samples_and_nothing_with_other_keys() -> None:
    space = BrowsergymObservation(64, 48, seed=3)
    value = space.sample()
    assert value in space
    assert value.keys() == KEYS
    assert value["screenshot"].shape == (48, 64, 3)
    assert {**value, "more": 1} not in space
    assert {name: part for name, part in value.items() if name != "url"} not in space
    assert {**value, "url": None} not in space
    assert {**value, "screenshot": np.zeros((64, 48, 3), np.uint8)} not in space
    assert value not in BrowsergymObservation(48, 64)
    space.seed(3)
    assert space.sample()["goal"] == value["goal"]


def test_the_space_is_like_any_other() -> None:
    space = BrowsergymObservation(8, 6)
    assert space == BrowsergymObservation(8, 6, seed=5)
    assert space != BrowsergymObservation(6, 8)
    assert pickle.loads(pickle.dumps(space)) == space
    assert repr(space) == "BrowsergymObservation(8, 6)"
    samples = [space.sample(), space.sample()]
    [first, _] = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(samples))))
    assert first in space
    assert np.array_equal(first["screenshot"], samples[0]["screenshot"])
    with pytest.raises(ConfigError, match="without one"):
        space.sample(mask=np.ones(3))


def test_the_space_batches_as_a_tuple_and_refuses_shared_memory() -> None:
    space = gym.spaces.Dict({"browsergym": BrowsergymObservation(8, 6)})
    batched = batch_space(space, 2)
    assert isinstance(batched["browsergym"], gym.spaces.Tuple)
    assert create_empty_array(space, 2) is not None
    with pytest.raises(ConfigError, match="shared_memory=False"):
        create_shared_memory(space, 2)
