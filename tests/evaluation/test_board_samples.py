"""Samples of a board: those of the scores, shared by all rows, and what is said of many pairs at once."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.leaderboard.samples import Sampled, Sampler, compare_all, rank_ends
from riskchain_gym.evaluation.score import clusters, load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import LabelResult, Outcome, ValidatorResult
from riskchain_gym.scoring.intervals import differences, intervals

FIGURE = "end_to_end_accuracy"


@pytest.fixture
def sampler() -> Sampler:
    return Sampler(clusters(load_gold("mini"))["website"])


def _always(answer: Decision) -> list[Outcome]:
    """The outcomes of a constant answer on every chain of mini."""
    outcomes = []
    for chain, gold in sorted(load_gold("mini").items()):
        decision, kind = gold.site.decision, gold.site.violation_type
        predicted = kind if answer is Decision.VIOLATION else PSEUDO_TYPES[answer]
        label = LabelResult(gold_decision=decision, gold_type=kind, predicted_decision=answer, predicted_type=predicted)
        outcomes.append(
            Outcome(
                chain_id=chain,
                status=EpisodeStatus.REPORTED,
                web_correct=int(label.decision_correct),
                label=label,
                validator=ValidatorResult(valid=True),
            )
        )
    return outcomes


def test_intervals_are_those_of_the_scores(sampler: Sampler) -> None:
    outcomes = _always(Decision.VIOLATION)
    expected = intervals(outcomes, "website", clusters(load_gold("mini"))["website"]).ends
    found = {
        name: (figure.low, figure.high)
        for name, figure in sampler.sample([outcomes]).figures().items()
        if figure.low is not None
    }
    assert found == expected
    assert len(set(expected.values())) > 3


def test_differences_are_those_of_compare(sampler: Sampler) -> None:
    first, second = _always(Decision.VIOLATION), _always(Decision.NON_VIOLATION)
    expected = differences(first, second, clusters(load_gold("mini"))["website"])
    (pair,), _ = compare_all({"one": sampler.sample([first]), "other": sampler.sample([second])})
    assert "decision_macro_f1" in pair.gaps
    for name, gap in pair.gaps.items():
        wanted = expected[name]
        assert (gap.difference, gap.low, gap.high) == (wanted.difference, wanted.low, wanted.high)


def test_repeats_are_averaged_in_every_sample(frozen: dict[str, RunFolder], sampler: Sampler) -> None:
    one, other = (load_scores(frozen[name]).outcomes for name in ("oracle", "noop"))
    both, first, second = (sampler.sample(repeats) for repeats in ([one, other], [one], [other]))
    assert np.allclose(both.samples[FIGURE], (first.samples[FIGURE] + second.samples[FIGURE]) / 2)
    with pytest.raises(ValueError, match="same chains"):
        sampler.sample([one, other[:2]])


def _rows(values: dict[str, np.ndarray]) -> dict[str, Sampled]:
    return {
        name: Sampled(("c",), 50, {FIGURE: float(each.mean())}, MappingProxyType({FIGURE: each}))  # type: ignore[arg-type]
        for name, each in values.items()
    }


def test_one_pair_alone_is_as_wide_alone_as_together() -> None:
    chance = np.random.default_rng(0)
    _, critical = compare_all(_rows({"a": chance.normal(0.5, 0.02, 2000), "b": chance.normal(0.4, 0.02, 2000)}))
    assert critical[FIGURE] == pytest.approx(1.96, abs=0.1)


def test_many_equal_agents_are_rarely_apart_together_and_often_apart_alone() -> None:
    chance = np.random.default_rng(1)
    alone = together = 0
    for _ in range(60):
        centres = chance.normal(0, 0.02, 8)
        rows = _rows({f"a{i}": 0.5 + centre + chance.normal(0, 0.02, 2000) for i, centre in enumerate(centres)})
        pairs, _ = compare_all(rows)
        alone += any(pair.gaps[FIGURE].apart for pair in pairs)
        together += any(pair.gaps[FIGURE].apart_together for pair in pairs)
    assert alone > 15
    assert together <= 9


def test_a_difference_that_no_sample_changes_is_apart_and_none_is_not() -> None:
    chance = np.random.default_rng(2)
    rows = _rows({"a": np.ones(2000), "b": np.zeros(2000), "c": np.zeros(2000), "d": chance.normal(0.5, 0.1, 2000)})
    gaps = {(pair.first, pair.second): pair.gaps[FIGURE] for pair in compare_all(rows)[0]}
    assert gaps["a", "b"].apart_together
    assert not gaps["b", "c"].apart
    assert not gaps["b", "c"].apart_together


def test_ranks_have_ends() -> None:
    chance = np.random.default_rng(3)
    found = rank_ends(
        _rows({"best": np.ones(2000), "x": chance.normal(0.5, 0.1, 2000), "y": chance.normal(0.5, 0.1, 2000)}), FIGURE
    )
    assert found == {"best": (1, 1), "x": (2, 3), "y": (2, 3)}


def test_rows_on_other_chains_are_not_compared() -> None:
    rows = _rows({"a": np.ones(10), "b": np.zeros(10)})
    rows["c"] = Sampled(("other",), 50, rows["a"].points, rows["a"].samples)
    assert [(pair.first, pair.second) for pair in compare_all(rows)[0]] == [("a", "b")]
