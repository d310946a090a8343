"""From rulings to four figures: how much of what was asked speaks for the report, and how much was answered at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from riskchain_gym.protocol.outcome import DimensionResult, JudgeResult
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Answer, Dimension, Judge, Question, Ruling


def ask(judge: Judge, bundle: Bundle, questions: Iterable[Question]) -> tuple[Ruling, ...]:
    """Put every question to a judge, in order."""
    return tuple(judge.rule(bundle, question) for question in questions)


def settle(judge: str, questions: Sequence[Question], rulings: Iterable[Ruling]) -> JudgeResult:
    """Return the four dimensions of one episode.

    A point is a question of no group, or a group. It is settled for the report by one answer that speaks for it,
    against it if every question has an answer and none speaks for it, and open otherwise. A dimension is the share of
    its settled points that were settled for the report; its coverage is the share of its points that were settled.

    Args:
        judge: Name of the judge.
        questions: What was asked.
        rulings: What was answered; a question without a ruling is open.

    Raises:
        ValueError: A ruling answers no question, or two answer the same one.
    """
    known = {question.key for question in questions}
    given: dict[str, Ruling] = {}
    for ruling in rulings:
        if ruling.key not in known or ruling.key in given:
            problem = "answered twice" if ruling.key in given else "was never asked"
            raise ValueError(f"Question '{ruling.key}' {problem}: give one ruling for each question.")
        given[ruling.key] = ruling
    settled = {key: _settled(group, given) for key, group in points(questions).items()}
    dimension_of = {_point(question): question.dimension for question in questions}
    results = {d: _result([settled[p] for p in settled if dimension_of[p] is d]) for d in Dimension}
    errors = sum(bool(ruling.error) for ruling in given.values())
    answered = any(state is not None for state in settled.values())
    return JudgeResult(
        status="scored" if answered else "judge_error" if errors else "abstained",
        judge=judge,
        questions=len(questions),
        errors=errors,
        adverse=tuple(point for point, state in settled.items() if state is False),
        **{dimension.value: result for dimension, result in results.items()},
    )


def points(questions: Iterable[Question]) -> Mapping[str, Sequence[Question]]:
    """Return the questions by the point that they settle, in order."""
    found: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        found[_point(question)].append(question)
    return found


def _point(question: Question) -> str:
    return question.group or question.key


def _settled(group: Sequence[Question], given: Mapping[str, Ruling]) -> bool | None:
    answers = [(given[q.key].answer if q.key in given else None, q.good) for q in group]
    if any(answer is good for answer, good in answers):
        return True
    return None if any(answer in (None, Answer.CANNOT_TELL) for answer, _ in answers) else False


def _result(states: Sequence[bool | None]) -> DimensionResult:
    settled = [state for state in states if state is not None]
    return DimensionResult(
        score=sum(settled) / len(settled) if settled else None, points=len(states), settled=len(settled)
    )
