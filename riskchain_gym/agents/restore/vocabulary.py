"""The words as a trie with costs, and what each written character may stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, lru_cache

from riskchain_gym.agents.restore.sounds import is_known_phrase, syllables
from riskchain_gym.agents.restore.tables import splits, twins, word_counts

SOUND = 1.0
"""Units of change for a homophone; the lattice multiplies units by its penalty."""
RARE_SOUND = 1.5
"""For characters that sound alike only in a second reading of one of them."""
SHAPE = 1.0
PARTS = 0.8
WORD_PARTS = 1.6
"""For two parts that make a word as they stand (女子, 门口)."""
MARKED_PARTS = 0.1
"""A pair with a bare component (亻, 扌) is no text by itself, so joining it is nearly free."""

_BARE = frozenset("亻扌氵讠忄钅饣纟犭艹宀刂阝礻衤疒冫辶彳囗攵夂灬罒虍丬⺮佥殳㐬乚卩彡尃畐咅疋冂勹匚夬艮隹")
_UNSEEN = 11.0


@dataclass
class Node:
    """A trie node: the cost of the word that ends here, if one does, and the ways on."""

    cost: float | None = None
    ways: dict[str, Node] = field(default_factory=dict)


@cache
def _total() -> int:
    return sum(word_counts().values())


@cache
def root() -> Node:
    """Return the trie of all words; a word's cost is minus the logarithm of its share."""
    top = Node()
    for word in word_counts():
        node = top
        for char in word:
            node = node.ways.setdefault(char, Node())
        node.cost = word_cost(word)
    return top


def word_cost(word: str) -> float:
    """Return the cost of a word; a word the table lacks costs as much per character as an unseen one.

    Args:
        word: One character or more.
    """
    count = word_counts().get(word)
    return _UNSEEN * len(word) if count is None else min(math.log(_total() / count), _UNSEEN * len(word))


@cache
def _by_syllable() -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for char in dict.fromkeys("".join(word_counts())):
        for syllable in syllables(char):
            groups.setdefault(syllable, []).append(char)
    return {syllable: tuple(chars) for syllable, chars in groups.items()}


@lru_cache(maxsize=8192)
def stand_ins(char: str) -> dict[str, float]:
    """Return the units of change for every character of the vocabulary that a written one may stand for.

    The written character itself comes first, with 0 units.

    Args:
        char: The written character.
    """
    units = {char: 0.0}
    for wanted in twins().get(char, ""):
        units[wanted] = SHAPE
    first = syllables(char)[:1]
    for syllable in syllables(char):
        for wanted in _by_syllable().get(syllable, ()):
            cost = SOUND if syllables(wanted)[:1] == first else RARE_SOUND
            units[wanted] = min(cost, units.get(wanted, cost))
    return units


@lru_cache(maxsize=8192)
def joined(pair: str) -> tuple[str, float] | None:
    """Return ``(whole character, units)`` for two written characters, or ``None`` when they are not its parts.

    Args:
        pair: Two characters.
    """
    whole = splits().get(pair)
    if whole is None:
        return None
    if not _BARE.isdisjoint(pair):
        return whole, MARKED_PARTS
    return whole, WORD_PARTS if pair in word_counts() or is_known_phrase(pair) else PARTS
