"""Writing exports: one file, atomically, an episode at a time, and nothing of a sealed split unless it is wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from riskchain_gym.evaluation.exports.chat import By, chat_lines
from riskchain_gym.evaluation.exports.inspect_log import write_log
from riskchain_gym.evaluation.exports.pairs import Rule, pair_lines
from riskchain_gym.evaluation.exports.played import Only
from riskchain_gym.evaluation.exports.table import EPISODE_COLUMNS, STEP_COLUMNS, episode_rows, step_rows
from riskchain_gym.evaluation.exports.table_files import check_parquet, write_csv, write_parquet
from riskchain_gym.evaluation.exports.turns import Answers
from riskchain_gym.evaluation.exports.web_outcomes import web_outcome_rows, without_row
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.places import check_outside_runs
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import written_atomically

Format = Literal["chat", "dpo", "inspect", "parquet", "csv", "web-outcomes"]

COMPARED_ON = frozenset({"test", "hard"})
"""Splits that models are compared on: who learns from them can no longer be."""

_LEARNT_FROM = frozenset({"chat", "dpo"})


@dataclass(frozen=True)
class ExportSettings:
    """What is exported, and how.

    Attributes:
        format: The form of the file.
        only: Which episodes; of ``chat``.
        by: What a line, or a side of a pair, holds; of ``chat`` and ``dpo``.
        answers: How answers are written; of ``chat`` and ``dpo``.
        rule: What makes an episode right; of ``dpo``.
        steps: Whether a row is a step; of tables.
        allow_sealed: Whether the words of a sealed split may be written.
    """

    format: Format
    only: Only = "all"
    by: By = "episode"
    answers: Answers = "form"
    rule: Rule = "end-to-end"
    steps: bool = False
    allow_sealed: bool = False

    @property
    def has_words(self) -> bool:
        """Whether the file holds words of messages, pages or answers."""
        return self.format in (*_LEARNT_FROM, "inspect") or self.steps


def export(runs: Sequence[RunFolder], path: Path, settings: ExportSettings) -> int:
    """Write an export; the same runs give the same bytes.

    Args:
        runs: The runs, at least one.
        path: The file to write.
        settings: What is exported, and how.

    Returns:
        How many lines, rows or samples were written.

    Raises:
        ConfigError: The file would lie in a run folder; a run is of a sealed split and that is not allowed; there are
            too many runs for the format, or too few; web outcomes would be of several agents; or Inspect would not
            know the file.
        InputFileError: A run is damaged, lacks scores that are needed, or was made on another split than the one here.
        UnknownNameError: The split of a run is not here.
        MissingExtraError: pyarrow is needed and not installed.
    """
    _check(runs, path, settings)
    with written_atomically(path) as file:
        return _write(file, runs, settings)


def warnings_for(runs: Sequence[RunFolder], settings: ExportSettings) -> list[str]:
    """Return what should be said before something is learnt from an export.

    Raises:
        RiskChainError: Of web outcomes, as :func:`export` does.
    """
    if settings.format == "web-outcomes":
        return without_row(runs)
    if settings.format not in _LEARNT_FROM:
        return []
    splits = dict.fromkeys(run.manifest.split for run in runs if Path(run.manifest.split).name in COMPARED_ON)
    oracles = dict.fromkeys(run.manifest.agent for run in runs if run.manifest.agent_kind == "oracle")
    return [
        *(f"'{s}' is a split that models are compared on: one that learns from it can no longer be." for s in splits),
        *(f"'{agent}' was given the gold: its answers rest on more than it was shown." for agent in oracles),
    ]


def _check(runs: Sequence[RunFolder], path: Path, settings: ExportSettings) -> None:
    check_outside_runs(path)
    if not runs:
        raise ConfigError("There is no run to export: give at least one run folder.")
    if settings.format == "parquet":
        check_parquet()
    if settings.format == "inspect" and len(runs) > 1:
        raise ConfigError(f"An Inspect log holds one run, got {len(runs)}: export each into a file of its own.")
    if settings.format == "inspect" and path.suffix != ".json":
        raise ConfigError(f"Inspect knows logs by the ending .json, and '{path.name}' has another: add it.")
    sealed = [run for run in runs if run.manifest.origin == "sealed"]
    if sealed and settings.has_words and not settings.allow_sealed:
        raise ConfigError(
            f"{sealed[0].path} is a run on the sealed split '{sealed[0].manifest.split}', whose words are worth "
            "something only as long as no model has learnt them: export a table without --steps, or say --allow-sealed "
            "and keep the file to yourself."
        )


def _write(file: BinaryIO, runs: Sequence[RunFolder], settings: ExportSettings) -> int:
    if settings.format == "chat":
        return _lines(file, chat_lines(runs, settings.only, settings.by, settings.answers))
    if settings.format == "dpo":
        return _lines(file, pair_lines(runs, settings.rule, settings.by, settings.answers))
    if settings.format == "inspect":
        return write_log(file, runs[0])
    if settings.format == "web-outcomes":
        return _lines(file, web_outcome_rows(runs))
    write = write_parquet if settings.format == "parquet" else write_csv
    if settings.steps:
        return write(file, STEP_COLUMNS, step_rows(runs))
    return write(file, EPISODE_COLUMNS, episode_rows(runs))


def _lines(file: BinaryIO, lines: Iterable[dict[str, Any]]) -> int:
    count = 0
    for count, line in enumerate(lines, 1):  # noqa: B007 -- the last number is what is asked for
        file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    return count
