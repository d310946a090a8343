"""A code that stores characters in the wrong order and overrides the direction, so that they display right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb

from riskchain_gym.messages.techniques.base import Piece
from riskchain_gym.messages.techniques.exact import ExactCode, clusters
from riskchain_gym.protocol.keyed import KeyedRandom

LEFT_TO_RIGHT_OVERRIDE = "\u202d"
RIGHT_TO_LEFT_OVERRIDE = "\u202e"
POP_DIRECTIONAL_FORMATTING = "\u202c"
_CONTROLS = frozenset((LEFT_TO_RIGHT_OVERRIDE, RIGHT_TO_LEFT_OVERRIDE, POP_DIRECTIONAL_FORMATTING))


@dataclass(frozen=True)
class BidiOverride(ExactCode):
    """Reverse stretches of an address inside right-to-left overrides.

    The stretches lie anywhere, every choice of their ends as likely as another; no two touch.

    Attributes:
        stretches: How many there are (fewer in a text that is too short).
        whole: Whether the whole address is reversed instead, with the stretches kept in order in overrides of their
            own within it.
    """

    stretches: int
    whole: bool = False

    def leaves(self, text: str) -> bool:
        """Say whether a text holds directional controls."""
        return not _CONTROLS.isdisjoint(text)

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address with a piece for every stretch (one for all of it when the whole is reversed)."""
        items = clusters(text)
        ends = sorted(rng.sample(range(len(items) + 1), 2 * self._count(len(items))))
        return tuple(self._pieces(items, ends))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text as it is displayed, with the probability of its stretches."""
        parts = [clusters(part) for part in self._override.split(shown[1:-1] if self.whole else shown)]
        if self.whole:
            parts.reverse()
        parts = [part[::-1] if (number % 2 == 1) != self.whole else part for number, part in enumerate(parts)]
        *ends, size = accumulate(len(part) for part in parts)
        items = [item for part in parts for item in part]
        if len(set(ends)) != 2 * self._count(size) or self._shown(items, ends) != shown:
            return None
        return "".join(items), 1 / comb(size + 1, len(ends))

    def _count(self, size: int) -> int:
        return min(self.stretches, (size + 1) // 2)

    def _pieces(self, items: list[str], ends: list[int]) -> list[Piece]:
        """Return the text between the ends, every second piece in an override."""
        pieces: list[Piece] = []
        cuts = [0, *ends, len(items)]
        for number, (start, end) in enumerate(pairwise(cuts)):
            before = "".join(items[start:end])
            after = "".join(reversed(items[start:end])) if (number % 2 == 1) != self.whole else before
            if number % 2:
                after = f"{self._opening}{after}{POP_DIRECTIONAL_FORMATTING}"
            pieces.append(Piece(before, after))
        if not self.whole:
            return pieces
        backwards = "".join(piece.after for piece in reversed(pieces))
        return [Piece("".join(items), f"{RIGHT_TO_LEFT_OVERRIDE}{backwards}{POP_DIRECTIONAL_FORMATTING}")]

    def _shown(self, items: list[str], ends: list[int]) -> str:
        return "".join(piece.after for piece in self._pieces(items, ends))

    @property
    def _opening(self) -> str:
        return LEFT_TO_RIGHT_OVERRIDE if self.whole else RIGHT_TO_LEFT_OVERRIDE

    @cached_property
    def _override(self) -> re.Pattern[str]:
        return re.compile(f"{self._opening}([^{''.join(sorted(_CONTROLS))}]*){POP_DIRECTIONAL_FORMATTING}")
