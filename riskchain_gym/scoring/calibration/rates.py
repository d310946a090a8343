"""Shares with their Wilson interval."""

from __future__ import annotations

import math
from typing import Self

from riskchain_gym.protocol.model import Frozen

_Z = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""


class Rate(Frozen):
    """A share with its 95 % interval.

    Attributes:
        hits: How many.
        of: Of how many.
        share: ``hits / of``; ``None`` of nothing.
        low: Lower end of Wilson's interval (Wilson 1927, without continuity correction).
        high: Upper end.
    """

    hits: int
    of: int
    share: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of_counts(cls, hits: int, of: int) -> Self:
        """Return the rate of ``hits`` in ``of``.

        Raises:
            ValueError: There are more hits than there can be.
        """
        if not 0 <= hits <= of:
            raise ValueError(f"A rate counts 0 to {of} hits, got {hits}.")
        if not of:
            return cls(hits=0, of=0)
        share, spread = hits / of, _Z**2 / of
        middle = (share + spread / 2) / (1 + spread)
        half = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
        # The ends are 0 and 1 exactly where no hit or every hit was made; rounding must not leave the share outside.
        low, high = max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))
        return cls(hits=hits, of=of, share=share, low=low, high=high)
