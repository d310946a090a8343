"""Predictions for messages without a site against their gold, as a whole and by what the messages are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from riskchain_gym.messages.json_lines import parse_row, read_objects
from riskchain_gym.messages.official import read_predictions
from riskchain_gym.messages.official_inputs import check_hash, check_new
from riskchain_gym.messages.pairs import IMPORTED
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Restoration
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import RestorationResult
from riskchain_gym.scoring.restoration import score_restoration

GROUPINGS: Mapping[str, Callable[[GoldRow], Iterable[str]]] = {
    "technique": lambda row: dict.fromkeys(part.partition("@")[0] for part in row.recipe.split("+")),
    "recipe": lambda row: (row.recipe,),
    "severity": lambda row: ("none" if row.severity is None else str(row.severity),),
    "form": lambda row: (row.form,),
    "topic": lambda row: (row.topic or "none",),
    "platform": lambda row: (row.platform,),
}
"""What messages can be grouped by, and the groups of a message: by technique it is in one for each of its recipe."""


class MessageScores(Frozen):
    """The figures over a set of messages; rates are 0 to 1, ``None`` where no message of the kind is in the set.

    A message without a prediction counts as restored to nothing: wrong in every figure, a false entry too where there
    is no entry to find.

    Attributes:
        messages: Gold rows in the set.
        missing: How many of them have no prediction.
        with_entry: How many of them have an entry.
        entry_top1: Of those with an entry, share whose rank-1 candidate is right (historical policy).
        ceiling: Of those with an entry, what Entry Top-1 can reach; not known of imported messages.
        recall_at_5: Of those with an entry, share with the right entry among the five candidates.
        false_entry: Of those without an entry, share for which one is named all the same; not known of imported
            messages, whose address may be of a kind that nothing here knows.
        message_exact: Share with every text of the session restored exactly.
        cer: Character error rate, pooled over the set and unclipped.
        intent_accuracy: Share with the right intent; not known of imported messages.
        full: Share with texts, intent, platform and rank-1 entry all right; not known of imported messages.
    """

    messages: int
    missing: int
    with_entry: int
    entry_top1: float | None
    ceiling: float | None
    recall_at_5: float | None
    false_entry: float | None
    message_exact: float
    cer: float | None
    intent_accuracy: float | None
    full: float | None


class ScoredMessage(NamedTuple):
    """One message: its gold, what was committed for it (``None``: nothing) and how that compares."""

    row: GoldRow
    commit: Restoration | None
    result: RestorationResult


def read_gold_rows(path: Path) -> tuple[GoldRow, ...]:
    """Return the rows of a ``gold.jsonl`` of a build of messages or an import, in order, every hash checked.

    Args:
        path: The JSON Lines file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    first_line: dict[str, int] = {}
    rows: list[GoldRow] = []
    for number, raw in read_objects(path):
        rows.append(parse_row(path, number, raw, GoldRow))
        check_hash(path, number, raw, "record_sha256")
        check_new(path, number, rows[-1].sample_id, first_line)
    return tuple(rows)


def score_predictions(predictions: Path, gold: Path) -> tuple[ScoredMessage, ...]:
    """Return every gold row with its prediction, scored, in order of the gold.

    Args:
        predictions: Published prediction rows, e.g. of ``riskchain restore``.
        gold: The ``gold.jsonl`` beside the inputs that they were made from.

    Raises:
        InputFileError: A file or a row of it is wrong, a sample id comes twice, or a prediction has no gold.
    """
    rows = read_gold_rows(gold)
    known = {row.sample_id for row in rows}
    commits: dict[str, Restoration] = {}
    for prediction in read_predictions(predictions):
        if prediction.sample_id not in known:
            problem = f"has a prediction for '{prediction.sample_id}', which {gold} lacks: give the gold of its inputs"
            raise InputFileError(predictions, "sample_id", problem)
        commits[prediction.sample_id] = prediction.restoration()
    return score_commits(rows, commits)


def score_commits(rows: Iterable[GoldRow], commits: Mapping[str, Restoration]) -> tuple[ScoredMessage, ...]:
    """Return every gold row with its commit, scored, in order.

    Args:
        rows: What must be restored.
        commits: Commit by sample id; a row without one is scored as if nothing had been restored.
    """
    scored: list[ScoredMessage] = []
    for row in rows:
        commit = commits.get(row.sample_id)
        scored.append(ScoredMessage(row, commit, score_restoration(commit or EMPTY_COMMIT, row.gold())))
    return tuple(scored)


def summarize_messages(scored: Sequence[ScoredMessage]) -> MessageScores:
    """Return the figures of a set of scored messages.

    Raises:
        ValueError: The set is empty.
    """
    if not scored:
        raise ValueError("There is no message to summarise: give at least one.")
    found = [each for each in scored if each.row.entry is not None]
    ours = [each for each in scored if each.row.recipe != IMPORTED]
    led_nowhere = [each for each in ours if each.row.entry is None]
    length = sum(each.result.reference_length for each in scored)
    return MessageScores(
        messages=len(scored),
        missing=sum(each.commit is None for each in scored),
        with_entry=len(found),
        entry_top1=_mean(each.result.entry_rank == 1 for each in found),
        ceiling=_mean(each.row.ceiling for each in found if each.row.ceiling is not None),
        recall_at_5=_mean(each.result.entry_rank is not None for each in found),
        false_entry=_mean(each.commit is None or bool(each.commit.entry_candidates) for each in led_nowhere),
        message_exact=sum(each.commit is not None and each.result.message_exact for each in scored) / len(scored),
        cer=sum(each.result.edit_distance for each in scored) / length if length else None,
        intent_accuracy=_mean(each.commit is not None and each.result.intent_correct for each in ours),
        full=_mean(each.commit is not None and each.result.full for each in ours),
    )


def summarize_by(grouping: str, scored: Iterable[ScoredMessage]) -> dict[str, MessageScores]:
    """Return the figures of every group of messages, in order of the groups' names.

    Args:
        grouping: One of :data:`GROUPINGS`.
        scored: The messages.
    """
    groups: dict[str, list[ScoredMessage]] = defaultdict(list)
    for each in scored:
        for name in GROUPINGS[grouping](each.row):
            groups[name].append(each)
    return {name: summarize_messages(groups[name]) for name in sorted(groups)}


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
