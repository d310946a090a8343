"""A small sparse classifier: squared hinge loss and an absolute-value penalty, by coordinate descent.

It minimises Σ_j |w_j| + C Σ_i max(0, 1 − y_i (b + Σ_{j in i} w_j))² over weights w and a free bias b, the loss of
``L1R_L2LOSS_SVC`` in LIBLINEAR (Fan et al., 2008). Only sums, products, quotients and comparisons in a fixed order are
used, so that every machine finds the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SWEEPS = 80
"""Sweeps over the features."""

FULL_EVERY = 10
"""Every so many sweeps all features are looked at, otherwise only those with a weight."""


BIAS_STEPS = 3
"""Newton steps for the bias at the beginning of each sweep."""


@dataclass(frozen=True)
class Classifier:
    """A fitted classifier.

    Attributes:
        bias: What holds of every row.
        weights: Weight of each feature.
    """

    bias: float
    weights: tuple[float, ...]


def fit(rows_of: Sequence[Sequence[int]], is_positive: Sequence[bool], cost: float) -> Classifier:
    """Fit a classifier of rows with binary features.

    Args:
        rows_of: Rows that have each feature.
        is_positive: Whether each row is of the class.
        cost: C: how much a misread row costs; the smaller, the fewer features get a weight.
    """
    sign = [1.0 if positive else -1.0 for positive in is_positive]
    weights = [0.0] * len(rows_of)
    slack = [1.0] * len(sign)
    bias = 0.0
    everything = range(len(sign))
    for sweep in range(SWEEPS):
        for _ in range(BIAS_STEPS):
            active = len([each for each in slack if each > 0])
            move = -_slope(everything, sign, slack, cost) / (2 * cost * max(active, 1))
            bias += move
            _shift(everything, move, sign, slack)
        full = sweep % FULL_EVERY == 0
        for feature, rows in enumerate(rows_of):
            old = weights[feature]
            if not (full or old):
                continue
            slope = _slope(rows, sign, slack, cost)
            curve = 2 * cost * len(rows)
            goal = old - slope / curve
            new = max(goal - 1 / curve, 0.0) if goal > 0 else min(goal + 1 / curve, 0.0)
            if new != old:
                weights[feature] = new
                _shift(rows, new - old, sign, slack)
    return Classifier(bias, tuple(weights))


def _slope(rows: Sequence[int], sign: Sequence[float], slack: Sequence[float], cost: float) -> float:
    total = 0.0
    for row in rows:
        if slack[row] > 0:
            total -= sign[row] * slack[row]
    return 2 * cost * total


def _shift(rows: Sequence[int], move: float, sign: Sequence[float], slack: list[float]) -> None:
    for row in rows:
        slack[row] -= sign[row] * move
