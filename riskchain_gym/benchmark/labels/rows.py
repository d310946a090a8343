"""Rows of labels in CSV or JSON Lines, as other tools write and read them: text in, cells by column out."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import canonical_json

SUFFIXES = (".csv", ".jsonl")
_SHOWN = 20


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        line: Line of the file that it begins on, from 1.
        cells: What it holds, by column; text in a CSV, any JSON in JSON Lines.
    """

    line: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    """What is wrong with one cell, or one row.

    Attributes:
        line: Line that its row begins on.
        column: The column, ``""`` for the row.
        problem: What was given and what may be given.
    """

    line: int
    column: str
    problem: str


class LabelRowsError(InputFileError):
    """A file whose rows are not labels; the message names the first twenty faults and counts the rest.

    Attributes:
        faults: All of them, in order of the file.
    """

    def __init__(self, path: Path, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        told = [
            f"  line {fault.line}: " + (f"{fault.column}: " if fault.column else "") + fault.problem
            for fault in self.faults[:_SHOWN]
        ]
        if (more := len(self.faults) - _SHOWN) > 0:
            told.append(f"  … and {more} more")
        count = "one fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        super().__init__(path, "", "\n".join([f"has {count}, so nothing was imported:", *told]))


def read_rows(path: Path) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Return the columns of a file, in order of appearance, and its rows; empty lines are passed over.

    Args:
        path: A CSV with a header, separated by commas, or JSON Lines with an object a line; UTF-8, with or without a
            byte order mark.

    Raises:
        InputFileError: It is neither, in another encoding, empty or malformed.
    """
    _check_suffix(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give a file of labels") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 (byte {error.start + 1} is 0x{data[error.start]:02x}): save it as UTF-8"
        raise InputFileError(path, "", problem) from error
    rows = tuple(_csv_rows(path, text) if path.suffix.lower() == ".csv" else _json_rows(path, text))
    if not rows:
        raise InputFileError(path, "", "holds no row, give a file of labels")
    return tuple(dict.fromkeys(column for row in rows for column in row.cells)), rows


def encode_rows(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the bytes of a file that :func:`read_rows` reads back.

    Args:
        path: The file; its name says which kind it is.
        columns: Columns of a CSV.
        rows: What each row holds, by column; in a CSV, lists are joined by ``|`` and other JSON is written as such.

    Raises:
        InputFileError: The name ends in neither ``.csv`` nor ``.jsonl``.
    """
    _check_suffix(path)
    if path.suffix.lower() == ".jsonl":
        return "".join(f"{canonical_json(row)}\n" for row in rows).encode()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode()


def has_half_character(value: object) -> bool:
    """Return whether a text, or one in JSON, holds a lone surrogate: half of a character, which UTF-8 cannot say."""
    if isinstance(value, str) and value.isascii():
        return False
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            if any("\ud800" <= sign <= "\udfff" for sign in each):
                return True
        elif isinstance(each, list):
            left += each
        elif isinstance(each, dict):
            left += [*each, *each.values()]
    return False


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "|".join(value)
    return value if isinstance(value, str) else canonical_json(value)


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        problem = f"ends in '{path.suffix}': labels are read and written as {' or '.join(SUFFIXES)}"
        raise InputFileError(path, "", problem)


def _csv_rows(path: Path, text: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    line, faults = 1, []
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputFileError(path, f"line {line}", f"is no CSV ({error}), mend it") from error
        if cells is None:
            break
        began, line = line, reader.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(path, began, cells)
        elif len(cells) != len(header):
            told = f"has {len(cells)} cells, and the header names {len(header)} columns: quote cells that hold commas"
            faults.append(Fault(began, "", told))
        else:
            yield Row(began, dict(zip(header, cells, strict=True)))
    if faults:
        raise LabelRowsError(path, faults)


def _header(path: Path, line: int, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) == 1 and (other := next((sign for sign in ";\t" if sign in names[0]), "")):
        shown = "tabs" if other == "\t" else f"'{other}'"
        raise InputFileError(path, f"line {line}", f"is separated by {shown}: separate the columns by commas")
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise InputFileError(path, f"line {line}", f"names the column '{twice[0]}' more than once: take one out")
    return names


def _json_rows(path: Path, text: str) -> Iterator[Row]:
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(number, "", f"is no JSON ({error}), mend it"))
            continue
        if isinstance(value, dict):
            yield Row(number, value)
        else:
            faults.append(Fault(number, "", f"is no JSON object, it begins {line.strip()[:20]!r}"))
    if faults:
        raise LabelRowsError(path, faults)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if twice := [name for name, n in Counter(name for name, _ in members).items() if n > 1]:
        raise ValueError(f"'{twice[0]}' is named more than once")
    if half := [name for name, _ in members if has_half_character(name)]:
        raise ValueError(f"the name {half[0]!r} holds half a character")
    return dict(members)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
