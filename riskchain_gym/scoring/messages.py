"""Predictions for messages without a site against their gold, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from riskchain_gym.messages.json_lines import parse_row, read_objects, refuse_folder
from riskchain_gym.messages.official import PredictionRow, read_predictions
from riskchain_gym.messages.official_inputs import check_hash, check_new
from riskchain_gym.messages.rows import GOLD, GoldRow
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Restoration
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.outcome import GateResult, RestorationResult
from riskchain_gym.scoring.gate import STRICT_ENTRY, gate
from riskchain_gym.scoring.restoration import score_restoration


class ScoredMessage(NamedTuple):
    """One message: its gold, what was committed for it (``None``: nothing), how that compares, and its look-up."""

    row: GoldRow
    commit: Restoration | None
    result: RestorationResult
    gate: GateResult


def read_gold_rows(path: Path) -> tuple[GoldRow, ...]:
    """Return the rows of a ``gold.jsonl`` of a build of messages or an import, in order, every hash checked.

    Args:
        path: The JSON Lines file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    refuse_folder(path, GOLD)
    first_line: dict[str, int] = {}
    rows: list[GoldRow] = []
    for number, raw in read_objects(path):
        rows.append(parse_row(path, number, raw, GoldRow))
        check_hash(path, number, raw, "record_sha256")
        check_new(path, number, rows[-1].sample_id, first_line)
        entry = rows[-1].entry
        if entry is not None and not STRICT_ENTRY.fullmatch(entry):
            problem = f"must be a lower-case three-label .test name, got {entry!r:.100}: import the messages again"
            raise InputFileError(path, f"line {number}: entry", problem)
    return tuple(rows)


def score_predictions(predictions: Path, gold: Path) -> tuple[ScoredMessage, ...]:
    """Return every gold row with its prediction, scored, in order of the gold.

    Texts are compared with what :meth:`PredictionRow.restoration` gives; the look-up goes by the ranks and the order
    that stand in the file, which the strict and the handoff policy ask about.

    Args:
        predictions: Published prediction rows of one model, e.g. of ``riskchain restore``.
        gold: The ``gold.jsonl`` beside the inputs that they were made from.

    Raises:
        InputFileError: A file or a row of it is wrong, a sample id comes twice, a prediction has no gold, or
            predictions of several models are mixed.
    """
    rows = read_gold_rows(gold)
    known = {row.sample_id for row in rows}
    found: dict[str, PredictionRow] = {}
    model = ""
    for prediction in read_predictions(predictions):
        if prediction.sample_id not in known:
            problem = f"has a prediction for '{prediction.sample_id}', which {gold} lacks: give the gold of its inputs"
            raise InputFileError(predictions, "sample_id", problem)
        model = model or prediction.model_id
        if prediction.model_id != model:
            problem = f"is '{model}' and, at '{prediction.sample_id}', '{prediction.model_id}': score one model a file"
            raise InputFileError(predictions, "model_id", problem)
        found[prediction.sample_id] = prediction
    commits = {sample_id: prediction.restoration() for sample_id, prediction in found.items()}
    return tuple(
        each._replace(gate=gate(found[each.row.sample_id], each.row.entry)) if each.commit is not None else each
        for each in score_commits(rows, commits)
    )


def score_commits(rows: Iterable[GoldRow], commits: Mapping[str, Restoration]) -> tuple[ScoredMessage, ...]:
    """Return every gold row with its commit, scored, in order.

    Args:
        rows: What must be restored.
        commits: Commit by sample id; a row without one is scored as if nothing had been restored.
    """
    scored: list[ScoredMessage] = []
    for row in rows:
        commit = commits.get(row.sample_id)
        made = commit or EMPTY_COMMIT
        scored.append(ScoredMessage(row, commit, score_restoration(made, row.gold()), gate(made, row.entry)))
    return tuple(scored)
