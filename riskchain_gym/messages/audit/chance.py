"""How surprising a link between two columns is, against shuffles of one of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.keyed import KeyedRandom

SHUFFLES = 64
"""How many shuffles a link is held against."""

SURPRISE = 7.0
"""From how many standard deviations on a link is a breach. By chance one in 10^11 tests comes so far; the shuffles'
standard deviation is known to a tenth, which leaves less than one in 10^8."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def shuffles(size: int, *label: str, strata: Sequence[Hashable] | None = None) -> Ints:
    """Return keyed orders of a column, the same for the same label everywhere; shape ``(SHUFFLES, size)``.

    Args:
        size: Length of the column.
        label: What the shuffles are for.
        strata: What must stay alike: places are exchanged with places of an equal value only.
    """
    rng = KeyedRandom(b"riskchain-audit", *label)
    groups: dict[Hashable, list[int]] = {}
    for place in range(size):
        groups.setdefault(strata[place] if strata is not None else None, []).append(place)
    orders = np.tile(np.arange(size, dtype=np.int64), (SHUFFLES, 1))
    for order in orders:
        for places in groups.values():
            shuffled = list(places)
            rng.shuffle(shuffled)
            order[places] = shuffled
    return orders


def rank_link(x: Sequence[float], y: Sequence[float], orders: Ints) -> float:
    """Return how far the rank correlation of two columns is from that of shuffles, in standard deviations."""
    one, other = _ranks(x), _ranks(y)
    return _standard(float(one @ other), other[orders] @ one)


def category_link(x: Sequence[Hashable], y: Sequence[Hashable], orders: Ints) -> float:
    """Return how far the mutual information of two columns is above that of shuffles, in standard deviations.

    Mutual information of independent columns is close to a gamma distribution; its cube root is close to a normal one
    (Wilson and Hilferty 1931), which is what the deviations are measured on.
    """
    one, other = _codes(x), _codes(y)
    kinds = int(other.max()) + 1
    cells = (int(one.max()) + 1) * kinds
    fixed = _n_ln_n(np.bincount(one)) + _n_ln_n(np.bincount(other)) - _n_ln_n(np.array([len(one)]))
    observed = _n_ln_n(np.bincount(one * kinds + other, minlength=cells)) - fixed
    offsets = np.arange(len(orders), dtype=np.int64)[:, None] * cells
    joint = (one[None, :] * kinds + other[orders] + offsets).ravel()
    null = _n_ln_n(np.bincount(joint, minlength=cells * len(orders)).reshape(len(orders), cells)) - fixed
    return _standard(float(np.cbrt(observed)), np.cbrt(null))


def _standard(observed: float, null: Floats) -> float:
    spread = float(null.std())
    mean = float(null.mean())
    return (observed - mean) / spread if spread > 1e-9 * (1 + abs(mean)) else 0.0


def _n_ln_n(counts: Ints) -> Floats:
    """Return the sum of ``n ln n`` over the last axis."""
    logs = np.log(counts, out=np.zeros(counts.shape), where=counts > 0)
    total: Floats = np.asarray((counts * logs).sum(axis=-1))
    return total


def _codes(column: Sequence[Hashable]) -> Ints:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in column], dtype=np.int64)


def _ranks(column: Sequence[float]) -> Floats:
    """Return centred ranks, equal values sharing their mean rank."""
    _, inverse, counts = np.unique(np.asarray(column, dtype=np.float64), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts - 1) / 2
    ranks: Floats = means[inverse] - (len(column) + 1) / 2
    return ranks
