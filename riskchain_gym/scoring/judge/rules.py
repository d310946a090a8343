"""The rule judge: deterministic answers from the bundle alone; what it cannot tell for sure it leaves open."""

from __future__ import annotations

from collections.abc import Callable

from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import ClaimKind, Question, Ruling
from riskchain_gym.scoring.judge.rules_citations import adds, borne_out, shown
from riskchain_gym.scoring.judge.rules_finding import Finding
from riskchain_gym.scoring.judge.rules_meaning import anchor_fits, shows_part, speaks_for
from riskchain_gym.scoring.judge.rules_reading import Reading
from riskchain_gym.scoring.judge.rules_report import follows, status_fits
from riskchain_gym.scoring.judge.rules_views import left_out, untried

_RULES: dict[ClaimKind, Callable[[Reading, Question], Finding]] = {
    ClaimKind.SHOWN: shown,
    ClaimKind.BORNE_OUT: borne_out,
    ClaimKind.ANCHOR_FITS: anchor_fits,
    ClaimKind.SHOWS_PART: shows_part,
    ClaimKind.LEFT_OUT: left_out,
    ClaimKind.UNTRIED: untried,
    ClaimKind.SPEAKS_FOR: speaks_for,
    ClaimKind.ADDS: adds,
    ClaimKind.FOLLOWS: follows,
    ClaimKind.STATUS_FITS: status_fits,
}


class RuleJudge:
    """Answers by rules: exact comparison where a claim is about words, word lists where it is about sense.

    No model, no network, no randomness: one bundle, one answer. It reads the last bundle once, however many questions
    are asked of it.
    """

    name = "rules/1"

    def __init__(self) -> None:
        self._last: Reading | None = None

    def rule(self, bundle: Bundle, question: Question) -> Ruling:
        """Answer one question."""
        reading = self._last
        if reading is None or reading.bundle is not bundle:
            reading = self._last = Reading.of(bundle)
        finding = _RULES[question.kind](reading, question)
        return Ruling(key=question.key, answer=finding.answer, why=finding.why)
