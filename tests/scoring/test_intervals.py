"""Intervals: the same draws as the published scorer, clusters kept together, differences paired."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcome_rows import A, V, lost, outcome, outcomes

from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.intervals import differences, intervals
from riskchain_gym.scoring.summary import summarize

FIGURES = ("web_accuracy", "end_to_end_accuracy", "gate_loss", "decision_macro_f1", "exact_match", "entry_top1", "cer")


def drawn(rows: list[Outcome], cluster_of: dict[str, str], seed: int, replicates: int) -> list[list[Outcome]]:
    """Return the samples as a plain loop draws them: every case of a drawn cluster, once a draw, under a new name."""
    rng, names = random.Random(seed), sorted(set(cluster_of.values()))
    samples: list[list[Outcome]] = []
    for _ in range(replicates):
        chosen = [names[rng.randrange(len(names))] for _ in names]
        cases = [row for name in chosen for row in rows if cluster_of[row.chain_id] == name]
        samples.append([row.model_copy(update={"chain_id": str(i)}) for i, row in enumerate(cases)])
    return samples


@settings(max_examples=40, deadline=None, derandomize=True)
@given(outcomes(least=3), st.integers(1, 4), st.integers(0, 2**40))
def test_the_ends_are_those_of_a_plain_loop(rows: list[Outcome], of_each: int, seed: int) -> None:
    cluster_of = {row.chain_id: f"k{i // of_each}" for i, row in enumerate(rows)}
    found = intervals(rows, "website", cluster_of, seed=seed, replicates=30)
    samples = [summarize(sample) for sample in drawn(rows, cluster_of, seed, 30)]
    assert found.clusters == len(set(cluster_of.values()))
    if found.clusters == 1:
        assert found.ends == {}
        return
    if any(sample.lost == sample.chains for sample in samples):
        return
    for name in FIGURES:
        values = [getattr(sample, name) for sample in samples]
        known = sorted(value for value in values if value is not None)
        if len(known) == len(values):
            ends = known[round(29 * 0.025)], known[round(29 * 0.975)]
            assert found.ends[name] == pytest.approx(ends, abs=1e-12), name


def test_cases_of_one_cluster_stay_together_and_widen_the_interval() -> None:
    rows = [outcome(f"{i:02}", V, A, V if i < 20 else None, A if i < 20 else None) for i in range(40)]
    apart = intervals(rows, "website", {row.chain_id: row.chain_id for row in rows})
    halves = intervals(rows, "skeleton", {row.chain_id: str(int(row.chain_id) // 20) for row in rows})
    low, high = apart.ends["web_accuracy"]
    assert 0.3 < low < 0.5 < high < 0.7
    assert halves.ends["web_accuracy"] == (0.0, 1.0)
    assert (apart.unit, apart.clusters, halves.unit, halves.clusters) == ("website", 40, "skeleton", 2)


def test_one_unit_alone_says_nothing_of_the_spread() -> None:
    """Every sample of it is the set itself: an interval without width would claim certainty."""
    first = [outcome(str(i), V, A, V if i else None, A if i else None) for i in range(4)]
    second = [outcome(str(i), V, A, V, A) for i in range(4)]
    one_unit = dict.fromkeys("0123", "the only one")
    assert intervals(first, "operator", one_unit).ends == {}
    found = differences(first, second, one_unit)["web_accuracy"]
    assert (found.difference, found.low, found.high) == (-0.25, None, None)


def test_one_seed_gives_one_interval_in_any_order() -> None:
    rows = [outcome(f"{i:02}", V, A, V if i % 3 else None, A if i % 3 else None) for i in range(30)]
    cluster_of = {row.chain_id: row.chain_id for row in rows}
    assert intervals(rows, "website", cluster_of) == intervals(rows[::-1], "website", cluster_of)
    assert intervals(rows, "website", cluster_of) != intervals(rows, "website", cluster_of, seed=1)


def test_agents_are_compared_in_the_same_samples() -> None:
    """Two agents that err on the same chains, one of them on one more: paired, the difference is sharp."""
    first = [outcome(f"{i:02}", V, A, V if i % 2 else None, A if i % 2 else None) for i in range(60)]
    second = [row if row.chain_id != "01" else outcome("01", V, A, None, None) for row in first]
    found = differences(first, second[::-1], {row.chain_id: row.chain_id for row in first})["web_accuracy"]
    assert found.difference == pytest.approx(1 / 60)
    assert (found.first, found.second) == (0.5, pytest.approx(29 / 60))
    assert found.low == 0.0
    assert found.high is not None
    assert found.high < 0.08


def test_what_cannot_be_compared_is_refused() -> None:
    rows = [outcome(str(i), V, A, V, A) for i in range(3)]
    everyone = {row.chain_id: row.chain_id for row in rows}
    with pytest.raises(ValueError, match="'2' is not in both"):
        differences(rows, rows[:2], everyone)
    with pytest.raises(ValueError, match="'0' has no cluster"):
        intervals(rows, "website", {})


def test_a_figure_that_too_many_samples_lack_gets_no_interval() -> None:
    rows = [outcome("0", V, A, V, A), lost(outcome("1", V, A, V, A))]
    found = intervals(rows, "website", {"0": "0", "1": "1"})
    assert "web_accuracy" in found.ends
    assert "lookups_at_1" not in found.ends
