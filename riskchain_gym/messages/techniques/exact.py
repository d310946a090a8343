"""Codes with one reading: what they have written has one source, and what they cannot write they leave as it is."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from math import comb

from riskchain_gym.messages.techniques.base import Piece
from riskchain_gym.protocol.keyed import KeyedRandom

QUOTES = "“”"
"""What a text stands in that a code leaves and that could be read as written by it."""


class ExactCode(ABC):
    """The frame of a code with one reading: :meth:`spell` and :meth:`read` are each other's inverse.

    A text that the code leaves stays as it is; one that then could be read as written by the code stands in quotes.
    """

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return False

    def leaves(self, text: str) -> bool:  # noqa: ARG002
        """Say whether the code leaves a text: every text that :meth:`spell` would show in quotes is among these."""
        return False

    @abstractmethod
    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return a text that the code does not leave, in pieces, each with what is shown for it."""

    @abstractmethod
    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text that :meth:`spell` shows so, with the probability that it does; ``None`` without one."""

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address in pieces, each with what is shown for it."""
        if not self.leaves(address):
            return self.spell(address, rng)
        return (Piece(address, f"“{address}”" if self._is_taken(address) else address),)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the one text that is shown so, with its probability; nothing where there is none."""
        if self._is_quoted(shown):
            return {shown[1:-1]: 1.0}
        if (source := self._source(shown)) is not None:
            return {source[0]: source[1]}
        return {shown: 1.0} if self.leaves(shown) else {}

    def _source(self, shown: str) -> tuple[str, float] | None:
        source = self.read(shown)
        return source if source is not None and source[0] and not self.leaves(source[0]) else None

    def _is_quoted(self, shown: str) -> bool:
        inner = shown[1:-1]
        return shown == f"“{inner}”" and self.leaves(inner) and self._is_taken(inner)

    def _is_taken(self, text: str) -> bool:
        """Say whether a text means another one."""
        return self._is_quoted(text) or self._source(text) is not None


def share_of(total: int, share: float) -> int:
    """Return how many of ``total`` places a share takes: at least one, where there is one."""
    return min(total, max(1, round(share * total)))


def draw_share(total: int, share: float, rng: KeyedRandom) -> frozenset[int]:
    """Return the places, from 0, that a share of ``total`` takes."""
    count = share_of(total, share)
    return frozenset(range(total) if count == total else rng.sample(range(total), count))


def share_chance(total: int, share: float, taken: int) -> float:
    """Return the probability of one set of ``taken`` places under :func:`draw_share`; 0 for a wrong number of them."""
    return 1 / comb(total, taken) if taken == share_of(total, share) else 0.0


def is_mark(character: str) -> bool:
    """Say whether a character belongs to the one before it: a combining mark, a selector, an invisible control."""
    return not character.isascii() and unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")


def clusters(text: str) -> list[str]:
    """Return the characters of a text, each with its marks; a mark that opens the text stands alone."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text:
        if found and is_mark(character):
            found[-1] += character
        else:
            found.append(character)
    return found
