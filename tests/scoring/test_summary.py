"""Headline figures: the published expectations by value, and the identities that must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from outcome_rows import A, N, U, V, outcome, outcomes

from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import DimensionResult, JudgeResult, Outcome
from riskchain_gym.scoring.gate_curve import all_variant_accuracy
from riskchain_gym.scoring.summary import Summary, summarize

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


def test_nothing_cannot_be_summarised() -> None:
    with pytest.raises(ValueError, match="no outcome"):
        summarize([])


def test_nothing_but_lost_episodes_has_no_figure_at_all() -> None:
    row = outcome("1", V, A, None, None).model_copy(
        update={"status": EpisodeStatus.INFRA_ERROR, "gate": None, "restoration": None, "web_correct": None}
    )
    row = row.model_copy(update={"end_to_end_correct": None, "gate_loss": None})
    summary: Summary = summarize([row])
    assert all(getattr(summary, name) is None for name in RATES)
    assert (summary.worst_case, summary.best_case) == (0, 1)
