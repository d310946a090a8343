"""Playing splits once, and figures of what came of it."""

from __future__ import annotations

import numpy as np
import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.training.figures import Figure, figures_between, figures_between_runs, figures_of, figures_of_runs
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


def width(figure: Figure) -> float:
    assert figure.low is not None
    assert figure.high is not None
    return figure.high - figure.low


def test_policies_that_do_the_same_do_not_differ_in_any_sample() -> None:
    said = ("VIOLATION", "NON_VIOLATION")
    policy = [outcome(i, right=i % 3 == 0, gate=i % 2 == 0, decision=said[i % 2]) for i in range(30)]
    for cluster_of in ({}, {f"c{i}": f"site{i // 3}" for i in range(30)}):
        gaps = figures_between(policy, policy[::-1], cluster_of)
        assert set(gaps) > {"acc_w", "acc_e", "decision_macro_f1"}
        assert all((gap.value, gap.low, gap.high) == (0.0, 0.0, 0.0) for gap in gaps.values())


def test_policies_that_are_right_on_the_same_chains_are_told_apart_more_narrowly() -> None:
    draws = np.random.default_rng(0)
    easy, lucky = draws.random(80) < 0.5, draws.random(80) < 0.1
    first = [outcome(i, right=bool(easy[i] | lucky[i]), gate=True) for i in range(80)]
    second = [outcome(i, right=bool(easy[i]), gate=True) for i in range(80)]
    one, other = (width(figures_of(each, {})["acc_w"]) for each in (first, second))
    assert width(figures_between(first, second, {})["acc_w"]) < 0.6 * np.hypot(one, other)


def test_an_interval_over_seeds_draws_the_seeds_too() -> None:
    right, wrong = ([outcome(i, right=is_right, gate=True) for i in range(40)] for is_right in (True, False))
    mean = figures_of_runs([right, right, wrong], {})["acc_w"]
    # Whatever chains are drawn, the mean of these three is 2/3; of three seeds drawn, all are the wrong one in 1 of 27.
    assert mean.value == pytest.approx(2 / 3)
    assert (mean.low, mean.high) == (0.0, 1.0)
    mixed = [outcome(i, right=i % 2 == 0, gate=True) for i in range(40)]
    agreed, single = figures_of_runs([mixed] * 3, {})["acc_w"], figures_of(mixed, {})["acc_w"]
    assert (agreed.low, agreed.high) == pytest.approx((single.low, single.high))


def test_a_difference_over_seeds_is_taken_seed_by_seed() -> None:
    right, wrong = ([outcome(i, right=is_right, gate=True) for i in range(20)] for is_right in (True, False))
    assert width(figures_between_runs([right, wrong], [right, wrong], {})["acc_w"]) == 0
    assert width(figures_between_runs([right, wrong], [wrong, right], {})["acc_w"]) == 2
    # Only chains that every run has played count.
    assert figures_between_runs([right, right[:1]], [wrong, wrong[1:] + right[:1]], {})["acc_w"].value == 0.5
    with pytest.raises(ValueError, match="got 2 and 1 of them"):
        figures_between_runs([right, wrong], [right], {})


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
