"""What a person may have meant who gave a name that there is none of."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError


def hint(name: str, known: Collection[str]) -> str:
    """Return ``did you mean …?`` with the nearest known names, or all that are known where none is near.

    Args:
        name: The name that was given.
        known: The names that there are, in the order they are listed in.
    """
    near = get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."


def named_wrongly(error: ValidationError, models: Collection[type[BaseModel]]) -> tuple[str, str] | None:
    """Return the first field that there is none of, as a dotted path, and a hint; ``None`` if all are known.

    A field that is missing is often there under a wrong name, so that this is told first.

    Args:
        error: What a model said.
        models: The models that fields can be of, the outer one first; each place in one is of the next.
    """
    for each in error.errors(include_url=False, include_input=False):
        if each["type"] == "extra_forbidden":
            path = [str(part) for part in each["loc"]]
            model: type[Any] = list(models)[0 if len(path) == 1 else -1]
            return ".".join(path), f"there is no such field, {hint(path[-1], tuple(model.model_fields))}"
    return None
