"""What a stage is given and what it returns."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from riskchain_gym.messages.lexicon import Lexicon
from riskchain_gym.messages.plain import Address
from riskchain_gym.messages.tokens import TokenProfile
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

Counts = Mapping[int, int]
"""A distribution of counts: how often (weight) each count is drawn."""


@dataclass(frozen=True)
class Context:
    """What a stage may know beside the text.

    Attributes:
        addresses: The addresses in the stage's input, left to right. Whatever was put inside one lies within its span.
        lexicon: The surrogates of the split.
        profile: The emoji codes of the session's own platform.
        language: Language of the wording.
    """

    addresses: tuple[Address, ...]
    lexicon: Lexicon
    profile: TokenProfile
    language: Literal["zh", "en"] = "zh"

    def after(self, edits: Sequence[Edit]) -> Context:
        """Return the context of the next stage: the addresses moved by the edits."""
        moved = tuple(_moved(address, edits) for address in self.addresses)
        return Context(moved, self.lexicon, self.profile, self.language)

    def outside(self, text: str) -> list[tuple[int, int]]:
        """Return the ``(start, end)`` spans of the text that lie outside every address, left to right, none empty."""
        spans: list[tuple[int, int]] = []
        done = 0
        for address in self.addresses:
            spans.append((done, address.start))
            done = address.end
        spans.append((done, len(text)))
        return [(start, end) for start, end in spans if start < end]


def _moved(address: Address, edits: Sequence[Edit]) -> Address:
    start, end = address.start, address.end
    for edit in edits:
        grown = len(edit.after) - len(edit.before)
        if edit.start + len(edit.before) <= address.start:
            start += grown
        if edit.start < address.end:
            end += grown
    return Address(start, end, address.kind)


class StageRule(Protocol):
    """One step of a recipe.

    ``name`` is unique within its recipe: it names the trace's stage and the rule's own random stream.
    """

    @property
    def name(self) -> str:
        """Name of the stage in the trace."""

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return the edits to make, left to right, not overlapping, with offsets into ``text``."""


@runtime_checkable
class Inverse(Protocol):
    """A way back from a shown address to what it may have been."""

    @property
    def whole_only(self) -> bool:
        """Whether it knows whole addresses only, not the parts of a split one."""

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return every text that may be shown as ``shown``, with the probability that it is.

        Texts that are no addresses may be among them; whoever asks weighs each with its prior (see
        :mod:`riskchain_gym.messages.ceiling`). Never empty for something that was really written.
        """


def draw(counts: Counts, rng: KeyedRandom) -> int:
    """Return a count drawn from a distribution."""
    return rng.weighted(list(counts.keys()), list(counts.values()))


def pick(places: Sequence[int], count: int, rng: KeyedRandom) -> list[int]:
    """Return at most ``count`` of the places, which are in order, in order."""
    return list(places) if count >= len(places) else sorted(rng.sample(places, count))


def boundaries(text: str) -> list[int]:
    """Return the offsets before which something may be inserted: not at the end, nor before a combining mark."""
    return [i for i, c in enumerate(text) if not unicodedata.category(c).startswith("M")]
