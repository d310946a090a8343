"""Words and characters: sound-alikes, look-alikes and split characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from riskchain_gym.messages.stages.base import Context, Counts, draw, pick
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class Homophones:
    """Put a sound-alike in the place of each word that has one, with a given probability.

    Words are found left to right, the longest first.

    Attributes:
        probability: Chance that a word found is replaced.
    """

    probability: float
    name: str = "homophone"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a replaced word."""
        table = context.lexicon.homophones
        return tuple(
            Edit(start=m.start(), before=m.group(), after=rng.choice(table[m.group()]), rule="homophone")
            for m in context.lexicon.word_pattern.finditer(text)
            if context.is_outside(*m.span()) and rng.chance(self.probability)
        )


@dataclass(frozen=True)
class Characters:
    """Hide a few characters behind a look-alike, or behind their own parts (拆字).

    Attributes:
        table: ``glyphs`` for look-alikes, ``splits`` for parts.
        counts: How many characters of a message are hidden, where that many have a surrogate.
    """

    table: Literal["glyphs", "splits"]
    counts: Counts

    @property
    def name(self) -> str:
        """``glyph`` or ``split``."""
        return self.table.removesuffix("s")

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a hidden character."""
        table = context.lexicon.glyphs if self.table == "glyphs" else context.lexicon.splits
        free = [i for start, end in context.outside(text) for i in range(start, end) if text[i] in table]
        places = pick(free, draw(self.counts, rng), rng)
        return tuple(Edit(start=i, before=text[i], after=rng.choice(table[text[i]]), rule=self.name) for i in places)
