"""What each written character may stand for, and what it costs to read it so.

Costs are in units of change, which the lattice multiplies by its penalty. They were chosen on ``train`` and ``dev``.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import NamedTuple

from riskchain_gym.agents.restore.sounds import is_known_phrase, syllables
from riskchain_gym.agents.restore.tables import drawn_alike, splits, twins
from riskchain_gym.agents.restore.vocabulary import characters, words

SOUND = 1.7
"""A word with a character that sounds like the wanted one."""
MORE_SOUND = 0.35
"""Each further such character: whoever writes sound-alikes often replaces the whole word."""
RARE_SOUND = 0.4
"""On top, for characters that sound alike only in a second reading of one of them."""
SHAPE = 1.8
"""A character that looks like the wanted one."""
_SHAPE_RANK = 0.09
"""On top for each better look-alike, where drawing decides."""
PARTS = 1.2
WORD_PARTS = 1.6
"""For parts that make a word as they stand (女子, 门口)."""
MARKED_PARTS = 0.1
"""Parts with a bare component (亻, 扌) are no text by themselves, so joining them is nearly free."""

_BARE = frozenset("亻扌氵讠忄钅饣纟犭艹宀刂阝礻衤疒冫辶彳囗攵夂灬罒虍丬⺮佥殳㐬乚卩彡尃畐咅疋冂勹匚夬艮隹")


class Alike(NamedTuple):
    """Units for reading a written character as another one.

    Attributes:
        shape: As one that looks like it; infinite when it does not.
        sound: As one that sounds like it, on top of what the word costs; infinite when it does not.
    """

    shape: float
    sound: float


@cache
def _by_syllable() -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for char in characters():
        for syllable in syllables(char):
            groups.setdefault(syllable, []).append(char)
    return {syllable: tuple(chars) for syllable, chars in groups.items()}


@lru_cache(maxsize=8192)
def stand_ins(char: str) -> dict[str, Alike]:
    """Return what a written character may stand for; it comes first itself, at no cost.

    Args:
        char: The written character.
    """
    alike = {char: Alike(0.0, 0.0)}
    for wanted in twins().get(char, ""):
        alike[wanted] = Alike(SHAPE, math.inf)
    for rank, wanted in enumerate(drawn_alike().get(char, "")):
        alike.setdefault(wanted, Alike(SHAPE + rank * _SHAPE_RANK, math.inf))
    first = syllables(char)[:1]
    for syllable in syllables(char):
        for wanted in _by_syllable().get(syllable, ()):
            known = alike.get(wanted, Alike(math.inf, math.inf))
            sound = 0.0 if syllables(wanted)[:1] == first else RARE_SOUND
            alike[wanted] = known._replace(sound=min(sound, known.sound))
    return alike


@lru_cache(maxsize=8192)
def joined(parts: str) -> tuple[str, float] | None:
    """Return ``(whole character, units)`` for written characters, or ``None`` when they are not its parts.

    Args:
        parts: Two or three characters.
    """
    whole = splits().get(parts)
    if whole is None:
        return None
    if not _BARE.isdisjoint(parts):
        return whole, MARKED_PARTS
    return whole, WORD_PARTS if parts in _all_words() or is_known_phrase(parts) else PARTS


@cache
def _all_words() -> frozenset[str]:
    return frozenset(words())
