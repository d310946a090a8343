"""The episodes of runs that are exported, one at a time, with their scores and the message that was shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.score import check_split, load_scores
from riskchain_gym.evaluation.store import SCORES, RunFolder
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.outcome import Outcome

Only = Literal["right", "reported", "all"]
"""Which episodes: those that are right from end to end (a^e = 1), those with a report, or all that have a result."""


@dataclass(frozen=True)
class Played:
    """One episode.

    Attributes:
        run: Its run.
        record: What was frozen.
        outcome: Its scores, ``None`` where the run was not scored.
        message: The message that was shown.
    """

    run: RunFolder
    record: EpisodeRecord
    outcome: Outcome | None
    message: Message

    @property
    def chain_id(self) -> str:
        """The chain."""
        return self.record.trajectory.chain_id


def outcomes_of(run: RunFolder) -> Mapping[str, Outcome] | None:
    """Return the scores of a run by chain, or ``None`` if it was not scored.

    Raises:
        InputFileError: There are scores, and they are malformed or out of date.
    """
    if not (run.path / SCORES).exists():
        return None
    return {outcome.chain_id: outcome for outcome in load_scores(run).outcomes}


def scored_outcomes(run: RunFolder, what: str) -> Mapping[str, Outcome]:
    """Return the scores of a run by chain, for what cannot do without.

    Args:
        run: The run.
        what: What needs them, as the subject of a sentence.

    Raises:
        InputFileError: The run was not scored, or its scores are malformed or out of date.
    """
    outcomes = outcomes_of(run)
    if outcomes is None:
        raise InputFileError(run.path / SCORES, "", f"is not there, and {what} needs it: score the run first")
    return outcomes


def played(run: RunFolder, *, lost: bool = False) -> Iterator[Played]:
    """Yield the episodes of a run in the order of its file.

    Args:
        run: The run.
        lost: Whether those that were lost to infrastructure are among them.

    Raises:
        InputFileError: The run is damaged, its scores are out of date, or the split here is not the one it was made on.
        UnknownNameError: The split is not here.
    """
    check_split(run)
    messages = {chain.chain_id: chain.variants for chain in load_public(run.manifest.split)}
    outcomes = outcomes_of(run) or {}
    for record in run.records():
        trajectory = record.trajectory
        if trajectory.status is EpisodeStatus.INFRA_ERROR and not lost:
            continue
        message = messages[trajectory.chain_id][trajectory.variant]
        yield Played(run, record, outcomes.get(trajectory.chain_id), message)


def selected(runs: Sequence[RunFolder], only: Only) -> Iterator[Played]:
    """Yield the episodes of runs that have a result and that are wanted, run by run.

    Raises:
        InputFileError: As :func:`played` does; or ``right`` is asked of a run that was not scored.
        UnknownNameError: As :func:`played` does.
    """
    for run in runs:
        if only == "right":
            scored_outcomes(run, "--only right")
        yield from (each for each in played(run) if _wanted(each, only))


def _wanted(episode: Played, only: Only) -> bool:
    if only == "right":
        return episode.outcome is not None and episode.outcome.end_to_end_correct == 1
    return only == "all" or episode.record.trajectory.status is EpisodeStatus.REPORTED
