"""What a stage is given and what it returns."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from riskchain_gym.messages.lexicon import Lexicon
from riskchain_gym.messages.tokens import TokenProfile
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

Counts = Mapping[int, int]
"""A distribution of counts: how often (weight) each count is drawn."""


@dataclass(frozen=True)
class Context:
    """What a stage may know beside the text.

    Attributes:
        entry_start: Offset of the entry's first character in the stage's input.
        entry_end: Offset after its last one. Whatever was put inside the entry lies between the two.
        lexicon: The surrogates of the split.
        profile: The emoji codes of the session's own platform.
    """

    entry_start: int
    entry_end: int
    lexicon: Lexicon
    profile: TokenProfile

    def after(self, edits: Sequence[Edit]) -> Context:
        """Return the context of the next stage: the entry moved by the edits."""
        start, end = self.entry_start, self.entry_end
        for edit in edits:
            grown = len(edit.after) - len(edit.before)
            if edit.start + len(edit.before) <= self.entry_start:
                start += grown
            if edit.start < self.entry_end:
                end += grown
        return replace(self, entry_start=start, entry_end=end)


class StageRule(Protocol):
    """One step of a recipe.

    ``name`` is unique within its recipe: it names the trace's stage and the rule's own random stream.
    """

    @property
    def name(self) -> str:
        """Name of the stage in the trace."""

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return the edits to make, left to right, not overlapping, with offsets into ``text``."""


def draw(counts: Counts, rng: KeyedRandom) -> int:
    """Return a count drawn from a distribution."""
    return rng.weighted(list(counts.keys()), list(counts.values()))


def pick(places: Sequence[int], count: int, rng: KeyedRandom) -> list[int]:
    """Return at most ``count`` of the places, in order."""
    return sorted(rng.sample(places, min(count, len(places))))


def boundaries(text: str) -> list[int]:
    """Return the offsets before which something may be inserted: not at the end, nor before a combining mark."""
    return [i for i, c in enumerate(text) if not unicodedata.category(c).startswith("M")]
