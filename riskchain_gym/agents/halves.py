"""Half surrogate pairs: Python's text can hold them, but no UTF-8 can, and so no action, commit or report."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
"""What stands in the place of half a character, as browsers show it."""

_HALF = re.compile("[\ud800-\udfff]")


def holds_half(text: str) -> bool:
    """Return whether a text holds half a surrogate pair."""
    return _HALF.search(text) is not None


def without_halves(text: str) -> str:
    """Return a text with :data:`REPLACEMENT` in the place of every half surrogate pair."""
    return _HALF.sub(REPLACEMENT, text)
