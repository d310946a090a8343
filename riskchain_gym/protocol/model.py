"""The base of every value that crosses a boundary: frozen, strict about keys, canonical as bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class Frozen(BaseModel):
    """An immutable pydantic model that refuses unknown fields, NaN and infinities.

    What a ``cached_property`` has derived from the values stays with this very object: copies and pickles go without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, ``update`` taken over unchecked."""
        copied = super().model_copy(update=update, deep=deep)
        if len(copied.__dict__) > len(fields := type(self).model_fields):
            for name in copied.__dict__.keys() - fields.keys():
                del copied.__dict__[name]
        return copied

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = type(self).model_fields
        return {**state, "__dict__": {name: value for name, value in state["__dict__"].items() if name in fields}}


def canonical_json(value: Any) -> str:
    """Return the one JSON text of ``value``: sorted keys, no spaces, non-ASCII kept.

    This is the form the published benchmark hashes (``task_sha256``), so hashes agree with it.

    Args:
        value: A :class:`Frozen` model or anything :func:`json.dumps` accepts.

    Raises:
        ValueError: The value holds NaN or an infinity.
    """
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return _ENCODER.encode(value)


def json_object(members: Mapping[str, str]) -> str:
    """Return the :func:`canonical_json` of an object whose members are canonical JSON texts already."""
    return "{" + ",".join([f"{_ENCODER.encode(name)}:{members[name]}" for name in sorted(members)]) + "}"


def without_unsaid(dumped: dict[str, Any], **unsaid: Any) -> dict[str, Any]:
    """Return a dump without the fields that a model got later, where they say nothing.

    Data that was written before there were such fields keeps its bytes, and with them its hashes.

    Args:
        dumped: What a model dumps.
        unsaid: The value by which each of those fields says nothing.
    """
    return {name: value for name, value in dumped.items() if name not in unsaid or value != unsaid[name]}


def sha256_of(value: Any) -> str:
    """Return the hexadecimal SHA-256 of :func:`canonical_json` of ``value`` (of the text itself for a ``str``)."""
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
