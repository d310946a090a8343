"""Reads a run of Chinese characters as the cheapest row of words.

A word may be written with homophones, similar glyphs and characters split into two parts; every such change costs
units times a penalty. No penalty suits clean and disguised messages alike, so the caller chooses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from riskchain_gym.agents.restore.sounds import is_known_phrase
from riskchain_gym.agents.restore.vocabulary import Node, joined, root, stand_ins, word_cost

CAREFUL = 9.0
"""Penalty for messages that show no sign of disguise."""
EAGER = 4.0
"""Penalty for messages that do."""

_MOST_CHANGES = 3
_NOTHING_KEPT = 0.3
_PHRASE_COST = 12.0
_PHRASE_LENGTHS = (2, 3, 4)


def read_run(run: str, penalty: float, swaps: Mapping[str, str], *, parts: bool = True) -> str:
    """Return the run with its words restored.

    Args:
        run: Chinese characters and components only.
        penalty: Cost of one unit of change, in nats.
        swaps: Written words that the message's context says stand for others.
        parts: Whether two characters may be read as the parts of one.
    """
    return _read(run, penalty, tuple(sorted(swaps.items())), parts)


@lru_cache(maxsize=4096)
def _read(run: str, penalty: float, swaps: tuple[tuple[str, str], ...], parts: bool) -> str:
    best = [0.0] + [float("inf")] * len(run)
    back: list[tuple[int, str]] = [(0, "")] * (len(run) + 1)
    for start in range(len(run)):
        base = best[start]
        for end, text, cost in _arcs(run, start, penalty, swaps, parts):
            if base + cost < best[end]:
                best[end] = base + cost
                back[end] = (start, text)
    words: list[str] = []
    end = len(run)
    while end:
        end, text = back[end]
        words.append(text)
    return "".join(reversed(words))


def _arcs(
    run: str, start: int, penalty: float, swaps: tuple[tuple[str, str], ...], parts: bool
) -> Iterator[tuple[int, str, float]]:
    yield start + 1, run[start], word_cost(run[start])
    for length in _PHRASE_LENGTHS:
        phrase = run[start : start + length]
        if len(phrase) == length and is_known_phrase(phrase):
            yield start + length, phrase, _PHRASE_COST
    for written, wanted in swaps:
        if run.startswith(written, start):
            yield start + len(written), wanted, word_cost(wanted)
    whole = joined(run[start : start + 2]) if parts else None
    if whole is not None:
        yield start + 2, whole[0], word_cost(whole[0]) + penalty * whole[1]
    yield from _words(run, start, penalty, parts)


def _words(run: str, start: int, penalty: float, parts: bool) -> Iterator[tuple[int, str, float]]:
    """Walk the trie along every way the written characters allow."""
    paths: list[tuple[int, Node, str, float, int]] = [(start, root(), "", 0.0, 0)]
    while paths:
        at, node, text, units, changes = paths.pop()
        if node.cost is not None and (len(text) > 1 or not changes):
            kept_nothing = _NOTHING_KEPT if changes == len(text) else 0.0
            yield at, text, node.cost + penalty * (units + kept_nothing)
        if at >= len(run) or not node.ways:
            continue
        for wanted, extra in _common(stand_ins(run[at]), node.ways):
            if extra == 0.0 or changes < _MOST_CHANGES:
                paths.append((at + 1, node.ways[wanted], text + wanted, units + extra, changes + (extra > 0.0)))
        whole = joined(run[at : at + 2]) if parts else None
        if whole is not None:
            for wanted, extra in _common(stand_ins(whole[0]), node.ways):
                if extra == 0.0 or changes < _MOST_CHANGES:
                    cost = units + extra + whole[1]
                    paths.append((at + 2, node.ways[wanted], text + wanted, cost, changes + (extra > 0.0)))


def _common(units: dict[str, float], ways: dict[str, Node]) -> list[tuple[str, float]]:
    """Return the stand-ins that the trie goes on with, looking through the smaller table."""
    if len(ways) < len(units):
        return [(char, units[char]) for char in ways if char in units]
    return [(char, extra) for char, extra in units.items() if char in ways]
