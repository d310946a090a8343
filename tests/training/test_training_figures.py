"""Playing splits once, and figures of what came of it."""

from __future__ import annotations

import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.training.figures import figures_between, figures_of
from riskchain_gym.training.playing import play_agent, play_policy, random_policy

BROWSE = "riskchain_gym:RiskChainBrowseSelect-v0"
MINI = {"split": "mini", "backend": "text", "max_steps": 4, "memory_size": 64, "page_size": 32}


def outcome(chain: int, right: bool, gate: bool, decision: str = "VIOLATION") -> dict[str, object]:
    return {
        "chain_id": f"c{chain}",
        "status": "reported",
        "web_correct": int(right),
        "end_to_end_correct": int(right and gate),
        "gate_loss": int(right and not gate),
        "gate.passed": gate,
        "label.gold_decision": "VIOLATION",
        "label.gold_type": "GAMBLING",
        "label.predicted_decision": decision,
        "label.predicted_type": "GAMBLING",
    }


def test_figures_are_means_with_intervals_around_them() -> None:
    outcomes = [outcome(i, right=i % 2 == 0, gate=i % 4 == 0) for i in range(40)]
    figures = figures_of(outcomes, {})
    assert figures["acc_w"].value == 0.5
    assert figures["acc_e"].value == 0.25
    assert figures["acc_w"].value - figures["acc_e"].value == figures["delta_gate"].value
    assert figures["gate_rate"].low < 0.25 < figures["gate_rate"].high
    of_one_site = figures_of(outcomes, {f"c{i}": "site" for i in range(40)})
    assert of_one_site["acc_w"].low == of_one_site["acc_w"].high == 0.5


def test_a_difference_is_taken_on_the_chains_that_both_have_played() -> None:
    first = [outcome(i, right=True, gate=True) for i in range(20)]
    second = [outcome(i, right=i % 2 == 0, gate=True) for i in range(20, -1, -1)]
    gap = figures_between(first, second, {})["acc_w"]
    assert gap.value == pytest.approx(0.5)
    assert gap.low > 0


def test_figures_that_an_outcome_lacks_are_left_out() -> None:
    assert set(figures_of([{"chain_id": "m", "gate.passed": True}, {"chain_id": "n", "gate.passed": False}], {})) == {
        "gate_rate"
    }


def test_every_chain_of_a_split_is_played_once_in_its_order() -> None:
    played = play_policy(BROWSE, MINI, random_policy(0), width=5)
    assert [each["chain_id"] for each in played.outcomes] == [chain.chain_id for chain in load_public("mini")]
    assert played.lost == []
    # The reward of this environment is a^w: two ways to the same number.
    assert played.returns == [float(each["web_correct"]) for each in played.outcomes]
    again = play_policy(BROWSE, MINI, random_policy(0), width=5)
    assert again == played


def test_a_baseline_plays_the_same_chains() -> None:
    chains = [chain.chain_id for chain in load_public("mini")][:6]
    played = play_agent("landing_only", {"split": "mini", "backend": "text"}, chains=chains)
    assert [each["chain_id"] for each in played.outcomes] == chains
    assert played.returns == [float(each["web_correct"]) for each in played.outcomes]
