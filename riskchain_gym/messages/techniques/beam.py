"""A bound on how many readings of a shown address are followed."""

from __future__ import annotations

from heapq import nlargest
from operator import itemgetter
from typing import TypeVar

K = TypeVar("K")

WIDTH = 8192
"""Readings followed at every character. An entry shown in one code has fewer, so the bound touches only texts that
other codes have lengthened before; what is left out is unlikely."""


def likeliest(readings: dict[K, float]) -> dict[K, float]:
    """Return the readings, the unlikely ones left out where they are too many."""
    return dict(nlargest(WIDTH, readings.items(), key=itemgetter(1))) if len(readings) > WIDTH else readings
