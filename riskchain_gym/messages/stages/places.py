"""Where a stage may write: shares of places, clauses, gaps between neighbours, and the cells of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from riskchain_gym.messages.stages.base import Context, pick
from riskchain_gym.protocol.keyed import KeyedRandom

HAN = "\u4e00-\u9fff"
"""The common Chinese characters, as a range inside a pattern's brackets."""

_HAN_PAIR = re.compile(f"[{HAN}](?=[{HAN}])")
_CLAUSE = re.compile(r"[^\s，。；！？：、（）,;!?:()]+")
_JOINER = "\u200d"


def share(places: Sequence[int], part: float, rng: KeyedRandom) -> list[int]:
    """Return a share of the places, in order: the nearest number to ``part`` of them, and one at least.

    Args:
        places: What there is to choose from.
        part: The share, 0 to 1.
        rng: Where to draw from.
    """
    return pick(places, max(1, round(part * len(places))), rng)


def found_words(pattern: re.Pattern[str], text: str, context: Context) -> dict[int, str]:
    """Return what a pattern finds outside the addresses, by its offset."""
    return {m.start(): m.group() for start, end in context.outside(text) for m in pattern.finditer(text, start, end)}


def han_gaps(text: str, context: Context) -> list[int]:
    """Return the offsets outside the addresses that have a Chinese character on both sides."""
    return [pair.start() + 1 for start, end in context.outside(text) for pair in _HAN_PAIR.finditer(text, start, end)]


def clauses(text: str, context: Context, least: int) -> list[tuple[int, int]]:
    """Return the spans outside the addresses between punctuation and spaces, left to right.

    Args:
        text: The stage's input.
        context: Its context.
        least: How many characters a clause has at least.
    """
    return [
        clause.span()
        for start, end in context.outside(text)
        for clause in _CLAUSE.finditer(text, start, end)
        if clause.end() - clause.start() >= least
    ]


def cells(text: str) -> list[str]:
    """Return the characters of a text as a reader counts them: each with its marks, an emoji with all its parts."""
    found: list[str] = []
    for character in text:
        joins = found and (
            found[-1].endswith(_JOINER)
            or character == _JOINER
            or (not character.isascii() and unicodedata.category(character) in ("Mn", "Me"))
        )
        if joins:
            found[-1] += character
        else:
            found.append(character)
    return found
