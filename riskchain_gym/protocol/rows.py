"""Files of rows: one model a line, as canonical JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.model import Frozen, canonical_json

R = TypeVar("R", bound=Frozen)


def read_rows(path: Path, model: type[R], field: str, instead: str) -> Iterator[tuple[int, R]]:
    """Yield the number and the row of each line of a JSONL file, in its order.

    Args:
        path: The file.
        model: What a line holds.
        field: The field that is a row's own in its file.
        instead: What to give where there is no file, e.g. ``give a JSONL file of anchors``.

    Raises:
        InputFileError: It cannot be read, a line is malformed, or an id is there twice; the message names the line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), {instead}") from error
    seen = set[str]()
    for number, line in enumerate(lines, 1):
        try:
            row = model.model_validate_json(line)
        except ValidationError as error:
            raise invalid(path, error, f"line {number}") from error
        own = str(getattr(row, field))
        if own in seen:
            raise InputFileError(path, f"line {number}: {field}", f"'{own}' is there more than once")
        seen.add(own)
        yield number, row


def encoded_rows(rows: Iterable[Frozen]) -> bytes:
    """Return the bytes of a file of rows: canonical JSON, one a line."""
    return "".join(f"{canonical_json(row)}\n" for row in rows).encode()
