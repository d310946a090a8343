"""A code that puts marks between the characters of an address."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property

from riskchain_gym.messages.techniques.base import Piece
from riskchain_gym.messages.techniques.exact import ExactCode, clusters
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class Interleaving(ExactCode):
    """Put marks between characters, at every gap for itself, never at either end.

    A text that already holds one of the marks' characters stays as it is.

    Attributes:
        marks: What is inserted, one of them a gap, each as likely as another; no two are alike, none is empty.
        share: Chance that a gap gets a mark.
    """

    marks: tuple[str, ...]
    share: float

    def leaves(self, text: str) -> bool:
        """Say whether a text holds a mark's character."""
        return not self._own.isdisjoint(text)

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the characters with a piece for every mark between them."""
        pieces: list[Piece] = []
        for cluster in clusters(text):
            if pieces and rng.chance(self.share):
                pieces.append(Piece("", rng.choice(self.marks)))
            pieces.append(Piece(cluster, cluster))
        return tuple(pieces)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text without its marks, with the probability that they stand where they do."""
        text = "".join(character for character in shown if character not in self._own)
        likelihood = 1.0
        at = 0
        for number, cluster in enumerate(clusters(text)):
            start = at
            at = shown.find(cluster, start)
            between = shown[start:at]
            chance = self._chances.get(between, 0.0) if number else float(not between)
            if not chance:
                return None
            # A long text's likelihood would fall below the smallest number there is, and read as impossible.
            likelihood = max(likelihood * chance, sys.float_info.min)
            at += len(cluster)
        return (text, likelihood) if at == len(shown) else None

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset("".join(self.marks))

    @cached_property
    def _chances(self) -> dict[str, float]:
        """What may stand at a gap, with its probability."""
        return {"": 1 - self.share, **dict.fromkeys(self.marks, self.share / len(self.marks))}
