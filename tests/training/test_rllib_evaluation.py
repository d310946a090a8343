"""Evaluation of weights: what is lost counts nowhere, what is paid beside the outcome neither, and draws are seeded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

import torch
from lossy_sites import lose_sites

from riskchain_gym.training.rllib.evaluate import evaluate, greedy_policy, new_module, play_split, sampling_policy
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings
from riskchain_gym.training.rllib.weights import save_weights

pytestmark = pytest.mark.rllib

MINI = 24


def settings(**env: Any) -> TrainSettings:
    small = {"split": "mini", "backend": "text", "max_steps": 3, "memory_size": 64, "page_size": 32}
    values = {"task": "investigator", "hidden": [16], "evaluate": {"mini": "mini"}, "num_envs_per_env_runner": 5}
    return make_settings({**values, "env": {**small, **env}})


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "weights.npz"
    save_weights(new_module(settings()).state_dict(), path)
    return path


def test_lost_chains_are_counted_and_are_in_no_figure(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_sites(monkeypatch, 3)
    found = evaluate(settings(), weights)["splits"]["mini"]
    played = play_split(settings(), "mini", greedy_policy(settings(), weights))
    assert (found["chains"], found["lost"]) == (MINI - MINI // 3, MINI // 3)
    assert found["figures"]["acc_w"]["value"] == np.mean([each["web_correct"] for each in played.outcomes])
    assert found["mean_return"] == found["figures"]["acc_w"]["value"]


def test_where_all_is_lost_there_is_no_figure(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_sites(monkeypatch, 1)
    found = evaluate(settings(), weights)["splits"]["mini"]
    assert found == {"split": "mini", "chains": 0, "lost": MINI}


def test_the_mean_return_is_that_of_the_outcome(weights: Path, tmp_path: Path) -> None:
    config = tmp_path / "env.toml"
    config.write_text("[terms]\nstep_cost = 0.01\n")
    plain = evaluate(settings(), weights)["splits"]["mini"]
    shaped = evaluate(settings(config=str(config), evidence_shaping=0.5), weights)["splits"]["mini"]
    assert shaped == plain
    assert plain["mean_return"] == plain["figures"]["acc_w"]["value"]


def test_draws_follow_from_the_seed_of_the_settings_alone() -> None:
    rows = 7
    draw = np.random.default_rng(0)
    space = new_module(settings()).observation_space
    seen = {
        "context": draw.uniform(-1, 1, (rows, *space["context"].shape)).astype(np.float32),
        "options": draw.uniform(-1, 1, (rows, *space["options"].shape)).astype(np.float32),
        "action_mask": np.ones((rows, *space["action_mask"].shape), np.int8),
    }
    alone = sampling_policy(settings())
    expected = [alone(seen) for _ in range(3)]
    assert not np.array_equal(expected[0], expected[1])
    torch.manual_seed(5)
    before = torch.get_rng_state()
    policy = sampling_policy(settings())
    drawn = []
    for _ in range(3):
        drawn.append(policy(seen))
        sampling_policy(settings())(seen)  # another one, in between
    assert np.array_equal(drawn, expected)
    assert torch.equal(torch.get_rng_state(), before), "nobody else's draws are moved"
    other = sampling_policy(settings().with_values({"seed": 1}), None)
    assert not np.array_equal([other(seen) for _ in range(3)], expected)
