"""Headline figures: the published expectations by value, and the identities that must always hold."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from outcome_rows import A, N, U, V, lost, outcome, outcomes

from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.outcome import DimensionResult, EvidenceResult, JudgeResult, Outcome
from riskchain_gym.scoring.gate_curve import all_variant_accuracy
from riskchain_gym.scoring.intervals import intervals
from riskchain_gym.scoring.summary import Summary, summarize

RATIOS = ("precision", "recall", "f1", "seen", "over_citation")
FLAGS = ("sufficient", "contradiction")
RATES = (
    "entry_top1",
    "message_exact",
    "full",
    "web_accuracy",
    "balanced_accuracy",
    "decision_macro_f1",
    "type_macro_f1",
    "exact_match",
    "end_to_end_accuracy",
    "gated_macro_f1",
    "gated_exact_match",
    "gate_loss",
)


def test_decision_macro_f1_has_three_fixed_labels() -> None:
    """T028: one right violation and nothing else is a third."""
    assert summarize([outcome("1", V, A, V, A)]).decision_macro_f1 == pytest.approx(1 / 3)


def test_type_f1_ignores_what_is_no_gold_violation() -> None:
    """T029 and T065: a false alarm on a benign row costs the decision, not the type."""
    summary = summarize([outcome("1", V, A, V, A), outcome("2", N, ViolationType.NONE, V, A)])
    assert summary.type_macro_f1 == 1.0
    assert summary.decision_macro_f1 == pytest.approx(0.2222222222222222)


def test_a_missing_report_stays_in_the_denominator() -> None:
    summary = summarize([outcome("1", V, A, V, A), outcome("2", V, A, None, None)])
    assert summary.decision_macro_f1 == pytest.approx((2 / 3) / 3)
    assert summary.type_macro_f1 == pytest.approx(2 / 3)
    assert summarize([outcome("1", N, ViolationType.NONE, V, A)]).type_macro_f1 is None


def test_a_constant_answer_has_a_balanced_accuracy_of_a_third() -> None:
    gold = [(V, A)] * 5 + [(N, ViolationType.NONE)] * 2 + [(U, ViolationType.UNKNOWN)]
    summary = summarize([outcome(str(i), decision, kind, V, A) for i, (decision, kind) in enumerate(gold)])
    assert summary.web_accuracy == 5 / 8
    assert summary.balanced_accuracy == pytest.approx(1 / 3)


@given(outcomes())
def test_the_gate_loss_is_the_difference_and_every_rate_is_a_rate(rows: list[Outcome]) -> None:
    summary = summarize(rows)
    if summary.web_accuracy is not None:
        assert summary.end_to_end_accuracy is not None
        assert summary.gate_loss == pytest.approx(summary.web_accuracy - summary.end_to_end_accuracy)
        assert summary.exact_match is not None
        assert summary.exact_match <= summary.web_accuracy
    assert all(rate is None or 0 <= rate <= 1 for rate in (getattr(summary, name) for name in RATES))
    assert summary.worst_case is not None
    assert summary.best_case is not None
    assert summary.best_case - summary.worst_case == pytest.approx(summary.lost / summary.chains)


@given(outcomes())
def test_the_curve_begins_at_the_gate_and_never_falls(rows: list[Outcome]) -> None:
    summary = summarize(rows)
    if not summary.curve:
        assert summary.lost == summary.chains
        return
    first, *others = summary.curve
    assert first.k == 1
    assert first.entry_recall == pytest.approx(summary.entry_top1)
    assert first.end_to_end_accuracy == pytest.approx(summary.end_to_end_accuracy)
    for before, after in zip(summary.curve, others, strict=False):
        assert before.entry_recall <= after.entry_recall
        assert before.lookups <= after.lookups <= after.k
        assert (before.end_to_end_accuracy or 0) <= (after.end_to_end_accuracy or 0) <= (summary.web_accuracy or 0)


def test_looking_up_the_second_candidate_costs_a_second_look_up() -> None:
    rows = [
        outcome("1", V, A, V, A, rank=1),
        outcome("2", V, A, V, A, rank=2),
        outcome("3", V, A, V, A, rank=None, candidates=4),
        outcome("4", V, A, None, None, rank=2),
    ]
    curve = summarize(rows).curve
    assert [(p.k, p.entry_recall, p.end_to_end_accuracy, p.lookups) for p in curve] == [
        (1, 0.25, 0.25, 1.0),
        (2, 0.75, 0.5, 1.75),
        (3, 0.75, 0.5, 2.0),
        (5, 0.75, 0.5, 2.25),
    ]


def test_the_gate_of_all_variants_needs_every_one() -> None:
    gates = {"a": [True, True], "b": [True, False], "c": [True, True]}
    assert all_variant_accuracy({"a": 1, "b": 1, "c": 0}, gates) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="'c'"):
        all_variant_accuracy({"a": 1, "b": 1}, gates)
    with pytest.raises(ValueError, match="'c'"):
        all_variant_accuracy({"a": 1, "b": 1, "c": 1}, {**gates, "c": []})


def test_chains_on_which_the_policies_differ_are_named() -> None:
    rows = [outcome("b", V, A, V, A), outcome("a", V, A, V, A, strict=False), outcome("c", V, A, V, A, handoff=False)]
    summary = summarize(rows)
    assert summary.policies_differ == ("a", "c")
    assert (summary.entry_top1, summary.entry_top1_strict, summary.entry_top1_handoff) == (1, 2 / 3, 2 / 3)


def judged_as(score: float | None, settled: int, points: int, judge: str = "rules/1") -> JudgeResult:
    status = "abstained" if score is None else "scored"
    result = DimensionResult(score=score, points=points, settled=settled)
    return JudgeResult(status=status, judge=judge, faithfulness=result)


def test_the_judge_is_reported_with_its_coverage_and_only_over_what_it_judged() -> None:
    rows = [outcome(str(i), V, A, V, A) for i in range(3)]
    judged = [judged_as(1.0, 2, 2), judged_as(0.5, 2, 3), JudgeResult()]
    rows = [row.model_copy(update={"judge": result}) for row, result in zip(rows, judged, strict=True)]
    said = summarize(rows).judge
    assert said is not None
    assert (said.reports, said.scored) == (2, 2)
    assert (said.faithfulness.score, said.faithfulness.coverage, said.faithfulness.interpretable) == (0.75, 0.8, True)
    assert (said.consistency.score, said.consistency.coverage, said.consistency.interpretable) == (None, None, False)
    short = [rows[0].model_copy(update={"judge": judged_as(1.0, 3, 4)})]
    assert not summarize(short).judge.faithfulness.interpretable  # type: ignore[union-attr]
    assert summarize(rows[2:]).judge is None
    mixed = [*rows[:2], rows[2].model_copy(update={"judge": judged_as(1.0, 1, 1, "llm/x")})]
    with pytest.raises(ValueError, match="llm/x, rules/1"):
        summarize(mixed)


def test_the_order_of_the_outcomes_changes_not_even_the_last_digit() -> None:
    rng = random.Random(1)
    rows = [
        outcome(f"{i:02}", V, A, V, A).model_copy(
            update={"evidence": EvidenceResult(**{**dict.fromkeys(RATIOS, rng.random()), **dict.fromkeys(FLAGS, True)})}
        )
        for i in range(97)
    ]
    everyone = {row.chain_id: row.chain_id for row in rows}
    found, ends = summarize(rows), intervals(rows, "website", everyone, replicates=20)
    for _ in range(5):
        rng.shuffle(rows)
        assert summarize(rows) == found
        assert intervals(rows, "website", everyone, replicates=20) == ends


def test_nothing_cannot_be_summarised() -> None:
    with pytest.raises(ValueError, match="no outcome"):
        summarize([])


def without(row: Outcome, *fields: str) -> Outcome:
    return row.model_copy(update=dict.fromkeys((*fields, "end_to_end_correct", "gate_loss")))


def test_restorations_alone_have_a_gate_and_a_recall_but_no_end_to_end_figure() -> None:
    """An a^e of 0 where no site was scored would be invented, and so would its bounds be."""
    rows = [outcome(str(i), V, A, V, A, rank=rank) for i, rank in enumerate((1, 2, None, 1))]
    restored = [without(row, "label", "web_correct") for row in rows]
    summary = summarize([*restored[:3], without(lost(rows[3]), "label")])
    assert (summary.entry_top1, summary.entry_top1_strict, summary.full) == (0.25, 0.25, 0.25)
    assert [(point.k, point.entry_recall, point.end_to_end_accuracy) for point in summary.curve] == [
        (1, 0.25, None), (2, 0.5, None), (3, 0.5, None), (5, 0.5, None),
    ]  # fmt: skip
    assert summary.end_to_end_accuracy is summary.worst_case is summary.best_case is None


def test_investigations_alone_have_no_bounds_of_an_end_to_end_figure() -> None:
    rows = [without(outcome(str(i), V, A, V, A), "gate", "restoration") for i in range(4)]
    summary = summarize([*rows[:3], lost(rows[3])])
    assert (summary.web_accuracy, summary.lost) == (0.75, 1)
    assert summary.end_to_end_accuracy is summary.worst_case is summary.best_case is None


def test_nothing_but_lost_episodes_has_no_figure_at_all() -> None:
    summary: Summary = summarize([lost(outcome("1", V, A, None, None))])
    assert all(getattr(summary, name) is None for name in RATES)
    assert (summary.worst_case, summary.best_case) == (0, 1)
