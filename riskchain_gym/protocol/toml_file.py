"""TOML files that people write: each fault is named with the file and its field."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.hints import named_wrongly
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen

M = TypeVar("M", bound=Frozen)


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds.

    Raises:
        InputFileError: It is not there, or no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputFileError(path, "", "there is no such file, check the path") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputFileError(path, "", f"it cannot be read as TOML ({error}), fix or replace it") from error


def read_toml_model(path: Path, model: type[M], *inner: type[BaseModel]) -> M:
    """Return the model that a TOML file holds.

    Args:
        path: The file.
        model: What it should hold.
        inner: The models of its tables, whose fields are named where one is misspelled.

    Raises:
        InputFileError: It is not there, no TOML, or a field is unknown, missing or malformed.
    """
    raw = read_toml(path)
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise InputFileError(path, *(named_wrongly(error, [model, *inner]) or first_problem(error))) from error
