"""Files that judges' answers are appended to, a line each; what was asked once is read from there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import Frozen, canonical_json

Row = TypeVar("Row", bound=Frozen)
Problem = tuple[str, str]


class AnswerFile(Generic[Row]):
    """An append-only JSONL file of answers, by chain; of two lines on one chain the later one counts.

    Args:
        path: The file; it need not exist yet.
        model: What a line holds.
        chain_of: The chain that a line is about.
        problem_of: Field and problem of a line that does not belong here, or ``None``.

    Raises:
        InputFileError: A line is malformed or does not belong; nothing is written.
    """

    def __init__(
        self,
        path: Path,
        model: type[Row],
        chain_of: Callable[[Row], str],
        problem_of: Callable[[Row], Problem | None],
    ) -> None:
        self._shard = LineFile(path)
        self._chain_of = chain_of
        self._known: dict[str, Row] = {}
        for number, line in enumerate(self._shard.lines(), 1):
            try:
                row = model.model_validate_json(line)
            except ValidationError as error:
                raise invalid(path, error, f"line {number}") from error
            if (problem := problem_of(row)) is not None:
                raise InputFileError(path, f"line {number}: {problem[0]}", problem[1])
            self._known[chain_of(row)] = row

    def known(self, chain: str) -> Row | None:
        """Return what the file holds of a chain."""
        return self._known.get(chain)

    def add(self, row: Row) -> None:
        """Append a line, unless it says what the file says already."""
        chain = self._chain_of(row)
        if self._known.get(chain) != row:
            with self._shard.locked() as file:
                self._shard.mend(file)
                write_line(file, canonical_json(row).encode() + b"\n")
            self._known[chain] = row
