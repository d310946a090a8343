"""One episode put to a judge."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.outcome import JudgeResult
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.llm_threads import ask_concurrently
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import Judge, Question, Ruling
from riskchain_gym.scoring.judge.settle import ask, settle
from riskchain_gym.scoring.redaction.audit import RedactionError


def judge_episode(trajectory: Trajectory, judge: Judge, images: Mapping[int, bytes] | None = None) -> JudgeResult:
    """Return what a judge says of an episode; ``not_run`` if there is no report to ask about.

    An episode that cannot be redacted is shown to no judge: that is a ``judge_error`` and says nothing of the report.

    Args:
        trajectory: The episode.
        judge: Who is asked.
        images: Screenshots of views by browse step; the judge sees them redacted.
    """
    try:
        bundle = present(trajectory, images)
    except RedactionError:
        return JudgeResult(status="judge_error", judge=judge.name)
    return JudgeResult() if bundle is None else judged(bundle, judge)[0]


def judged(
    bundle: Bundle, judge: Judge, *, threads: int = 1
) -> tuple[JudgeResult, tuple[Question, ...], tuple[Ruling, ...]]:
    """Return the four dimensions of a bundle with the questions and the rulings that they were settled from.

    Args:
        bundle: What the judge is shown.
        judge: Who is asked; with several threads it must be one that threads may share.
        threads: Questions in flight at once.
    """
    questions = questions_about(bundle)
    if threads == 1:
        rulings = ask(judge, bundle, questions)
    else:
        rulings = ask_concurrently(judge, bundle, questions, threads=threads)
    return settle(judge.name, questions, rulings), questions, rulings
