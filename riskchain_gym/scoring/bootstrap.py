"""Cluster bootstrap: the published draws bit for bit, and both published percentile rules (protocol B.3, C.10)."""

from __future__ import annotations

import random
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

PercentileMethod = Literal["linear", "nearest"]

ENDS = (0.025, 0.975)
"""The two percentiles of a 95 % interval, as shares."""

MAX_UNDEFINED = 0.05
"""A figure that more than this share of the samples does not have gets no interval."""

_WORDS_AT_ONCE = 1 << 16
_MAX_CLUSTERS = 1 << 31


def resampled(n: int, *, seed: int, replicates: int) -> NDArray[np.int64]:
    """Return what ``random.Random(seed)`` draws with ``randrange(n)``, ``n`` times a replicate, in order.

    CPython draws ``n.bit_length()`` bits, the high ones of a Mersenne Twister word, and draws again while they are not
    below ``n``; here the words come from NumPy's generator, set to the same state, many at a time.

    Args:
        n: Clusters to draw from, 1 to 2**31 - 1.
        seed: Any integer.
        replicates: Bootstrap samples.

    Returns:
        Indices 0 to n - 1, of shape (replicates, n).

    Raises:
        ValueError: ``n`` or ``replicates`` is out of range.
    """
    if not 1 <= n < _MAX_CLUSTERS:
        raise ValueError(f"There must be 1 to {_MAX_CLUSTERS - 1} clusters to draw from, got {n}.")
    if replicates < 1:
        raise ValueError(f"There must be at least one replicate, got {replicates}.")
    words = _words(seed)
    bits = n.bit_length()
    draws = np.empty(replicates * n, dtype=np.int64)
    filled = 0
    while filled < draws.size:
        wanted = ((draws.size - filled) << bits) // n + 64
        raw = words.random_raw(min(wanted, _WORDS_AT_ONCE))
        raw >>= np.uint64(32 - bits)
        kept = raw.compress(raw < n)[: draws.size - filled]
        draws[filled : filled + kept.size] = kept
        filled += kept.size
    return draws.reshape(replicates, n)


def counts(draws: NDArray[np.int64], n: int) -> NDArray[np.int32]:
    """Return how often each cluster was drawn in each replicate.

    Args:
        draws: Indices below ``n``, of shape (replicates, draws).
        n: Clusters.

    Returns:
        Multiplicities, of shape (replicates, n).
    """
    drawn = np.empty((len(draws), n), dtype=np.int32)
    for row, indices in zip(drawn, draws, strict=True):
        row[:] = np.bincount(indices, minlength=n)
    return drawn


def percentile_interval(values: ArrayLike, *, method: PercentileMethod) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile.

    Args:
        values: The figure in every replicate; 1-D, at least one.
        method: ``linear`` interpolates between order statistics (restoration, protocol B.3); ``nearest`` takes the
            order statistic ``round((n - 1) * p)``, halves to even (web and gated, protocol C.10).

    Raises:
        ValueError: There is no value, or one is not a number.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=None)
    if not ordered.size:
        raise ValueError("An interval needs the figure of at least one replicate, got none.")
    if not np.isfinite(ordered).all():
        raise ValueError("An interval needs finite figures: a replicate has one that is not a number.")
    low, high = (_percentile(ordered, share, method) for share in ENDS)
    return low, high


def interval_of_known(values: NDArray[np.float64], *, method: PercentileMethod) -> tuple[float, float] | None:
    """Return the interval of the samples that have the figure; ``None`` where too many have none.

    Args:
        values: The figure in every sample, NaN in one that has nothing to divide by; 1-D, at least one.
        method: As of :func:`percentile_interval`.
    """
    known = values[~np.isnan(values)]
    if not known.size or known.size < (1 - MAX_UNDEFINED) * values.size:
        return None
    return percentile_interval(known, method=method)


def _words(seed: int) -> np.random.MT19937:
    _, state, _ = random.Random(seed).getstate()
    words = np.random.MT19937()
    words.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(state[:-1], dtype=np.uint32), "pos": state[-1]},
    }
    return words


def _percentile(ordered: NDArray[np.float64], share: float, method: PercentileMethod) -> float:
    position = (ordered.size - 1) * share
    if method == "nearest":
        return float(ordered[round(position)])
    below = int(position)
    low, high = ordered[below], ordered[min(below + 1, ordered.size - 1)]
    return float(low + (high - low) * (position - below))
