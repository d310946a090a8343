"""JSON Lines: objects in, one a line, every error with its line; lines out that every reader splits alike."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.invalid import invalid

M = TypeVar("M", bound=BaseModel)

_LISTED = 5

_SEPARATORS = str.maketrans({"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Characters that JSON may hold as they are and at which some readers end a line."""


class _RefusedError(ValueError):
    """A value that JSON readers disagree about."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank.

    Args:
        path: A UTF-8 file; lines end at line feeds only.

    Raises:
        InputFileError: The file cannot be read or is not UTF-8.
    """
    if path.is_dir():
        raise InputFileError(path, "", f"is a folder, give a file{_inside(path)}")
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give another file") from error
    except UnicodeDecodeError as error:
        raise InputFileError(path, "", f"is not UTF-8 ({error.reason} at byte {error.start}), convert it") from error


def refuse_folder(path: Path, name: str) -> None:
    """Refuse a folder where a file is wanted, naming the one that is meant.

    Args:
        path: What was given.
        name: How that file is called in folders of this project.

    Raises:
        InputFileError: It is a folder.
    """
    if path.is_dir():
        inside = _inside(path, name) or f", e.g. the {name} of a built split"
        raise InputFileError(path, "", f"is a folder, give a file{inside}")


def _inside(folder: Path, name: str = "*.jsonl") -> str:
    """Return the files of that name in a folder, and in the folders in it, as an error names them."""
    found = [str(each.relative_to(folder)) for each in (*sorted(folder.glob(name)), *sorted(folder.glob(f"*/{name}")))]
    return f" in it: {', '.join(found[:_LISTED])}{' …' if len(found) > _LISTED else ''}" if found else ""


def parse_object(path: Path, number: int, line: str) -> dict[str, Any]:
    """Return the object that a line holds.

    Args:
        path: The file, for errors.
        number: The line's number, for errors.
        line: Its text.

    Raises:
        InputFileError: The line is not JSON, not an object, has a key twice or holds a number that is none.
    """
    where = f"line {number}"
    try:
        raw: Any = json.loads(line, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        problem = f"is not JSON ({error.msg} at column {error.colno}), write one object a line"
        raise InputFileError(path, where, problem) from error
    except _RefusedError as error:
        raise InputFileError(path, where, str(error)) from error
    except ValueError as error:
        problem = "holds a number of too many digits, write an integer the fields allow"
        raise InputFileError(path, where, problem) from error
    except RecursionError as error:
        raise InputFileError(path, where, "is nested too deeply, write one flat object a line") from error
    if not isinstance(raw, dict):
        raise InputFileError(path, where, f"holds a {type(raw).__name__}, write one JSON object a line")
    return raw


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank.

    Raises:
        InputFileError: The file cannot be read or has no lines, or a line holds no object.
    """
    empty = True
    for number, line in read_lines(path):
        empty = False
        yield number, parse_object(path, number, line)
    if empty:
        raise InputFileError(path, "", "holds no rows, give a file with one JSON object a line")


def parse_row(path: Path, number: int, raw: dict[str, Any], model: type[M]) -> M:
    """Return the model that a line's object holds.

    Args:
        path: The file, for errors.
        number: The line's number, for errors.
        raw: The object.
        model: What it must hold.

    Raises:
        InputFileError: A field is wrong.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise invalid(path, error, f"line {number}") from error


def write_models(path: Path, rows: Iterable[BaseModel]) -> int:
    """Write one model a line and return how many; the file appears whole or not at all.

    Args:
        path: The file; an existing one is replaced at the end.
        rows: What to write.

    Raises:
        InputFileError: The file cannot be written there.
    """
    lines = [f"{row.model_dump_json()}\n".translate(_SEPARATORS) for row in rows]
    try:
        write_atomically(path, "".join(lines).encode())
    except OSError as error:
        raise InputFileError(path, "", f"cannot be written ({error.strerror}), choose another place") from error
    return len(lines)


def whole_characters(text: str) -> str:
    """Return a text that UTF-8 can hold.

    Raises:
        ValueError: It holds half a surrogate pair.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half a surrogate pair, write the whole character")
    return text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _RefusedError(f"has the key {name!r} twice, drop one")
        found[name] = value
    return found


def _no_number(name: str) -> float:
    raise _RefusedError(f"holds {name}, which is no JSON number, drop it")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise _RefusedError(f"holds {text}, which is too large a number, drop it")
    return number
