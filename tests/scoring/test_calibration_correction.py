"""The corrected share: Rogan and Gladen's formula, its clipping, and where it has no value."""

from __future__ import annotations

import random

import pytest

from riskchain_gym.scoring.calibration.anchors import Anchor, read_anchors
from riskchain_gym.scoring.calibration.calibrate import Support
from riskchain_gym.scoring.calibration.correction import Corrected, corrected_share
from riskchain_gym.scoring.judge.questions import Answer

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.CANNOT_TELL
ALONE = [anchor for anchor in read_anchors() if not anchor.question.group]
HOLD = [anchor for anchor in ALONE if anchor.reference is YES][:40]
NOT = [anchor for anchor in ALONE if anchor.reference is NO][:40]


def said(right_of_40: int, rejected_of_40: int) -> dict[str, Answer | None]:
    """A judge that says yes to so many of the anchors that hold, and no to so many of those that do not."""
    yes = {anchor.id: YES if i < right_of_40 else NO for i, anchor in enumerate(HOLD)}
    return yes | {anchor.id: NO if i < rejected_of_40 else YES for i, anchor in enumerate(NOT)}


def reports(supported: int, answered: int, n: int = 20) -> list[Support]:
    return [Support(cluster=f"site-{i}", supported=supported, answered=answered) for i in range(n)]


def corrected(
    answers: dict[str, Answer | None], supports: list[Support], anchors: list[Anchor] | None = None
) -> Corrected:
    return corrected_share(anchors or [*HOLD, *NOT], answers, supports, seed=3, replicates=300)


def test_the_formula() -> None:
    """Sensitivity 0.9, specificity 0.8, raw 0.6: (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1) = 4 / 7."""
    found = corrected(said(36, 32), reports(6, 10))
    assert (found.raw, found.sensitivity, found.specificity) == (0.6, 0.9, 0.8)
    assert found.value == pytest.approx(4 / 7)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 4 / 7 < found.high
    assert found == corrected(said(36, 32), reports(6, 10))


def test_a_perfect_judge_is_not_corrected() -> None:
    found = corrected(said(40, 40), reports(7, 10))
    assert found.value == found.low == found.high == pytest.approx(0.7)


@pytest.mark.parametrize(("supported", "value"), [(10, 1.0), (1, 0.0)])
def test_values_are_clipped_to_shares(supported: int, value: float) -> None:
    found = corrected(said(36, 32), reports(supported, 10))
    assert found.value == value


@pytest.mark.parametrize(
    ("answers", "supports", "reason"),
    [
        (said(20, 20), reports(6, 10), "no better than chance"),
        (said(10, 20), reports(6, 10), "no better than chance"),
        (said(36, 32), reports(0, 0), "answered no question"),
        (said(36, 32), [], "answered no question"),
        ({anchor.id: OPEN for anchor in (*HOLD, *NOT)}, reports(6, 10), "needs answers of yes or no"),
        ({anchor.id: None for anchor in (*HOLD, *NOT)}, reports(6, 10), "needs answers of yes or no"),
    ],
    ids=["chance", "worse", "no answers", "no reports", "abstains", "fails"],
)
def test_where_there_is_no_value_there_is_a_reason(
    answers: dict[str, Answer | None], supports: list[Support], reason: str
) -> None:
    found = corrected(answers, supports)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert reason in found.reason


def test_one_site_or_one_page_has_no_interval() -> None:
    one_site = corrected(said(36, 32), reports(6, 10, n=1))
    page = [anchor.model_copy(update={"cluster": "one"}) for anchor in (*HOLD, *NOT)]
    for found in (one_site, corrected(said(36, 32), reports(6, 10), page)):
        assert found.value == pytest.approx(4 / 7)
        assert (found.low, found.high) == (None, None)


def test_abstentions_and_failures_count_for_nothing() -> None:
    answers = said(36, 32)
    assert corrected({**answers, HOLD[0].id: None}, reports(6, 10)).sensitivity == 35 / 39
    assert corrected({**answers, NOT[-1].id: OPEN}, reports(6, 10)).specificity == 32 / 39


def test_claims_that_several_citations_settle_do_not_count() -> None:
    grouped = [anchor for anchor in read_anchors() if anchor.question.group]
    assert grouped
    answers = said(36, 32) | {anchor.id: NO for anchor in grouped}
    assert corrected(answers, reports(6, 10), [*HOLD, *NOT, *grouped]) == corrected(answers, reports(6, 10))


def test_intervals_cover_the_truth() -> None:
    """40 studies of 80 anchors and 60 sites: 0.7 of the claims hold, the judge is right about 0.9 and 0.8 of them."""
    anchors = [anchor.model_copy(update={"cluster": f"c{i}"}) for i, anchor in enumerate([*HOLD, *NOT])]
    covered = 0
    for study in range(40):
        rng = random.Random(study)
        answers: dict[str, Answer | None] = {
            anchor.id: YES if rng.random() < (0.2 if anchor.adverse else 0.9) else NO for anchor in anchors
        }
        supports = []
        for i in range(60):
            yes = [rng.random() < (0.9 if rng.random() < 0.7 else 0.2) for _ in range(10)]
            supports.append(Support(cluster=f"s{i}", supported=sum(yes), answered=10))
        found = corrected_share(anchors, answers, supports, seed=study, replicates=300)
        covered += found.low is not None and found.high is not None and found.low <= 0.7 <= found.high
    assert covered >= 34
