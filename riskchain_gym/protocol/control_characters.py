"""Characters that act on what shows a text, instead of being shown: made visible where people and tools read names."""

from __future__ import annotations

import unicodedata

_ACTING = {"Cc", "Cs", "Zl", "Zp"}
_BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def show_controls(text: str, *, kept: str = "") -> str:
    """Return a text with controls, marks that turn the direction, line separators and halves of pairs as ``⟨XXXX⟩``.

    Args:
        text: The text.
        kept: Such characters to leave as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨{ord(c):04X}⟩" if _acts(c) and c not in kept else c for c in text)


def show_name(name: str) -> str:
    """Return a name that can be read, whatever it is made of; one of blanks alone is said to be blank."""
    shown = show_controls(name)
    return shown if shown.strip() else "(blank)"


def _acts(character: str) -> bool:
    return ord(character) in _BIDI or unicodedata.category(character) in _ACTING
