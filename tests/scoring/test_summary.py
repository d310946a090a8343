"""Headline figures: the published expectations by value, and the identities that must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import GateResult, LabelResult, Outcome, ValidatorResult
from riskchain_gym.scoring.summary import decision_macro_f1, summarize, type_macro_f1

A, B = CONCRETE_TYPES[:2]
V, N, U = Decision


def label(
    gold: Decision, gold_type: ViolationType, said: Decision | None, said_type: ViolationType | None
) -> LabelResult:
    return LabelResult(gold_decision=gold, gold_type=gold_type, predicted_decision=said, predicted_type=said_type)


def test_decision_macro_f1_has_three_fixed_labels() -> None:
    """T028: one right violation and nothing else is a third."""
    assert decision_macro_f1([label(V, A, V, A)]) == pytest.approx(1 / 3)


def test_type_f1_ignores_what_is_no_gold_violation() -> None:
    """T029 and T065: a false alarm on a benign row costs the decision, not the type."""
    rows = [label(V, A, V, A), label(N, ViolationType.NONE, V, A)]
    assert type_macro_f1(rows) == 1.0
    assert decision_macro_f1(rows) == pytest.approx(0.2222222222222222)


def test_a_missing_report_stays_in_the_denominator() -> None:
    rows = [label(V, A, V, A), label(V, A, None, None)]
    assert decision_macro_f1(rows) == pytest.approx((2 / 3) / 3)
    assert type_macro_f1(rows) == pytest.approx(2 / 3)
    assert type_macro_f1([label(N, ViolationType.NONE, V, A)]) is None


@st.composite
def outcomes(draw: st.DrawFn) -> list[Outcome]:
    rows = []
    for i in range(draw(st.integers(1, 12))):
        gold = draw(st.sampled_from(list(Decision)))
        said = draw(st.sampled_from([None, *Decision]))
        passed = draw(st.booleans())
        lost = draw(st.booleans())
        types = {d: PSEUDO_TYPES.get(d) or draw(st.sampled_from([A, B])) for d in Decision}
        result = label(gold, types[gold], None if lost else said, types.get(said) if said and not lost else None)
        web = int(result.decision_correct)
        scored = {"web_correct": web, "end_to_end_correct": passed * web, "gate_loss": (1 - passed) * web}
        rows.append(
            Outcome(
                chain_id=str(i),
                status=EpisodeStatus.INFRA_ERROR if lost else EpisodeStatus.REPORTED,
                label=result,
                gate=None if lost else GateResult(passed=passed, strict=passed, handoff=passed),
                validator=ValidatorResult(valid=True),
                **({} if lost else scored),
            )
        )
    return rows


@given(outcomes())
def test_the_gate_loss_is_the_difference_and_every_rate_is_a_rate(rows: list[Outcome]) -> None:
    summary = summarize(rows)
    if summary.web_accuracy is not None:
        assert summary.end_to_end_accuracy is not None
        assert summary.gate_loss == pytest.approx(summary.web_accuracy - summary.end_to_end_accuracy)
        assert summary.exact_match is not None
        assert summary.exact_match <= summary.web_accuracy
    rates = summary.model_dump(exclude={"chains", "statuses", "first_failures", "failures"}).values()
    assert all(rate is None or 0 <= rate <= 1 for rate in rates)
    assert summary.worst_case is not None
    assert summary.best_case is not None
    assert summary.best_case - summary.worst_case == pytest.approx(summary.lost / summary.chains)


def test_nothing_cannot_be_summarised() -> None:
    with pytest.raises(ValueError, match="no outcome"):
        summarize([])
