"""Guessing labels from what should not tell them: how far one number parts them, against shuffled labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float64]

DRAWS = 400


def parted(features: Features, labels: NDArray[np.str_]) -> float:
    """Return how well the best single column parts the labels: the share of its variance between them, 0 to 1.

    Args:
        features: Of shape (n, d).
        labels: Of shape (n,).
    """
    centred = features - features.mean(0)
    total = (centred**2).sum(0)
    between = np.zeros_like(total)
    for label in np.unique(labels):
        mine = centred[labels == label]
        between += len(mine) * mine.mean(0) ** 2
    shares = np.divide(between, total, out=np.zeros_like(total), where=total > 0)
    return float(shares.max(initial=0.0))


def luck(features: Features, labels: Sequence[str], seed: int = 0) -> float:
    """Return how often shuffled labels are parted as well as the true ones: small where a column tells them.

    Args:
        features: Of shape (n, d); the best of all columns counts, in each draw anew.
        labels: n labels.
        seed: Seeds the draws.
    """
    rng = np.random.default_rng(seed)
    truth = np.array(labels)
    found = parted(features, truth)
    return float(np.mean([parted(features, rng.permutation(truth)) >= found for _ in range(DRAWS)]))
