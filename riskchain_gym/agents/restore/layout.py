"""Reads labels out of an entry that was broken over lines or lost a dot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.agents.restore.lookalikes import BREAK, DOT, SPACE

Char = tuple[str, int]
"""A folded character and its index in the text."""

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z")
_LAST = "test"
_SURE = 3.0
_SHORTEST_BLIND = 5
_SECOND_LENGTH = {1: -2.0, 2: 1.0, 3: 0.8, 4: 0.6, 5: 0.5, 6: 0.4, 7: 0.3, 8: 0.2}


@dataclass(frozen=True)
class Reading:
    """One way to read the labels.

    Attributes:
        first: Characters of the first label.
        second: Characters of the second label.
        score: Higher is likelier; an explicit dot is worth 6, a blank line 4, the only line break 3.
    """

    first: tuple[Char, ...]
    second: tuple[Char, ...]
    score: float


@dataclass(frozen=True)
class _Piece:
    before: str
    chars: tuple[Char, ...]


def readings(region: Sequence[Char], *, blind: bool = True) -> list[Reading]:
    """Return the ways to read a region that ends with the label ``test``, likeliest first.

    Args:
        region: Folded characters: letters, dots, breaks and spaces.
        blind: Whether a dot may have been lost without a trace.
    """
    pieces = _pieces(_without_spaces(list(region)))
    left, dotted = _cut_last(pieces)
    found = _cuts(left)
    if blind and dotted and (not found or found[0].score < _SURE):
        found += _blind_cuts(left)
    found.sort(key=lambda reading: -reading.score)
    return found


def _without_spaces(region: list[Char]) -> list[Char]:
    """Drop spaces beside dots and breaks; any other space ends the entry unless every letter is spaced out."""
    seams = (DOT, BREAK)
    kept: list[Char] = []
    for position, (char, index) in enumerate(region):
        if char == SPACE:
            following = next((c for c, _ in region[position + 1 :] if c != SPACE), "")
            if not kept or kept[-1][0] in (*seams, SPACE) or following in seams:
                continue
        kept.append((char, index))
    if kept and all(len(run) <= 1 for run in re.split(r"[ .\n]", "".join(c for c, _ in kept))):
        return [item for item in kept if item[0] != SPACE]
    last_space = max((i for i, (c, _) in enumerate(kept) if c == SPACE), default=-1)
    return kept[last_space + 1 :]


def _pieces(region: list[Char]) -> list[_Piece]:
    """Group letters; what stood before a group is ``.``, ``b`` (a blank line), ``n`` (one break) or nothing."""
    pieces: list[_Piece] = []
    chars: list[Char] = []
    gap = before = ""
    for char, index in region:
        if char in (DOT, BREAK):
            if chars:
                pieces.append(_Piece(before, tuple(chars)))
                chars = []
            gap += char
        else:
            if not chars:
                before, gap = _seam(gap), ""
            chars.append((char, index))
    if chars:
        pieces.append(_Piece(before, tuple(chars)))
    return pieces


def _seam(gap: str) -> str:
    if DOT in gap:
        return "."
    return "" if not gap else "n" if len(gap) == 1 else "b"


def _cut_last(pieces: list[_Piece]) -> tuple[list[_Piece], bool]:
    """Take the label ``test`` off the end, also when its own dot is missing; tell whether it had one."""
    wanted = _LAST
    left = list(pieces)
    dotted = False
    while wanted and left:
        piece = left.pop()
        text = "".join(c for c, _ in piece.chars)
        if wanted.endswith(text):
            wanted = wanted[: -len(text)]
            dotted = not wanted and piece.before == DOT
        elif text.endswith(wanted):
            left.append(_Piece(piece.before, piece.chars[: -len(wanted)]))
            wanted = ""
        else:
            return [], False
    return left, dotted


def _join(pieces: Sequence[_Piece]) -> tuple[Char, ...]:
    return tuple(char for piece in pieces for char in piece.chars)


def _cuts(left: list[_Piece]) -> list[Reading]:
    """Cut at every seam that no explicit dot follows."""
    found: list[Reading] = []
    breaks = sum(piece.before == "n" for piece in left[1:])
    blanks = sum(piece.before == "b" for piece in left[1:])
    last_dot = max((i for i, piece in enumerate(left) if i and piece.before == "."), default=0)
    for cut in range(max(1, last_dot), len(left)):
        seam = left[cut].before
        start = max((i for i in range(cut) if left[i].before == "."), default=0)
        score = {".": 6.0, "b": 4.0 if blanks == 1 else 3.0, "n": 3.0 if breaks == 1 and not blanks else 1.0}[seam]
        inside = [piece.before for piece in (*left[start + 1 : cut], *left[cut + 1 :])]
        score -= 2.0 * inside.count("b")
        found += _checked(_join(left[start:cut]), _join(left[cut:]), score)
    return sorted(found, key=lambda reading: -reading.score)


def _blind_cuts(left: list[_Piece]) -> list[Reading]:
    """Cut between any two letters after the last explicit dot: the dot was lost without a trace."""
    last_dot = max((i for i, piece in enumerate(left) if i and piece.before == "."), default=0)
    chars = _join(left[last_dot:])
    seams = {piece.chars[0][1] for piece in left[last_dot + 1 :] if piece.chars}
    found: list[Reading] = []
    for cut in range(1, len(chars) if len(chars) >= _SHORTEST_BLIND else 0):
        if chars[cut][1] not in seams:
            found += _checked(chars[:cut], chars[cut:], 0.0)
    return found


def _checked(first: tuple[Char, ...], second: tuple[Char, ...], score: float) -> list[Reading]:
    """Score the lengths; nothing when a label is not well-formed."""
    names = ["".join(c for c, _ in label) for label in (first, second)]
    if not all(len(name) <= 63 and _LABEL.match(name) for name in names):
        return []
    score += _SECOND_LENGTH.get(len(names[1]), -0.5) - 0.3 * any(c.isdigit() for c in names[1])
    score += 0.5 if 3 <= len(names[0]) <= 14 else -1.5
    return [Reading(first, second, score)]
