"""Calibrating judges whose answers are known: what counts as detected, missed, failed, and a false alarm."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_cases import mini_cases
from scripted_judges import Scripted, harsh, lenient, literal

from riskchain_gym.scoring.calibration.calibrate import Calibration, calibrate
from riskchain_gym.scoring.calibration.faults import VARIANTS, plant
from riskchain_gym.scoring.calibration.plant import CITING, FaultKind
from riskchain_gym.scoring.calibration.rates import Rate
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Answer, ClaimKind, Question
from riskchain_gym.scoring.judge.rules import RuleJudge

CASES = 8


def run(judge: object, variants: str = "") -> Calibration:
    chosen = [variant for variant in VARIANTS if variant.key.startswith(variants)]
    return calibrate(judge, mini_cases()[:CASES], 0, variants=chosen)  # type: ignore[arg-type]


def test_a_judge_that_passes_everything_detects_nothing_and_raises_no_alarm() -> None:
    found = run(Scripted(lenient))
    assert all(each.detected.hits == each.placed.hits == each.failed == 0 for each in (*found.kinds, *found.variants))
    assert found.alarms.alarmed == Rate.of_counts(0, CASES)
    assert all(support.supported == support.answered > 0 for support in found.support)


def test_a_judge_that_fails_everything_has_only_false_alarms_and_detects_no_fault_by_them() -> None:
    """What is held against the right report too says nothing of the fault."""
    found = run(Scripted(harsh), "fabricated_text")
    assert found.alarms.alarmed.share == 1
    assert set(found.alarms.kinds) == set(ClaimKind)
    assert {each.detected.hits for each in found.variants} == {0}


def test_a_judge_that_compares_quotes_detects_what_touches_them_at_their_place() -> None:
    found = run(Scripted(literal))
    assert found.alarms.alarmed.hits == 0
    for each in found.variants:
        quoting = each.kind in (FaultKind.WRONG_STEP, FaultKind.FABRICATED_TEXT, FaultKind.INSTRUCTING_PAGE)
        assert each.detected == each.placed == Rate.of_counts(each.applied if quoting else 0, each.applied)
        assert each.citing is (each.kind in CITING)


def test_kinds_are_the_sums_of_their_variants_and_counts_are_those_that_a_fault_could_be_planted_in() -> None:
    found = run(Scripted(literal))
    for kind in found.kinds:
        parts = [variant for variant in found.variants if variant.kind is kind.kind]
        assert kind.applied == sum(part.applied for part in parts)
        assert kind.detected.hits == sum(part.detected.hits for part in parts)
    for variant, each in zip(VARIANTS, found.variants, strict=True):
        assert each.applied == sum(plant(variant, case, 0) is not None for case in mini_cases()[:CASES])


def test_detection_elsewhere_is_not_at_the_place() -> None:
    def suspicious(bundle: Bundle, question: Question) -> Answer:
        """Hold it against the reason that any quote is not shown."""
        if question.kind is not ClaimKind.FOLLOWS:
            return question.good
        cited = [(c, bundle.view(c.step)) for c in bundle.report.citations]
        shown = all(view is not None and c.quote in "\n".join(view.lines) for c, view in cited)
        return Answer.YES if shown else Answer.NO

    (each,) = run(Scripted(suspicious), "fabricated_text/sentence").variants
    assert (each.detected.share, each.placed.share) == (1, 0)


def test_support_counts_claims_about_single_citations_and_no_others() -> None:
    def against_parts_views_and_report(bundle: Bundle, question: Question) -> Answer:
        alone = question.place.partition(".")[0].endswith("evidence") and not question.group
        return lenient(bundle, question) if alone else harsh(bundle, question)

    for support in run(Scripted(against_parts_views_and_report), "empty_report").support:
        assert support.supported == support.answered > 0


def test_failures_are_neither_detected_nor_missed() -> None:
    def breaking(bundle: Bundle, question: Question) -> Answer | None:
        answer = literal(bundle, question)
        return answer if answer is question.good else None

    found = run(Scripted(breaking), "fabricated_text")
    for each in found.variants:
        assert each.failed == each.applied > 0
        assert each.detected == Rate.of_counts(0, 0)
        assert each.detected.share is None
    assert found.alarms.failed == 0


def test_what_the_judge_broke_on_before_is_no_detection() -> None:
    def breaking_where_all_is_well(bundle: Bundle, question: Question) -> Answer | None:
        answer = literal(bundle, question)
        return None if question.kind is ClaimKind.SHOWN and answer is question.good else answer

    found = run(Scripted(breaking_where_all_is_well), "fabricated_text/word")
    (each,) = found.variants
    assert (each.detected.hits, each.failed) == (0, each.applied)
    assert found.alarms.failed == CASES


def test_a_judge_that_breaks_always_has_no_rates() -> None:
    found = run(Scripted(lambda bundle, question: None))
    assert all(each.failed == each.applied for each in found.variants)
    assert found.alarms.alarmed == Rate.of_counts(0, 0)
    assert found.support == ()


def test_one_seed_one_result() -> None:
    judge = RuleJudge()
    first, again, other = (
        calibrate(judge, mini_cases()[:3], seed, variants=VARIANTS[:4]).model_dump() for seed in (1, 1, 2)
    )
    assert first == again
    assert other["seed"] == 2


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (1, 200, 0.00088, 0.02777)],
)
def test_wilson_intervals(hits: int, of: int, low: float, high: float) -> None:
    rate = Rate.of_counts(hits, of)
    assert (rate.low, rate.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@settings(max_examples=200, derandomize=True)
@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_wilson_ends_solve_their_equation(counts: tuple[int, int]) -> None:
    """Each end p is where the share lies 1.96 standard errors of p away."""
    hits, of = counts
    rate = Rate.of_counts(hits, of)
    assert rate.share is not None
    assert rate.low is not None
    assert rate.high is not None
    assert 0 <= rate.low <= rate.share <= rate.high <= 1
    for end in (rate.low, rate.high):
        assert abs(rate.share - end) == pytest.approx(1.959963984540054 * math.sqrt(end * (1 - end) / of), abs=1e-9)


def test_a_rate_of_more_than_all_is_refused() -> None:
    with pytest.raises(ValueError, match="counts 0 to 2 hits, got 3"):
        Rate.of_counts(3, 2)
    assert Rate.of_counts(0, 0).share is None


def test_the_rule_judge_on_the_shipped_split() -> None:
    """A quick look; held-out sites are the slow test's."""
    found = calibrate(RuleJudge(), mini_cases()[:12], 0)
    assert found.alarms.alarmed.hits == 0
    assert found.alarms.failed == 0
    citing = [each for each in found.variants if each.citing]
    assert sum(each.applied for each in citing) > 100
    for each in citing:
        assert each.detected.hits >= 0.95 * each.applied, each
