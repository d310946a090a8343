"""What infrastructure ends counts nowhere when policies and baselines are played, and evaluation pays what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from lossy_sites import lose_sites

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.figures import figures_of
from riskchain_gym.training.playing import Played, chain_ids, play_agent, play_policy, random_policy
from riskchain_gym.training.rllib.evaluate import evaluation_kwargs
from riskchain_gym.training.rllib.settings import make_settings

BROWSE = "riskchain_gym:RiskChainBrowseSelect-v0"
SMALL = {"backend": "text", "max_steps": 3, "memory_size": 64, "page_size": 32}
CHAINS = [chain.chain_id for chain in load_public("mini")]


def first_row(observations: Mapping[str, Any]) -> Any:
    """Choose the first row that is there."""
    return observations["action_mask"].argmax(axis=-1)


def by_policy() -> Played:
    return play_policy(BROWSE, {"split": "mini", **SMALL}, first_row, width=5)


def by_agent() -> Played:
    return play_agent("rules+explorer", {"split": "mini", "backend": "text", "max_steps": 3})


@pytest.mark.parametrize("play", [by_policy, by_agent])
def test_what_infrastructure_ends_is_named_and_counts_nowhere(
    play: Callable[[], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = play()
    lose_sites(monkeypatch, 3)
    played = play()
    assert len(played.lost) == len(set(played.lost)) == len(CHAINS) // 3
    assert undisturbed.lost == []
    kept = [
        (outcome, paid)
        for outcome, paid in zip(undisturbed.outcomes, undisturbed.returns, strict=True)
        if outcome["chain_id"] not in played.lost
    ]
    # The others are what they are without the loss, and no outcome is there that has no score.
    assert list(zip(played.outcomes, played.returns, strict=True)) == kept
    assert len(kept) == len(CHAINS) - len(played.lost)
    right = sum(outcome["web_correct"] for outcome, _ in kept)
    assert figures_of(played.outcomes, {})["acc_w"].value == right / len(kept)


@pytest.mark.parametrize(
    ("values", "earned"),
    [
        ({"task": "investigator", "env": {**SMALL, "evidence_shaping": 0.5}}, "web_correct"),
        ({"task": "investigator", "env": {**SMALL, "config": 'reward = "none"'}}, "web_correct"),
        (
            {"task": "chain", "env": {**SMALL, "config": 'reward = "delta_gate"\nweb_outcomes = 0.5', "candidates": 2}},
            "end_to_end_correct",
        ),
        ({"task": "restorer", "env": {"reward": "delta_gate", "web_outcomes": 0.5}}, "gate.passed"),
        ({"task": "restorer", "env": {"config": 'reward = "delta_gate"\nweb_outcomes = 0.5'}}, "gate.passed"),
    ],
)
def test_evaluation_pays_the_outcome_whatever_was_trained_with(
    values: dict[str, Any], earned: str, tmp_path: Path
) -> None:
    env = dict(values["env"])
    if "config" in env:
        (tmp_path / "env.toml").write_text(env["config"])
        env["config"] = str(tmp_path / "env.toml")
    settings = make_settings({**values, "env": env})
    kwargs = evaluation_kwargs(settings, "mini")
    played = play_policy(f"riskchain_gym:{settings.env_id}", kwargs, random_policy(0), chains=CHAINS[:12], width=4)
    assert played.returns == [float(each[earned]) for each in played.outcomes]
    assert len(played.returns) == 12


def test_random_choice_needs_options() -> None:
    edit = "riskchain_gym:RiskChainRestoreEdit-v0"
    kwargs = {"split": "messages/dev"}
    with pytest.raises(ConfigError, match="finds no 'action_mask'"):
        play_policy(edit, kwargs, random_policy(0), chains=chain_ids(edit, kwargs, 2))
