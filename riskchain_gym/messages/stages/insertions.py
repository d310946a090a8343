"""Insertions: platform emoji codes anywhere, noise symbols and stray spaces outside the entry."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.messages.stages.base import Context, Counts, boundaries, draw, pick
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

NOISE_SYMBOLS = "＊～^·\u3000"
"""The noise symbols of the paper's set (protocol A.10)."""


OPENING_SHARE = 23 / 59
"""Share of the published messages with codes that a code opens (protocol, observed placement: 20 to 26 of 59)."""


@dataclass(frozen=True)
class Tokens:
    """Insert emoji codes of the session's own platform.

    Every place takes at most one, so no two are adjacent; they may fall inside words, inside the entry and between
    the parts of a split character, may open the message, and never close it (protocol, observed placement).

    Attributes:
        counts: How many codes a message gets.
        opening: Chance that one of them opens the message.
    """

    counts: Counts
    opening: float = OPENING_SHARE
    name: str = "token"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a code."""
        profile = context.profile
        count = draw(self.counts, rng)
        opens = [0] if text and rng.chance(self.opening) else []
        places = opens + pick(boundaries(text)[1:], count - len(opens), rng)
        rule = f"token:{profile.platform}"
        return tuple(Edit(start=i, before="", after=rng.choice(profile.codes), rule=rule) for i in places)


@dataclass(frozen=True)
class Noise:
    """Insert symbols that mean nothing, clear of the entry and of the spaces around it.

    Attributes:
        symbols: What is inserted, one of them a place.
        counts: How many a message gets.
        name: Name of the stage and of its rule.
    """

    symbols: str
    counts: Counts
    name: str = "noise"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a symbol."""
        clear = [i for i in boundaries(text)[1:] if all(not a.start - 1 <= i <= a.end + 1 for a in context.addresses)]
        places = pick(clear, draw(self.counts, rng), rng)
        return tuple(Edit(start=i, before="", after=rng.choice(self.symbols), rule=self.name) for i in places)
