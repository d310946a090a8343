"""What a rule finds: an answer and one sentence of why."""

from __future__ import annotations

from typing import NamedTuple

from riskchain_gym.scoring.judge.questions import Answer


class Finding(NamedTuple):
    """An answer with its reason in one sentence."""

    answer: Answer
    why: str


def yes(why: str) -> Finding:
    """The claim holds."""
    return Finding(Answer.YES, why)


def no(why: str) -> Finding:
    """The claim does not hold."""
    return Finding(Answer.NO, why)


def cannot_tell(why: str) -> Finding:
    """Neither is sure."""
    return Finding(Answer.CANNOT_TELL, why)
