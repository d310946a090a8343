"""Reading the room's TOML files: every error names the file and the field."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.invalid import invalid

M = TypeVar("M", bound=BaseModel)


def load_toml(path: Path, model: type[M], each: Mapping[str, Mapping[str, object]] | None = None) -> M:
    """Return the file's content as a validated model.

    Args:
        path: A TOML file.
        model: What it must hold.
        each: Fields to add to every table of an array of tables, by the array's name.

    Raises:
        InputFileError: The file is missing, is not TOML, or a field is wrong.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), restore it or name another") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputFileError(path, "", f"is not UTF-8 TOML ({error}), correct it there") from error
    for name, fields in (each or {}).items():
        if isinstance(tables := raw.get(name), list):
            raw[name] = [{**table, **fields} if isinstance(table, dict) else table for table in tables]
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise invalid(path, error) from error
