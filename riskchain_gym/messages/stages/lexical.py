"""Words and characters: what the lexicon's tables put in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from riskchain_gym.messages.lexicon import Table
from riskchain_gym.messages.stages.base import Context, Counts, draw, pick
from riskchain_gym.messages.stages.places import found_words, share
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
            for start, end in context.outside(text)
            for m in context.lexicon.word_pattern.finditer(text, start, end)
            if rng.chance(self.probability)
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
        count = draw(self.counts, rng)
        if not count:
            return ()
        free = [i for start, end in context.outside(text) for i in range(start, end) if text[i] in table]
        places = pick(free, count, rng)
        return tuple(Edit(start=i, before=text[i], after=rng.choice(table[text[i]]), rule=self.name) for i in places)


@dataclass(frozen=True)
class Replaced:
    """Put a table's surrogates in the place of a share of the words or characters that have one, at least one.

    Sources are found left to right, the longest first.

    Attributes:
        table: The table.
        part: The share, 0 to 1.
    """

    table: Table
    part: float

    @property
    def name(self) -> str:
        """The table's name, in the singular."""
        return self.table.removesuffix("s")

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a replaced word or character."""
        table = context.lexicon.table(self.table)
        found = found_words(context.lexicon.pattern(self.table), text, context)
        return tuple(
            Edit(start=i, before=found[i], after=rng.choice(table[found[i]]), rule=self.name)
            for i in share(list(found), self.part, rng)
        )


@dataclass(frozen=True)
class NestedSplits:
    """Write a share of the characters as parts that stand one above the other, or as parts of their parts.

    Attributes:
        part: The share of the characters that have such parts, 0 to 1; at least one is written so.
        tables: Where to look, the first that has a character decides.
    """

    part: float
    tables: tuple[Table, ...]
    name: str = "nested_split"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a character; its rule names the table."""
        tables = [(name.removesuffix("s"), context.lexicon.table(name)) for name in self.tables]
        found: dict[int, tuple[str, tuple[str, ...]]] = {}
        for start, end in context.outside(text):
            for i in range(start, end):
                for rule, table in tables:
                    if text[i] in table:
                        found[i] = (rule, table[text[i]])
                        break
        return tuple(
            Edit(start=i, before=text[i], after=rng.choice(found[i][1]), rule=found[i][0])
            for i in share(list(found), self.part, rng)
        )
