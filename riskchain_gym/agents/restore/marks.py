"""Removes what has no width of its own: keycap marks, joiners, direction controls, overlays."""

from __future__ import annotations

import re

_KEYCAP = re.compile("([0-9#*])\ufe0f?\u20e3")
_OVERLAY = re.compile("(?<=[0-9A-Za-z\u0370-\u03ff\u0400-\u052f])[\u0300-\u036f\u20d0-\u20ff\ufe0e\ufe0f]+")
_JOINER = re.compile("(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\U000e0000-\U000e01ef]"
)


def drop_marks(text: str) -> tuple[str, int]:
    """Return the text without invisible marks, and how many were removed.

    A joiner or a variation selector that belongs to an emoji stays.

    Args:
        text: Any text.
    """
    total = 0
    for pattern, kept in ((_KEYCAP, r"\1"), (_OVERLAY, ""), (_JOINER, ""), (_INVISIBLE, "")):
        text, count = pattern.subn(kept, text)
        total += count
    return text, total
