"""The base of every value that crosses a boundary: frozen, strict about keys, canonical as bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable pydantic model that refuses unknown fields, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


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
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_of(value: Any) -> str:
    """Return the hexadecimal SHA-256 of :func:`canonical_json` of ``value`` (of the text itself for a ``str``)."""
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
