"""Faults that are planted for people to find: which claims each bears on, and which people would see through."""

from __future__ import annotations

from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.report import Report
from riskchain_gym.scoring.calibration.faults import VARIANTS, plant
from riskchain_gym.scoring.calibration.plant import CITING, Case, FaultKind, Planted, Variant
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

BEARS_ON: dict[FaultKind, frozenset[ClaimKind]] = {
    FaultKind.WRONG_STEP: frozenset({ClaimKind.SHOWN}),
    FaultKind.FABRICATED_TEXT: frozenset({ClaimKind.SHOWN}),
    FaultKind.WRONG_CLAIM: frozenset({ClaimKind.BORNE_OUT}),
    FaultKind.DUPLICATE_CITATION: frozenset({ClaimKind.ADDS}),
    FaultKind.OMITTED_CONTRADICTION: frozenset({ClaimKind.LEFT_OUT}),
    FaultKind.OVER_CLAIMED_TYPE: frozenset({ClaimKind.SPEAKS_FOR, ClaimKind.SHOWS_PART}),
    FaultKind.FLIPPED_DECISION: frozenset({ClaimKind.SPEAKS_FOR, ClaimKind.SHOWS_PART, ClaimKind.FOLLOWS}),
}
"""The kinds of claims about the place of a fault that it is to turn against the report.

Three kinds are not planted. A report that cites nothing, and a page that speaks to its judge, show people at a glance
that they were made; and of a page that was never opened nobody can say which claim it is about.
"""

FOR_PEOPLE: tuple[Variant, ...] = tuple(variant for variant in VARIANTS if variant.kind in BEARS_ON)
"""The variants that are planted."""


def plant_for_people(variant: Variant, case: Case, seed: int) -> Planted | None:
    """Return a faulty copy of a report that does not show that it is one, or ``None`` where none can be made.

    A fault of a citation is planted into any report, one of the whole report only where its label is the gold's: the
    opposite of a wrong decision is a right one.

    Args:
        variant: What to plant.
        case: The report, with its gold.
        seed: Any integer.
    """
    if variant.kind not in CITING and not _label_is_right(case):
        return None
    planted = plant(variant, case, seed)
    return None if planted is None or _has_stock_note(case.report, planted.trajectory.report) else planted


def bears_on(variant: Variant, planted: Planted, case: Case, question: Question) -> bool:
    """Return whether a question about a faulty copy is one that the fault is to turn against the report.

    Args:
        variant: What was planted.
        planted: The faulty copy.
        case: The report before.
        question: A question about the copy.
    """
    # A repetition is at two places, and of these only the second says nothing new.
    is_first = question.kind is ClaimKind.ADDS and question.place in case.citations()
    return question.place in planted.places and question.kind in BEARS_ON[variant.kind] and not is_first


def _label_is_right(case: Case) -> bool:
    report, site = case.report, case.gold.site
    return (report.decision, report.primary_violation_type) == (site.decision, site.violation_type)


def _has_stock_note(right: Report, faulty: Report | None) -> bool:
    """Return whether the fault came with the note that every report of that type is given: it would be known again."""
    other = ViolationType.OTHER_PROHIBITED_ACTIVITY
    return faulty is not None and faulty.primary_violation_type is other and right.note != faulty.note
