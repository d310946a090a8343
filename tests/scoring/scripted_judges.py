"""Judges whose every answer is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Answer, ClaimKind, Question, Ruling


@dataclass
class Scripted:
    """Answers by a function of bundle and question; ``None`` is a failure of the judge."""

    answer: Callable[[Bundle, Question], Answer | None]
    name: str = "scripted/1"

    def rule(self, bundle: Bundle, question: Question) -> Ruling:
        answer = self.answer(bundle, question)
        return Ruling(key=question.key, answer=answer, error="" if answer else "it broke")


def lenient(bundle: Bundle, question: Question) -> Answer:
    """Everything speaks for the report."""
    return question.good


def harsh(bundle: Bundle, question: Question) -> Answer:
    """Everything speaks against the report."""
    return Answer.NO if question.good is Answer.YES else Answer.YES


def literal(bundle: Bundle, question: Question) -> Answer:
    """A quote must be shown letter for letter; all else is fine."""
    cited, view = bundle.citation(question.place), bundle.view(question.step or 0)
    if question.kind is not ClaimKind.SHOWN or cited is None or view is None:
        return question.good
    return Answer.YES if cited.quote in "\n".join(view.lines) else Answer.NO
