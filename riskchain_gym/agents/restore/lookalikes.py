"""Folds look-alike letters to the ASCII ones an entry is written in, and knows what else they could be."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from riskchain_gym.agents.restore.tables import letters

DOT = "."
BREAK = "\n"
SPACE = " "
OTHER = "\0"
"""Stands in folded text for every character that cannot be part of an entry."""

_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_DOTS = frozenset(".．。｡，,﹐､、·•‧∙⋅․﹒・")
_SPOKEN_DOT = "点"
_BLOCKS = (
    (0x1F130, "a"),  # squared, negative circled, negative squared and regional letters: no decomposition folds them all
    (0x1F150, "a"),
    (0x1F170, "a"),
    (0x1F1E6, "a"),
    (0x2776, "1"),
    (0x2780, "1"),
    (0x278A, "1"),
)
_RIVALS = {"0": "o", "o": "0", "1": "li", "l": "1i", "i": "l1"}
_REACH = 4
_UNSURE = frozenset("OI")


def fold(text: str) -> str:
    """Return a text of the same length in entry letters, :data:`DOT`, :data:`BREAK`, :data:`SPACE`, :data:`OTHER`.

    Args:
        text: Text without codes and marks.
    """
    folded = [_fold_char(char) for char in text]
    for i, char in enumerate(text):
        if char == _SPOKEN_DOT and _is_spoken_dot(folded, i):
            folded[i] = DOT
    return "".join(folded)


def rivals(written: str, read: str) -> tuple[str, bool]:
    """Return the other ASCII characters that a written one could be, and whether reading it was a guess.

    Args:
        written: The character in the message.
        read: What :func:`fold` made of it.
    """
    return _RIVALS.get(read, ""), written in _UNSURE or not written.isascii()


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> str:
    if char in _DOTS:
        return DOT
    if char in "\n\v\u2028\u2029\x85":
        return BREAK
    if char.isspace():
        return SPACE
    for form in (char, *(unicodedata.normalize(name, char) for name in ("NFKC", "NFKD"))):
        base = form if len(form) == 1 else form[:1] if all(map(unicodedata.combining, form[1:])) else ""
        for reading in (base.lower(), letters().get(base, ""), letters().get(base.lower(), "")):
            if reading and reading in _ALPHABET:
                return reading
    code = ord(char)
    for start, first in _BLOCKS:
        if start <= code < start + (26 if first == "a" else 9):
            return chr(ord(first) + code - start)
    return OTHER


def _is_spoken_dot(folded: list[str], index: int) -> bool:
    """点 is a dot between entry letters, on their line or on one of its own."""
    gaps = (BREAK, SPACE)
    before = next((c for c in reversed(folded[max(0, index - _REACH) : index]) if c not in gaps), OTHER)
    after = next((c for c in folded[index + 1 : index + 1 + _REACH] if c not in gaps), OTHER)
    return before in _ALPHABET and after in _ALPHABET
