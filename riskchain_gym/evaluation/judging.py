"""Putting the reports of a run to a judge: what it said is appended to a file, and what is in it is not asked again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from riskchain_gym.evaluation.answers import AnswerFile, Problem
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import JudgeResult
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.episode import judged
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import Judge, Question, Ruling
from riskchain_gym.scoring.redaction.audit import RedactionError

OTHER_JUDGE = "give each judge a file of its own"
OTHER_RUN = "is no episode of this run: give each run a file of its own"


class JudgedEpisode(Frozen):
    """What a judge said of one report.

    Attributes:
        chain_id: The chain.
        episode: Hash of the episode's record.
        result: The four dimensions.
        questions: What was asked.
        rulings: What was answered, raw replies included.
        error: Why the report could not be shown to a judge, else ``""``.
    """

    schema_version: Literal["riskchain-judged/v1"] = "riskchain-judged/v1"
    chain_id: str
    episode: str
    result: JudgeResult
    questions: tuple[Question, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    error: str = ""


def judge_run(
    run: RunFolder,
    judge: Judge,
    to: Path,
    *,
    images: bool = False,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[JudgedEpisode, ...]:
    """Put every report of a run to a judge and append what it said to a JSONL file, a line an episode.

    Where the file holds episodes already, only the others are asked about, and those on which the judge failed before;
    of two lines on one episode the later one counts. Episodes without a report are no lines.

    Args:
        run: The run folder.
        judge: Who is asked.
        to: The file.
        images: Whether the judge is shown the screenshots of the run, redacted.
        threads: Questions in flight at once; for several the judge must be one that threads may share.
        progress: Called with the number of episodes that are done.

    Returns:
        One line a report, in the order of the run.

    Raises:
        InputFileError: The file is damaged or of another run or judge, or the run is damaged.
        MissingExtraError: There are images, and Pillow is not installed.
    """
    records = reported(run)

    def problem_of(one: JudgedEpisode) -> Problem | None:
        if one.result.judge != judge.name:
            return "result.judge", f"is '{one.result.judge}', not '{judge.name}': {OTHER_JUDGE}"
        record = records.get(one.chain_id)
        return None if record is not None and record.hash == one.episode else ("episode", OTHER_RUN)

    file = AnswerFile(to, JudgedEpisode, lambda one: one.chain_id, problem_of)
    said: list[JudgedEpisode] = []
    for number, (chain, record) in enumerate(records.items(), 1):
        one = file.known(chain)
        if one is None or one.error or one.result.errors:
            one = _judged(run, record, judge, images, threads)
            file.add(one)
        said.append(one)
        if progress is not None:
            progress(number)
    return tuple(said)


def reported(run: RunFolder) -> dict[str, EpisodeRecord]:
    """Return the episodes of a run that end with a report, by chain.

    Raises:
        InputFileError: The run is damaged.
    """
    return {r.trajectory.chain_id: r for r in run.records() if r.trajectory.report is not None}


def bundle_of(run: RunFolder, record: EpisodeRecord, *, images: bool) -> Bundle:
    """Return what a judge is shown of an episode that ends with a report.

    Args:
        run: The run that holds it.
        record: The episode.
        images: Whether screenshots are shown too.

    Raises:
        RedactionError: It could not be redacted.
        InputFileError: A screenshot is not the one that was frozen.
    """
    shown = {int(step): data for step, name in record.media.items() if images and (data := run.media(name))}
    bundle = present(record.trajectory, shown)
    assert bundle is not None, "only an episode without a report has nothing to show"
    return bundle


def _judged(run: RunFolder, record: EpisodeRecord, judge: Judge, images: bool, threads: int) -> JudgedEpisode:
    chain = record.trajectory.chain_id
    try:
        bundle = bundle_of(run, record, images=images)
    except RedactionError as error:
        broken = JudgeResult(status="judge_error", judge=judge.name)
        return JudgedEpisode(chain_id=chain, episode=record.hash, result=broken, error=str(error))
    result, questions, rulings = judged(bundle, judge, threads=threads)
    return JudgedEpisode(chain_id=chain, episode=record.hash, result=result, questions=questions, rulings=rulings)
