"""The restorer's training: cloned starts, what PPO adds to them by the gate, and the module that edits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

import torch
from ray.rllib.core.columns import Columns

from riskchain_gym.envs.wrappers.editing import DROP
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.rllib.cloning import CloneSettings, Pairs, clone, measured
from riskchain_gym.training.rllib.evaluate import greedy_policy, new_module
from riskchain_gym.training.rllib.ray_session import ray_session
from riskchain_gym.training.rllib.restorer import CLONED, cloned_start, demonstrated, restorer_values
from riskchain_gym.training.rllib.run import train
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings
from riskchain_gym.training.rllib.usual import usual_values

pytestmark = pytest.mark.rllib

SESSIONS = 128


@pytest.fixture(scope="module")
def _ray() -> Any:
    """One Ray for all runs of this file: starting it takes seconds."""
    with ray_session(settings("select")):
        yield


def settings(interface: str, **values: Any) -> TrainSettings:
    usual = {**usual_values("restorer", {}), **restorer_values(interface)}
    env = {"split": "messages/train", "pool": SESSIONS}
    return make_settings({**usual, "env": env, "batch": 512, "num_envs_per_env_runner": 16, **values})


@pytest.fixture(scope="module")
def choices() -> Pairs:
    return demonstrated(settings("select"), "select", SESSIONS)


@pytest.fixture(scope="module")
def edits() -> Pairs:
    return demonstrated(settings("edit"), "edit", SESSIONS)


def test_a_clone_does_as_the_teacher_on_what_it_has_not_learned(choices: Pairs) -> None:
    taught = Pairs(choices.observations, choices.observations["action_mask"].sum(axis=1) - 1)
    module = new_module(settings("select"))
    held_out = taught.rows(np.arange(96, SESSIONS))
    assert measured(module, held_out)[1] < 0.5
    cloned = clone(module, taught.rows(np.arange(96)), CloneSettings(minibatch=32, held_out=0.2))
    assert measured(module, held_out)[1] > 0.8
    assert cloned.agreement > cloned.before
    assert (cloned.pairs, cloned.held_out) == (77, 19)


def test_a_clone_follows_from_its_seed_and_keeps_its_doubt(choices: Pairs) -> None:
    def entropy(how: CloneSettings) -> tuple[float, Any]:
        module = new_module(settings("select"))
        clone(module, choices, how)
        logits = module.logits({name: torch.from_numpy(seen) for name, seen in choices.observations.items()})
        return float(torch.distributions.Categorical(logits=logits).entropy().mean().detach()), logits

    how = CloneSettings(minibatch=16, epochs=8)
    sure, first = entropy(how)
    assert torch.equal(first, entropy(how)[1])
    assert not torch.equal(first, entropy(how.model_copy(update={"seed": 1}))[1])
    assert entropy(how.model_copy(update={"entropy": 0.5}))[0] > sure + 0.1


def test_too_few_pairs_are_a_sentence(choices: Pairs) -> None:
    with pytest.raises(ConfigError, match="too few to hold 10% of them out"):
        clone(new_module(settings("select")), choices.rows(np.arange(2)), CloneSettings())


@pytest.mark.usefixtures("_ray")
def test_learning_by_the_gate_leaves_the_rules_behind(choices: Pairs, tmp_path: Path) -> None:
    run, cloned = cloned_start(settings("select", steps=3072), "select", choices, tmp_path)
    assert cloned.agreement > 0.5
    assert json.loads((tmp_path / CLONED).read_text())["agreement"] == cloned.agreement
    rates = [row["gate_rate"] for row in train(run, tmp_path).rows]
    assert rates[-1] > rates[0] + 0.1


@pytest.fixture(scope="module")
def editor() -> Any:
    return new_module(settings("edit", hidden=[32]))


def test_nothing_is_done_behind_the_last_character(editor: Any, edits: Pairs) -> None:
    seen = {name: torch.from_numpy(value[:8]) for name, value in edits.observations.items()}
    logits = editor.forward_train({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
    policy = editor.get_train_action_dist_cls().from_logits(logits)
    behind = torch.arange(logits.shape[1]) >= seen["length"]
    assert behind.any()
    assert (policy.sample()[behind] == DROP).all()
    assert (policy.to_deterministic().sample()[behind] == DROP).all()
    inside = torch.distributions.Categorical(logits=logits).entropy().masked_fill(behind, 0.0).sum(dim=1)
    torch.testing.assert_close(policy.entropy(), inside)
    # Whatever ids stand behind the last character, they change nothing.
    other = {
        name: value.masked_fill(behind, 1) if value.shape == behind.shape else value for name, value in seen.items()
    }
    torch.testing.assert_close(editor.logits(other), logits)
    torch.testing.assert_close(editor.compute_values({Columns.OBS: other}), editor.compute_values({Columns.OBS: seen}))


@pytest.mark.usefixtures("_ray")
def test_edits_are_cloned_from_traces_and_learned_by_the_gate(edits: Pairs, tmp_path: Path) -> None:
    run, cloned = cloned_start(settings("edit", hidden=[32], steps=256, batch=256, epochs=1), "edit", edits, tmp_path)
    untrained = measured(new_module(run), edits)[0]
    assert cloned.loss < 0.5 * untrained
    result = train(run, tmp_path)
    assert result.progress.env_steps >= 256
    policy = greedy_policy(run, result.weights)
    edited = policy(edits.observations)
    assert edited.shape == edits.actions.shape
    assert not np.array_equal(edited, greedy_policy(run)(edits.observations))
    assert np.array_equal(edited, greedy_policy(run, result.weights)(edits.observations))


@pytest.mark.usefixtures("_ray")
def test_a_run_that_goes_on_ends_as_one_that_was_not_broken_off(edits: Pairs, tmp_path: Path) -> None:
    small = settings("edit", hidden=[16], batch=64, minibatch=64, steps=128, epochs=1, checkpoint_every=1)
    begun, _ = cloned_start(small, "edit", edits.rows(np.arange(32)), tmp_path)
    undisturbed = train(begun, tmp_path / "whole")
    train(begun.with_values({"steps": 64}), tmp_path / "broken")
    again = train(begun, tmp_path / "broken", resume=True)
    assert (again.folder / "curves.jsonl").read_bytes() == (undisturbed.folder / "curves.jsonl").read_bytes()
    with np.load(undisturbed.weights) as first, np.load(again.weights) as second:
        assert all(np.array_equal(first[name], second[name]) for name in first.files)
