"""Whole numbers from shares, and values dealt out in exact numbers in a keyed order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from riskchain_gym.protocol.keyed import KeyedRandom

T = TypeVar("T", bound=str)


def largest_remainder(total: int, weights: Mapping[T, float]) -> dict[T, int]:
    """Return whole numbers that sum to ``total``, in proportion to weights (largest remainders, ties by name).

    Args:
        total: What to share out.
        weights: Weight by name, none negative, not all zero.

    Raises:
        ValueError: No weight is above zero.
    """
    whole = sum(weights.values())
    if whole <= 0:
        raise ValueError(f"shares need a weight above zero, got {dict(weights)}")
    exact = {name: total * weights[name] / whole for name in sorted(weights)}
    counts = {name: int(value) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (round(counts[name] - exact[name], 9), name))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def dealt(key: bytes, purpose: str, count: int, weights: Mapping[T, float]) -> list[T]:
    """Return ``count`` names in proportion to weights, as exactly as whole numbers allow, in a keyed order.

    Args:
        key: The key of the pool.
        purpose: What is dealt out; another purpose gives another order.
        count: How many to return.
        weights: Weight by name.

    Raises:
        ValueError: No weight is above zero.
    """
    deck = [name for name, copies in largest_remainder(count, weights).items() for _ in range(copies)]
    KeyedRandom(key, "dealt", purpose).shuffle(deck)
    return deck
