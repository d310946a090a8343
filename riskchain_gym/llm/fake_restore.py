"""How the scripted agent restores a message: it copies the text, and takes an entry that stands there plainly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_ENTRY = re.compile(r"(?<![a-z0-9-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){2,}test(?![a-z0-9-])")
_DOTS = re.compile(r"\s*[.。．・·]\s*")


def restore(blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a restoration of the messages in the block ``message``, with at most one entry."""
    messages = blocks["message"]["messages"]
    entry = next((found for found in map(entry_in, (m["content"] for m in messages)) if found), None)
    return {
        "reconstructed_messages": [{"message_id": m["message_id"], "text": m["content"]} for m in messages],
        "intent": "OPEN_SITE" if entry else "UNKNOWN",
        "platform": blocks["message"].get("platform", "unknown"),
        "entry_candidates": [{"rank": 1, "value": entry, "confidence": 0.5}] if entry else [],
        "abstain": entry is None,
        "uncertainties": [],
    }


def entry_in(text: str) -> str | None:
    """Return the first entry of the form ``label.label.test`` that full width and loose dots alone disguise."""
    plain = _DOTS.sub(".", unicodedata.normalize("NFKC", text).lower())
    found = _ENTRY.search(plain)
    return found[0] if found else None
