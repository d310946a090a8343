"""Reads a run of Chinese characters as the cheapest row of words.

A word may be written with homophones, similar glyphs and characters split into parts; every such change costs units
times a penalty. No penalty suits clean and disguised messages alike, so the caller chooses it. Without a scorer, the
counts of single words alone choose among the readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from riskchain_gym.agents.restore.alikes import MORE_SOUND, SOUND, joined, stand_ins
from riskchain_gym.agents.restore.sounds import is_known_phrase
from riskchain_gym.agents.restore.vocabulary import Node, is_known, root, word_cost

CAREFUL = 12.0
"""Penalty for messages that show no sign of disguise."""
EAGER = 4.0
"""Penalty for messages that do."""

_KEPT_WORDS = 2
"""How many words back a scorer may look."""
_KEPT_PATHS = 12
"""How many histories are kept at a place, the cheapest first."""
_AS_WRITTEN = 1e6
"""Penalty under which nothing is ever changed."""
_MOST_CHANGES = 3
_NOT_HIDDEN = 0.4
"""Units for a sound-alike of a word that no message of ``train`` hides behind one."""
_ALONE = 0.5
"""Units for changing a character that is a word by itself."""
_PART_COUNTS = (2, 3)
_PHRASE_COST = 12.0
_PHRASE_LENGTHS = (2, 3, 4)


class Scorer(Protocol):
    """What says how likely a word is after others; it must be hashable and never change."""

    def word(self, previous: tuple[str, ...], word: str) -> float:
        """Return the natural logarithm of the probability of a word.

        Args:
            previous: The words before it in the run, at most two, the nearest last; empty at its beginning.
            word: A word of the vocabulary or any single character.
        """
        ...

    def __hash__(self) -> int: ...


def read_run(
    run: str, penalty: float, swaps: Mapping[str, str], *, parts: bool = True, scorer: Scorer | None = None
) -> str:
    """Return the run with its words restored.

    Args:
        run: Chinese characters and components only.
        penalty: Cost of one unit of change, in nats.
        swaps: Written words that the message's context says stand for others.
        parts: Whether two characters may be read as the parts of one.
        scorer: What a word costs after others; by default its own count alone says so.
    """
    return "".join(_read(run, penalty, tuple(sorted(swaps.items())), parts, scorer))


def cut_run(run: str) -> tuple[str, ...]:
    """Return the words of a run as it is written, which is what a scorer's model has to be counted on.

    Args:
        run: Chinese characters and components only.
    """
    return _read(run, _AS_WRITTEN, (), False, None)


@dataclass(frozen=True, slots=True)
class _Arc:
    """A word that may begin at a place: where it ends, what it reads, what it costs and what changing to it costs."""

    end: int
    text: str
    word: float
    change: float = 0.0
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class _Path:
    """The cheapest way to a place with its last words: its cost, the path before it, and the last word."""

    cost: float
    before: _Path | None
    text: str


@lru_cache(maxsize=4096)
def _read(
    run: str, penalty: float, swaps: tuple[tuple[str, str], ...], parts: bool, scorer: Scorer | None
) -> tuple[str, ...]:
    places: list[dict[tuple[str, ...], _Path]] = [{} for _ in range(len(run) + 1)]
    places[0][()] = _Path(0.0, None, "")
    for start in range(len(run)):
        paths = sorted(places[start].items(), key=lambda item: (item[1].cost, item[0]))[:_KEPT_PATHS]
        if not paths:
            continue
        for arc in _arcs(run, start, penalty, swaps, parts):
            for history, path in paths:
                _extend(places[arc.end], history, path, arc, scorer)
    last = min(places[-1].items(), key=lambda item: (item[1].cost, item[0]))[1]
    words: list[str] = []
    at: _Path | None = last
    while at is not None and at.before is not None:
        words.append(at.text)
        at = at.before
    return tuple(reversed(words))


def _extend(
    place: dict[tuple[str, ...], _Path], history: tuple[str, ...], path: _Path, arc: _Arc, scorer: Scorer | None
) -> None:
    cost, longer = arc.word, history
    if scorer is not None:
        cost = arc.word if arc.is_phrase else -scorer.word(history, arc.text)
        longer = (*history, arc.text)[-_KEPT_WORDS:]
    total = path.cost + cost + arc.change
    known = place.get(longer)
    if known is None or total < known.cost:
        place[longer] = _Path(total, path, arc.text)


def _arcs(run: str, start: int, penalty: float, swaps: tuple[tuple[str, str], ...], parts: bool) -> Iterator[_Arc]:
    yield _Arc(start + 1, run[start], word_cost(run[start]))
    for length in _PHRASE_LENGTHS:
        phrase = run[start : start + length]
        if len(phrase) == length and is_known_phrase(phrase):
            yield _Arc(start + length, phrase, _PHRASE_COST, is_phrase=True)
    for written, wanted in swaps:
        if run.startswith(written, start):
            yield _Arc(start + len(written), wanted, word_cost(wanted))
    for end, whole, units in _wholes(run, start, parts):
        yield _Arc(end, whole, word_cost(whole), penalty * units)
    yield from _words(run, start, penalty, parts)


def _wholes(run: str, start: int, parts: bool) -> Iterator[tuple[int, str, float]]:
    """Yield the characters that the next written ones may be parts of: where they end, the character, the units."""
    for end in (start + count for count in _PART_COUNTS if parts):
        whole = joined(run[start:end]) if end <= len(run) else None
        if whole is not None:
            yield end, *whole


class _Walk(NamedTuple):
    """A way into the trie: the place reached, the node and its text, units and number of changes so far."""

    at: int
    node: Node
    text: str = ""
    units: float = 0.0
    changes: int = 0
    by_sound: bool = False


def _words(run: str, start: int, penalty: float, parts: bool) -> Iterator[_Arc]:
    """Walk the trie along every way the written characters allow."""
    walks = [_Walk(start, root())]
    while walks:
        walk = walks.pop()
        if walk.node.cost is not None and (units := _units(walk, run[start])) is not None:
            yield _Arc(walk.at, walk.text, walk.node.cost, penalty * units)
        if walk.at < len(run) and walk.node.ways:
            walks += _steps(walk, walk.at + 1, run[walk.at], 0.0)
            for end, whole, units in _wholes(run, walk.at, parts):
                walks += _steps(walk, end, whole, units)


def _units(walk: _Walk, written: str) -> float | None:
    """Return the units of the word that a walk has come to, or ``None`` where it may not be read so."""
    if not walk.changes:
        return walk.units
    strange = walk.by_sound and not walk.node.is_hidden
    if len(walk.text) > 1 or not is_known(written):
        return walk.units + _NOT_HIDDEN * strange
    return None if strange else walk.units + _ALONE


def _steps(walk: _Walk, end: int, char: str, units: float) -> Iterator[_Walk]:
    """Yield the walks one character on, for a character that is written as it is or by its parts."""
    alike, ways, units = stand_ins(char), walk.node.ways, walk.units + units
    fewer, more = (ways, alike) if len(ways) < len(alike) else (alike, ways)
    for wanted in fewer:
        if wanted not in more:
            continue
        node, text = ways[wanted], walk.text + wanted
        if wanted == char:
            yield walk._replace(at=end, node=node, text=text, units=units)
        elif walk.changes < _MOST_CHANGES:
            shape, sound = alike[wanted]
            if shape < math.inf:
                yield _Walk(end, node, text, units + shape, walk.changes + 1, walk.by_sound)
            if sound < math.inf:
                sound += MORE_SOUND if walk.by_sound else SOUND
                yield _Walk(end, node, text, units + sound, walk.changes + 1, True)
