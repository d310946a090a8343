"""Rules about views: what was shown and left out of the report, and what was there to try and was not tried."""

from __future__ import annotations

import re
from functools import lru_cache

from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.scoring.judge.questions import Question
from riskchain_gym.scoring.judge.rules_anchors import BENIGN_ANCHORS, LIMIT_ANCHORS
from riskchain_gym.scoring.judge.rules_cues import cues, folded
from riskchain_gym.scoring.judge.rules_finding import Finding, cannot_tell, no, yes
from riskchain_gym.scoring.judge.rules_meaning import violation_is_shown
from riskchain_gym.scoring.judge.rules_reading import Reading, ReadView
from riskchain_gym.scoring.text import fold_blanks

MIN_LINKS = 2
"""Controls of a landing view that nobody followed before browsing was stopped, to speak of it as left untried."""

MIN_POINTING = 5
"""Code points of a line that a quote has at least, to say that the line is cited."""

_REPORTED_SPEECH = re.compile(r"[“”「」『』\"‘’《》?？]")
_OFFERS = ("gambling", "adult", "substance", "malware", "investment", "fraud")
_BEARING = (
    *_OFFERS,
    "other",
    "phishing",
    "identity",
    "payment",
    "contact",
    "credential",
    "download",
    "warning",
    "limitation",
)
_ASKS = ("payment", "contact", "credential", "download")


def left_out(reading: Reading, question: Question) -> Finding:
    """Say whether a view shows something against the decision that the report is silent about.

    Against a violation that is a line in which the site denies or declines; against another decision one that offers
    and asks what violations do. Lines that report somebody's words do not count, nor offers that warn or deny. A line
    is held against a report once, at the first view that shows it.
    """
    view = _view(reading, question)
    if view is None:
        return cannot_tell("There is no such view.")
    report = reading.bundle.report
    cited = [quote for item in report.citations if (quote := fold_blanks(item.quote))]
    uncited = [line for line in dict.fromkeys(view.lines) if not any(_points_at(quote, line) for quote in cited)]
    against = _disclaims if report.decision is Decision.VIOLATION else _is_offer
    speaking = [line for line in uncited if against(line)]
    if any(reading.first_shown(line) == view.view.step for line in speaking):
        return yes("A line speaks against the decision and is cited nowhere.")
    if speaking:
        return cannot_tell(
            f"What speaks against the decision was shown first in view {reading.first_shown(speaking[0])}."
        )
    if any(map(_weighs if report.decision is Decision.VIOLATION else _bears, uncited)):
        return cannot_tell("Some line may bear on the decision.")
    return no("No line left out tells of anything against the decision.")


def untried(reading: Reading, question: Question) -> Finding:
    """Say whether a view led on and nobody followed.

    Yes only if nothing of the site was followed and no citation is of the kind that the decision rests on; no only if
    there was nothing left to follow, or both parts of a violation are shown, which no other page undoes.
    """
    view = _view(reading, question)
    if view is None:
        return cannot_tell("There is no such view.")
    open_controls = [control for control in view.view.controls if not control.disabled]
    if not open_controls:
        return no("It has no control to follow.")
    done = [entry for entry in reading.bundle.ledger if entry.status is ActionStatus.EXECUTED]
    acted = [entry for entry in done if entry.element_id is not None]
    decided = reading.bundle.report.decision
    fits = {Decision.NON_VIOLATION: BENIGN_ANCHORS, Decision.INSUFFICIENT_EVIDENCE: LIMIT_ANCHORS}.get(decided)
    rests = any(c.anchor_type in fits for c in reading.bundle.report.citations) if fits is not None else True
    if not acted and not rests and len(open_controls) >= MIN_LINKS:
        return yes("Nothing of the site was followed before it was decided.")
    if decided is Decision.VIOLATION and violation_is_shown(reading):
        return no("Both parts of the violation are shown; what else there is undoes neither.")
    names = {control.element_id for control in open_controls}
    if names <= {entry.element_id for entry in acted}:
        return no("Every control was followed.")
    return cannot_tell("Whether the rest leads to what decides cannot be told.")


def _view(reading: Reading, question: Question) -> ReadView | None:
    return reading.views.get(question.step) if question.step is not None else None


def _points_at(quote: str, line: str) -> bool:
    """Say whether a quote holds a line, or is enough of one to point at it and not at any other."""
    return line in quote or (quote in line and len(quote) >= min(MIN_POINTING, len(line)))


@lru_cache(maxsize=16_384)
def _weighs(line: str) -> bool:
    return cues().tells(folded(line), "warning", "disclaimer")


@lru_cache(maxsize=16_384)
def _bears(line: str) -> bool:
    return cues().tells(folded(line), *_BEARING)


@lru_cache(maxsize=16_384)
def _disclaims(line: str) -> bool:
    return cues().tells(folded(line), "disclaimer") and _REPORTED_SPEECH.search(line) is None


@lru_cache(maxsize=16_384)
def _is_offer(line: str) -> bool:
    if _REPORTED_SPEECH.search(line):
        return False
    text = folded(line)
    tells = cues().tells
    return tells(text, *_OFFERS) and tells(text, *_ASKS) and not tells(text, "warning", "benign", "limitation")
