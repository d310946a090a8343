"""Agreement between raters: percent, Cohen's κ, Krippendorff's α for nominal data, Jensen–Shannon divergence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.bootstrap import counts, percentile_interval, resampled

Ratings = Sequence[Sequence[str | None]]
"""The label of each rater for each unit: units by raters, ``None`` where a rater gave none."""

Measure = Literal["percent", "kappa", "alpha"]
Table = NDArray[np.float64]

MAX_UNDEFINED = 0.05
"""A measure that more than this share of the bootstrap samples does not have gets no interval."""


class UndefinedAgreementError(RiskChainError, ValueError):
    """The ratings are too few or too uniform for the measure to have a value."""


class Agreed(Frozen):
    """One measure with its 95 % bootstrap interval.

    Attributes:
        value: The measure; 1 is perfect. κ and α are 0 at chance and may be negative.
        low: Lower end; ``None`` where there is one cluster, or more than :data:`MAX_UNDEFINED` of the samples have no
            value.
        high: Upper end.
        units: Units that were compared.
    """

    value: float
    low: float | None = None
    high: float | None = None
    units: int


def percent_agreement(ratings: Ratings) -> float:
    """Return the share of pairs of labels for the same unit that are equal, 0 to 1.

    Raises:
        UndefinedAgreementError: No unit has two labels.
    """
    return _value("percent", ratings)


def cohens_kappa(ratings: Ratings) -> float:
    """Return Cohen's κ of two raters, ``(p_o - p_e) / (1 - p_e)``; units that one of them left out do not count.

    Raises:
        UndefinedAgreementError: No unit has both labels, or all labels are the same.
        ValueError: There are not exactly two raters.
    """
    return _value("kappa", ratings)


def krippendorff_alpha(ratings: Ratings) -> float:
    """Return Krippendorff's α for nominal data, by any number of raters, labels may be missing.

    With the coincidences ``o_ck``, in which a unit of m labels counts each of its ordered pairs ``1 / (m - 1)`` times,
    ``n_c`` their sums and ``n`` the sum of those: ``α = 1 - (n - 1) (n - Σ o_cc) / (n² - Σ n_c²)`` (Krippendorff 2011,
    Computing Krippendorff's Alpha-Reliability, part C).

    Raises:
        UndefinedAgreementError: No unit has two labels, or all labels in such units are the same.
    """
    return _value("alpha", ratings)


def agreement(
    measure: Measure, ratings: Ratings, *, clusters: Sequence[str] | None = None, seed: int = 0, replicates: int = 2000
) -> Agreed:
    """Return a measure with its cluster-bootstrap interval.

    Args:
        measure: Which one.
        ratings: Labels, units by raters.
        clusters: Cluster of each unit; units of one are drawn together. Every unit by itself by default.
        seed: Seed of the draws; clusters are drawn in order of their names.
        replicates: Samples to draw.

    Raises:
        UndefinedAgreementError: The measure has no value.
        ValueError: Clusters and units differ in number, or the raters of units do.
    """
    names = [f"{i:09}" for i in range(len(ratings))] if clusters is None else list(clusters)
    if len(names) != len(ratings):
        raise ValueError(f"Every unit has one cluster: got {len(ratings)} units and {len(names)} clusters.")
    value = _value(measure, ratings)
    tables = _TABLES[measure](ratings)
    by_cluster = {name: i for i, name in enumerate(sorted(set(names)))}
    summed = np.zeros((len(by_cluster), *tables.shape[1:]))
    np.add.at(summed, [by_cluster[name] for name in names], tables)
    drawn = counts(resampled(len(by_cluster), seed=seed, replicates=replicates), len(by_cluster))
    values = _VALUES[measure](np.tensordot(drawn.astype(np.float64), summed, axes=1))
    defined = values[~np.isnan(values)]
    low, high = None, None
    if len(by_cluster) > 1 and 1 - len(defined) / replicates <= MAX_UNDEFINED:
        low, high = percentile_interval(defined, method="linear")
    compared = sum(bool(table.any()) for table in tables)
    return Agreed(value=value, low=low, high=high, units=compared)


def jensen_shannon(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the Jensen–Shannon divergence of two distributions over labels in bits, 0 (equal) to 1 (disjoint).

    Args:
        first: Weight by label, 0 or more; scaled to sum to 1.
        second: Likewise; a label that only one of them has weighs 0 in the other.

    Raises:
        UndefinedAgreementError: A weight is negative or no number, or all weights of one are 0.
    """
    labels = sorted({*first, *second})
    p, q = _distribution(first, labels), _distribution(second, labels)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return min(1.0, max(0.0, _entropy(middle) - (_entropy(p) + _entropy(q)) / 2))


def _distribution(weights: Mapping[str, float], labels: Sequence[str]) -> list[float]:
    for label, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise UndefinedAgreementError(f"The weight of '{label}' is {weight}: weights are finite and not negative.")
    total = math.fsum(weights.values())
    if total == 0:
        raise UndefinedAgreementError("A distribution without any weight diverges from nothing: give counts or shares.")
    return [weights.get(label, 0.0) / total for label in labels]


def _entropy(shares: Sequence[float]) -> float:
    return -math.fsum(share * math.log2(share) for share in shares if share > 0)


def _value(measure: Measure, ratings: Ratings) -> float:
    table = _TABLES[measure](ratings).sum(axis=0)
    if not table.any():
        raise UndefinedAgreementError("No unit has labels of two raters, so there is nothing to compare: rate more.")
    value = float(_VALUES[measure](table[np.newaxis])[0])
    if math.isnan(value):
        raise UndefinedAgreementError(
            "All labels are the same one, so agreement beyond chance is undefined: report the percent agreement."
        )
    return value


def _codes(ratings: Ratings) -> tuple[NDArray[np.int64], int]:
    """Return labels as numbers, -1 for a missing one, and how many labels there are."""
    raters = {len(unit) for unit in ratings}
    if len(raters) > 1:
        raise ValueError(f"Every unit has a place for each rater: got units of {sorted(raters)} places.")
    labels = {label: i for i, label in enumerate(sorted({given for unit in ratings for given in unit if given}))}
    codes = [[labels[given] if given else -1 for given in unit] for unit in ratings]
    return np.array(codes, dtype=np.int64).reshape(len(ratings), *raters or {0}), len(labels)


def _pairs(ratings: Ratings) -> Table:
    """Return how often each ordered pair of labels was given to each unit, shape (units, labels, labels)."""
    codes, labels = _codes(ratings)
    given = np.zeros((len(codes), labels))
    for column in codes.T:
        rated = np.flatnonzero(column >= 0)
        given[rated, column[rated]] += 1
    pairs: Table = given[:, :, np.newaxis] * given[:, np.newaxis, :]
    pairs[:, range(labels), range(labels)] -= given
    return pairs


def _coincidences(ratings: Ratings) -> Table:
    pairs = _pairs(ratings)
    labels = np.array([sum(bool(given) for given in unit) for unit in ratings], dtype=np.float64)
    scaled: Table = pairs / np.maximum(labels - 1, 1)[:, np.newaxis, np.newaxis]
    return scaled


def _contingency(ratings: Ratings) -> Table:
    if not ratings:
        return np.zeros((0, 0, 0))
    codes, labels = _codes(ratings)
    if codes.shape[1] != 2:
        raise ValueError(f"Cohen's κ compares two raters, got {codes.shape[1]}: use Krippendorff's α for more.")
    table = np.zeros((len(codes), labels, labels))
    both = np.flatnonzero((codes >= 0).all(axis=1))
    table[both, codes[both, 0], codes[both, 1]] = 1
    return table


def _diagonal(tables: Table) -> Table:
    summed: Table = np.trace(tables, axis1=1, axis2=2)
    return summed


def _percents(tables: Table) -> Table:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Table = _diagonal(tables) / tables.sum(axis=(1, 2))
    return shares


def _kappas(tables: Table) -> Table:
    total = tables.sum(axis=(1, 2))
    expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    return _beyond_chance(total * (total - _diagonal(tables)), total**2 - expected)


def _alphas(tables: Table) -> Table:
    by_label = tables.sum(axis=2)
    total = by_label.sum(axis=1)
    differing = np.where(np.eye(tables.shape[1], dtype=bool), 0.0, tables).sum(axis=(1, 2))
    # The other labels of each, summed: the difference of squares would not be exactly 0 where there is one label.
    expected = (by_label * np.where(by_label > 0, total[:, np.newaxis] - by_label, 0.0)).sum(axis=1)
    one_label = (by_label > 0).sum(axis=1) < 2
    return _beyond_chance((total - 1) * differing, np.where(one_label, 0.0, expected))


def _beyond_chance(observed: Table, expected: Table) -> Table:
    """Return ``1 - observed / expected`` of disagreements, not a number where none was to be expected."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


_TABLES: dict[Measure, Callable[[Ratings], Table]] = {
    "percent": _pairs,
    "kappa": _contingency,
    "alpha": _coincidences,
}
_VALUES: dict[Measure, Callable[[Table], Table]] = {"percent": _percents, "kappa": _kappas, "alpha": _alphas}
