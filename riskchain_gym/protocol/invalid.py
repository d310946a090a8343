"""What a model refused, as an error of the file that it was read from."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen

M = TypeVar("M", bound=Frozen)


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return the first failing field as a dotted path, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    given = repr(first.get("input"))
    shown = given if len(given) <= 80 else given[:77] + "..."
    return field, f"{first['msg'].removeprefix('Value error, ')}, got {shown}"


def invalid(path: Path, error: ValidationError, where: str = "") -> InputFileError:
    """Return the error of a file that does not hold what it should.

    Args:
        path: The file.
        error: What the model said.
        where: The place in it that the model was given, e.g. ``line 3``; the whole file by default.
    """
    field, problem = first_problem(error)
    return InputFileError(path, f"{where}: {field}" if where and field else where or field, problem)


def read_model(path: Path, model: type[M], advice: str) -> M:
    """Return the model that a JSON file holds.

    Args:
        path: The file.
        model: What it should hold.
        advice: What to do when the file cannot be read.

    Raises:
        InputFileError: It is missing or malformed.
    """
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), {advice}") from error
    except ValidationError as error:
        raise invalid(path, error) from error
