"""The phrases of a line: short runs of characters and words, in one spelling, numbers left open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

LONGEST = 4
"""Pieces of the longest phrase."""

NUMBER = "#"
"""What any number is written as."""

_PIECE = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+(?:[.,:]\d+)*|[^\s\d]|\d")


def pieces(line: str) -> list[str]:
    """Cut a line, in the lexicon's spelling, into Latin words, numbers (as ``#``) and single other characters."""
    return [NUMBER if piece[0].isdigit() else piece for piece in _PIECE.findall(line)]


def phrase_of(run: Sequence[str]) -> str:
    """Write pieces as one phrase: Latin words with a blank between them, everything else without."""
    written = run[0]
    for before, piece in pairwise(run):
        written += f" {piece}" if _is_word(before) and _is_word(piece) else piece
    return written


def phrases(line: str) -> Iterator[str]:
    """Yield the phrases of one to :data:`LONGEST` pieces of a line, each once, in the order of their first place."""
    cut = pieces(line)
    seen: set[str] = set()
    for start in range(len(cut)):
        for end in range(start + 1, min(start + LONGEST, len(cut)) + 1):
            phrase = phrase_of(cut[start:end])
            if phrase not in seen:
                seen.add(phrase)
                yield phrase


def _is_word(piece: str) -> bool:
    return piece[0].isascii() and piece[0].isalpha()
