"""Files of obfuscated and plain texts side by side: CSV, TSV or JSON Lines, every error with its line and column."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from riskchain_gym.messages.json_lines import read_objects, whole_characters
from riskchain_gym.protocol.errors import ConfigError, InputFileError

_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
_JSON = (".jsonl", ".ndjson")
_LONGEST = 8000
"""Most characters a text may have: the most that a restored one may."""


class TextPair(NamedTuple):
    """A text as somebody disguised it, and what it says."""

    line: int
    obfuscated: str
    plain: str


def read_pairs(path: Path, *, obfuscated: str, plain: str) -> Iterator[TextPair]:
    """Yield the pairs of a file, in order.

    Args:
        path: ``.csv`` (the delimiter is the one of ``, ; | TAB`` whose header has both columns), ``.tsv``, ``.jsonl``
            or ``.ndjson``, UTF-8 with or without a byte order mark. Further columns are passed over.
        obfuscated: Name of the column, or key, with the disguised texts.
        plain: Name of the one with the plain texts.

    Raises:
        ConfigError: Both names are the same.
        InputFileError: The file cannot be read, has another ending, no such columns or no rows, or a cell is missing,
            empty, too long, no text or holds half a surrogate pair.
    """
    if obfuscated == plain:
        raise ConfigError(f"Both columns are '{plain}': name one with obfuscated and one with plain text.")
    ending = path.suffix.lower()
    if ending in _JSON:
        cells = _json_cells(path, (obfuscated, plain))
    elif ending in _DELIMITERS:
        cells = _table_cells(path, (obfuscated, plain), _DELIMITERS[ending])
    else:
        known = ", ".join((*_DELIMITERS, *_JSON))
        raise InputFileError(path, "", f"ends in '{path.suffix}', give a file that ends in one of {known}")
    for line, values in cells:
        texts = [_text(path, line, name, value) for name, value in zip((obfuscated, plain), values, strict=True)]
        yield TextPair(line, *texts)


def _text(path: Path, line: int, column: str, value: object) -> str:
    problem = ""
    if not isinstance(value, str):
        problem = f"holds a {type(value).__name__}, write a text"
    elif not value.strip():
        problem = "is empty, write a text or drop the row"
    elif len(value) > _LONGEST:
        problem = f"has {len(value)} characters, at most {_LONGEST} are allowed: cut it or drop the row"
    else:
        try:
            return whole_characters(value)
        except ValueError as error:
            problem = str(error)
    raise InputFileError(path, f"line {line}: {column}", problem)


def _json_cells(path: Path, columns: tuple[str, str]) -> Iterator[tuple[int, list[object]]]:
    for line, raw in read_objects(path):
        if missing := [name for name in columns if name not in raw]:
            raise InputFileError(path, f"line {line}: {missing[0]}", f"is missing, the keys are {', '.join(raw)}")
        yield line, [raw[name] for name in columns]


def _table_cells(path: Path, columns: tuple[str, str], delimiters: str) -> Iterator[tuple[int, list[object]]]:
    start = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            places, width, delimiter = _places(path, file.readline(), columns, delimiters)
            rows = csv.reader(file, delimiter=delimiter, strict=True)
            start, empty = 2, True
            for row in rows:
                if row:
                    empty = False
                    if len(row) != width:
                        problem = f"has {len(row)} cells where the header has {width}, quote or complete it"
                        raise InputFileError(path, f"line {start}", problem)
                    yield start, [row[place] for place in places]
                start = rows.line_num + 2
            if empty:
                raise InputFileError(path, "", "holds no rows below its header, give a file with pairs")
    except csv.Error as error:
        raise InputFileError(path, f"line {start}", f"is no table row ({error}), quote it rightly") from error
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give another file") from error
    except UnicodeDecodeError as error:
        raise InputFileError(path, "", f"is not UTF-8 ({error.reason} at byte {error.start}), convert it") from error


def _places(path: Path, header: str, columns: tuple[str, str], delimiters: str) -> tuple[list[int], int, str]:
    for delimiter in delimiters:
        names = next(csv.reader([header], delimiter=delimiter), [])
        if all(names.count(column) == 1 for column in columns):
            return [names.index(column) for column in columns], len(names), delimiter
    shown = header.strip()
    raise InputFileError(
        path, "line 1", f"has not the columns '{columns[0]}' and '{columns[1]}' once each, it is: {shown[:200]}"
    )
