"""Finds entries in a message and ranks what each could be."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from riskchain_gym.agents.restore.layout import Reading, readings
from riskchain_gym.agents.restore.lookalikes import BREAK, OTHER, fold, rivals
from riskchain_gym.protocol.commit import MAX_CANDIDATES

_ANCHOR = re.compile(r"(?<![a-z0-9-])t[\n ]*e[\n ]*s[\n ]*t(?![a-z0-9-])")
_LOOSE_ANCHOR = re.compile(r"t[\n ]*e[\n ]*s[\n ]*t(?![a-z0-9-])")
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_SPELLED_OUT = re.compile(rf"(?<![a-z0-9.-]){_LABEL}\.{_LABEL}\.test(?![a-z0-9.-])")
_AS_WRITTEN = 0.5
_LONGEST = 240
_EXPLICIT = 3.0
"""Least score of a reading when ``test`` itself is not set off by a dot: words like ``latest`` are no entries."""
_GUESSED = 0.08
_PLAIN = 0.01


@dataclass(frozen=True)
class Found:
    """An entry in the text.

    Attributes:
        start: Index of its first character in the text.
        end: Index after its last character.
        ranked: ``(value, confidence)`` pairs, best first, at most five; every value is a well-formed entry.
        disguised: Whether it was written in any other way than plainly.
        doubts: What was guessed, as short sentences.
    """

    start: int
    end: int
    ranked: tuple[tuple[str, float], ...]
    disguised: bool
    doubts: tuple[str, ...]


def plain_entries(text: str) -> list[Found]:
    """Return the entries that a text already spells out, in order."""
    return [
        Found(match.start(), match.end(), ((match[0], _AS_WRITTEN),), disguised=False, doubts=())
        for match in _SPELLED_OUT.finditer(text)
    ]


def find_entries(text: str, *, layout: bool = True) -> list[Found]:
    """Return the entries of a text in order; empty when there is none.

    Args:
        text: Text without codes and marks, line breaks kept.
        layout: Whether an entry may be broken over lines or have lost a dot.
    """
    folded = fold(text)
    if not layout:
        folded = folded.replace(BREAK, OTHER)
    for anchor, least in ((_ANCHOR, -math.inf), (_LOOSE_ANCHOR, _EXPLICIT)):
        found: list[Found] = []
        floor = 0
        for match in anchor.finditer(folded):
            start = max(floor, folded.rfind(OTHER, floor, match.start()) + 1, match.end() - _LONGEST)
            region = [(folded[i], i) for i in range(start, match.end())]
            ways = readings(region, blind=layout)
            if ways and ways[0].score >= least:
                found.append(_rank(text, ways, match.end()))
                floor = match.end()
        if found:
            return found
    return []


def _value(way: Reading) -> str:
    return f"{''.join(c for c, _ in way.first)}.{''.join(c for c, _ in way.second)}.test"


def _rank(text: str, ways: list[Reading], end: int) -> Found:
    best = ways[0]
    start = best.first[0][1]
    weights = [math.exp(way.score - best.score) for way in ways]
    ranked: dict[str, float] = {}
    for way, weight in zip(ways[:MAX_CANDIDATES], weights, strict=False):
        ranked.setdefault(_value(way), weight / sum(weights))
    doubts: list[str] = []
    if len(ways) > 1 and ranked[_value(best)] < 0.9:
        doubts.append("The place of the first dot is a guess.")
    for value, confidence, doubt in _respelled(text, best):
        if doubt:
            doubts.append(doubt)
        if len(ranked) < MAX_CANDIDATES:
            ranked.setdefault(value, confidence)
    order = sorted(ranked.items(), key=lambda item: -item[1])
    share = max(1.0, sum(confidence for _, confidence in order))
    plain = text[start:end] == _value(best)
    return Found(
        start=start,
        end=end,
        ranked=tuple((value, round(confidence / share, 4)) for value, confidence in order),
        disguised=not plain,
        doubts=tuple(doubts),
    )


def _respelled(text: str, way: Reading) -> list[tuple[str, float, str]]:
    """Return the entry with one ambiguous letter read otherwise: guessed letters first."""
    spelled: list[tuple[str, float, str]] = []
    letters = [*way.first, *way.second]
    for position, (read, index) in enumerate(letters):
        others, guessed = rivals(text[index], read)
        for other in others:
            swapped = [c for c, _ in letters]
            swapped[position] = other
            cut = len(way.first)
            value = f"{''.join(swapped[:cut])}.{''.join(swapped[cut:])}.test"
            doubt = f"The letter read as '{read}' could be '{other}'." if guessed else ""
            spelled.append((value, _GUESSED if guessed else _PLAIN, doubt))
    return sorted(spelled, key=lambda item: -item[1])
