"""What learns when: the value alone before the policy, and in cloning what a pair's weight says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

import torch
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.rllib.algorithm import algorithm_config
from riskchain_gym.training.rllib.cloning import CloneSettings, Pairs, clone
from riskchain_gym.training.rllib.evaluate import new_module
from riskchain_gym.training.rllib.ray_session import ray_session
from riskchain_gym.training.rllib.restorer import EDIT_MODULE
from riskchain_gym.training.rllib.run import train
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings
from riskchain_gym.training.rllib.weights import read_weights, save_weights

pytestmark = pytest.mark.rllib

TINY = {"epochs": 2, "hidden": [16], "lr": 1e-2, "entropy": 0.1}
SELECTING = {
    "task": "chain",
    "env_id": "option_toys:MarkedRow-v0",
    "num_envs_per_env_runner": 4,
    "batch": 128,
    "minibatch": 64,
    "steps": 128,
}
EDITING = {
    "task": "restorer",
    "env_id": "RiskChainRestoreEdit-v0",
    "env": {"split": "messages/train", "pool": 16},
    "module": EDIT_MODULE,
    "batch": 32,
    "minibatch": 32,
    "steps": 32,
}


class Plain(TorchRLModule):  # type: ignore[misc]
    """A module that knows nothing of learning its value alone."""


@pytest.fixture(scope="module")
def _ray() -> Any:
    """One Ray for all runs of this file: starting it takes seconds."""
    with ray_session(make_settings({**SELECTING, **TINY})):
        yield


def moved(settings: TrainSettings, folder: Path) -> set[str]:
    """Return the names of the weights that a run has changed."""
    folder.mkdir()
    begun = folder / "begun.npz"
    save_weights(new_module(settings).state_dict(), begun)
    before = read_weights(begun)
    after = read_weights(train(settings.with_values({"initial": str(begun)}), folder / "run").weights)
    return {name for name in before if not np.array_equal(before[name], after[name])}


@pytest.mark.usefixtures("_ray")
@pytest.mark.parametrize(("values", "of_value"), [(SELECTING, ("critic", "worth")), (EDITING, ("worth",))])
def test_the_value_learns_first_and_the_policy_stays(
    values: dict[str, Any], of_value: tuple[str, ...], tmp_path: Path
) -> None:
    def is_of_value(name: str) -> bool:
        return name.split(".")[0] in of_value

    first = moved(make_settings({**values, **TINY, "critic_first": 1}), tmp_path / "first")
    assert first
    assert all(map(is_of_value, first)), "only the value is learned"
    at_once = moved(make_settings({**values, **TINY}), tmp_path / "at_once")
    assert not all(map(is_of_value, at_once)), "the same run moves the policy too, where it may"


def test_a_module_whose_policy_cannot_wait_is_refused() -> None:
    named = {**SELECTING, "module": f"{__name__}:Plain"}
    with pytest.raises(ConfigError, match=r"'critic_first' needs a module .*:Plain cannot, got 2: set it to 0"):
        algorithm_config(make_settings({**named, "critic_first": 2}))
    algorithm_config(make_settings(named))


def test_a_pair_that_counts_more_is_followed_more() -> None:
    settings = make_settings({**SELECTING, **TINY})
    module = new_module(settings)
    seen: dict[str, np.ndarray[Any, Any]] = {
        "context": np.zeros((80, 2), np.float32),
        "options": np.tile(np.eye(6, 3, dtype=np.float32), (80, 1, 1)),
        "action_mask": np.tile(np.array([1, 1, 0, 0, 0, 0], np.int8), (80, 1)),
    }
    actions = np.arange(80) % 2
    weights = np.where(actions == 1, 3.0, 1.0).astype(np.float32)
    how = CloneSettings(lr=0.05, minibatch=16, epochs=15, patience=15)
    cloned = clone(module, Pairs(seen, actions, weights=weights), how)
    logits = module.logits({name: torch.from_numpy(value[:1]) for name, value in seen.items()})
    assert torch.softmax(logits, dim=-1)[0, 1].item() == pytest.approx(0.75, abs=0.08)
    # The held-out loss is the mean by the weights, the share that is the same counts every pair once.
    assert cloned.held_out == 8
    assert cloned.loss == pytest.approx(0.562, abs=0.15)
    assert (cloned.agreement * 8).is_integer()
