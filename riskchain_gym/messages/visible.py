"""Invisible characters by their code points, for people who look at messages."""

from __future__ import annotations

import unicodedata

_SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x180C, 0x180D, 0x180F}
_BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
"""Letters and marks by category that nothing is drawn for: a joiner, fillers, the empty Braille pattern."""

_PICTURE, _KEYCAP = "\ufe0f", "\u20e3"


def show_invisible(text: str, *, kept: str = " \n") -> str:
    """Return a text with every character that shows nothing, or moves others, as ``⟨XXXX⟩``.

    Those are controls, zero-width and bidi characters, blanks other than the space, fillers and variation selectors,
    except the selector inside a keycap, which is one picture.

    Args:
        text: The text.
        kept: Invisible characters to leave as they are.
    """
    following = (*text[1:], "")
    return "".join(
        f"⟨{ord(c):04X}⟩" if c not in kept and (c, after) != (_PICTURE, _KEYCAP) and is_invisible(c) else c
        for c, after in zip(text, following, strict=False)
    )


def is_invisible(character: str) -> bool:
    """Say whether a character shows nothing of its own."""
    point = ord(character)
    return unicodedata.category(character)[0] in "CZ" or point in _SELECTORS or point in _BLANK
