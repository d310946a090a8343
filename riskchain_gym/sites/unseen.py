"""Characters that nobody sees: a text that holds one is not what it looks like."""

from __future__ import annotations

import unicodedata

_UNSEEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BLANK = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Letters and marks that are drawn as nothing."""

_JOINER = "\u200d"
_JOINED = frozenset({"So", "Sk", "Mn"})
"""Kinds of character that the joiner of emoji stands behind."""


def unseen_in(text: str) -> str:
    """Return the first character of a text that nobody sees as its code point, e.g. ``U+200B``, or ``""``.

    These are control characters, a line feed left out, and formatting characters, those that turn the direction of
    writing among them. The joiner inside an emoji is none.
    """
    if text.isprintable():
        return next((code_point(c) for c in text if c in _BLANK), "") if not text.isascii() else ""
    for before, character in zip(f" {text}", text, strict=False):
        if character != "\n" and _is_unseen(character, before):
            return code_point(character)
    return ""


def code_point(character: str) -> str:
    """Return a character as its code point is written, e.g. ``U+202E``."""
    return f"U+{ord(character):04X}"


def as_typed(text: str, *, lines: bool = False) -> str:
    """Return what a visitor typed as a page can show it: without characters that nobody sees, on one line.

    Args:
        text: What was sent.
        lines: Whether its line ends stay, as in a text area; otherwise all white space becomes single spaces.
    """
    if lines:
        return "\n".join(_visible(line).rstrip() for line in text.splitlines()).strip()
    return " ".join(_visible(" ".join(text.split())).split())


def _visible(text: str) -> str:
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):
        return text
    kept: list[str] = []
    for character in text:
        if character == "\t":
            kept.append(" ")
        elif not _is_unseen(character, kept[-1] if kept else " ") and not _is_none(character):
            kept.append(character)
    return "".join(kept)


def _is_unseen(character: str, before: str) -> bool:
    if character == _JOINER:
        return unicodedata.category(before) not in _JOINED
    return character in _BLANK or unicodedata.category(character) in _UNSEEN_KINDS


def _is_none(character: str) -> bool:
    """Return whether a code point will never be a character."""
    return ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF
