"""Measures of agreement between passes: over all, by pair of annotators, by label; each says why it has no value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from riskchain_gym.scoring.agreement import Agreed, UndefinedAgreementError, agreement
from riskchain_gym.scoring.bootstrap import counts, interval_of_known, resampled
from riskchain_gym.scoring.intervals import REPLICATES, SEED
from riskchain_gym.scoring.label_figures import AnnotatorPair, Confusion, Measured, SpecificAgreement

Unit = dict[str, str]
"""The labels of one item, by annotator."""

MIN_PAIR_UNITS = 10
"""Two annotators with fewer items in common get their figures without an interval."""

MIN_CLUSTERS = 5
"""Fewer clusters than that make up too few different samples for an interval."""

NOTHING = "no item has two passes"
UNIFORM = "all passes gave the same label, so agreement beyond chance is undefined"
FEW_CLUSTERS = f"no interval: fewer than {MIN_CLUSTERS} clusters of items"
SAME = "no interval: every bootstrap sample has the same value, which tells nothing of its spread"
RARE = "no interval: too many bootstrap samples have no value"
FEW = f"no interval: fewer than {MIN_PAIR_UNITS} items"
NEVER = "nobody gave this label"


def measured(measure: Literal["percent", "alpha"], units: Sequence[Unit], clusters: Sequence[str]) -> Measured:
    """Return a measure over units of two and more passes, with its cluster-bootstrap interval.

    Args:
        measure: ``percent``, or Krippendorff's ``alpha``.
        units: The items' labels; those of one pass are not compared.
        clusters: Cluster of each unit.
    """
    compared = [(unit, cluster) for unit, cluster in zip(units, clusters, strict=True) if len(unit) > 1]
    if not compared:
        return Measured(value=None, units=0, reason=NOTHING)
    places = max(len(unit) for unit, _ in compared)
    ratings = [_places(unit, places) for unit, _ in compared]
    named = [cluster for _, cluster in compared]
    try:
        found = agreement(measure, ratings, clusters=named, seed=SEED, replicates=REPLICATES)
    except UndefinedAgreementError:
        return Measured(value=None, units=len(compared), reason=UNIFORM)
    return _with_reason(found, len(set(named)))


def annotator_pairs(units: Sequence[Unit], clusters: Sequence[str]) -> tuple[AnnotatorPair, ...]:
    """Return the agreement of every two annotators that passed some item both, in order of their names."""
    names = sorted({name for unit in units for name in unit})
    pairs: list[AnnotatorPair] = []
    for first, second in combinations(names, 2):
        both = [
            ({first: unit[first], second: unit[second]}, cluster)
            for unit, cluster in zip(units, clusters, strict=True)
            if first in unit and second in unit
        ]
        if both:
            shared, named = [unit for unit, _ in both], [cluster for _, cluster in both]
            percent, alpha = (_of_pair(measured(name, shared, named)) for name in ("percent", "alpha"))
            pairs.append(AnnotatorPair(first=first, second=second, percent=percent, alpha=alpha))
    return tuple(pairs)


def specific(labels: Sequence[str], units: Sequence[Unit], clusters: Sequence[str]) -> tuple[SpecificAgreement, ...]:
    """Return how far passes agree on each label.

    With ``a`` pairs of passes that both gave the label and ``b + c`` of which one did: ``2a / (2a + b + c)`` (Dice
    1945; for raters Cicchetti & Feinstein 1990, High agreement but low kappa II; for more than two, pair by pair,
    Uebersax 1982).
    """
    compared = [(unit, cluster) for unit, cluster in zip(units, clusters, strict=True) if len(unit) > 1]
    place = {name: i for i, name in enumerate(sorted({cluster for _, cluster in compared}))}
    sums = np.zeros((len(place), len(labels), 2))
    given = Counter[str]()
    for unit, cluster in compared:
        times = Counter(unit.values())
        given.update(times.keys())
        for i, label in enumerate(labels):
            both = times[label] * (times[label] - 1) // 2
            sums[place[cluster], i] += both, times[label] * (len(unit) - times[label])
    enough = len(place) >= MIN_CLUSTERS
    drawn = counts(resampled(len(place), seed=SEED, replicates=REPLICATES), len(place)) if enough else None
    found: list[SpecificAgreement] = []
    for i, label in enumerate(labels):
        both, one = (int(total) for total in sums[:, i].sum(axis=0))
        agreed = Measured(value=None, units=0, reason=NEVER)
        if both or one:
            ends, reason = None, FEW_CLUSTERS
            if drawn is not None:
                sampled = drawn.astype(np.float64) @ sums[:, i]
                with np.errstate(invalid="ignore"):
                    values = 2 * sampled[:, 0] / (2 * sampled[:, 0] + sampled[:, 1])
                ends, reason = interval_of_known(values, method="linear"), RARE
            agreed = _ended(2 * both / (2 * both + one), ends, given[label], reason)
        found.append(SpecificAgreement(label=label, both=both, one=one, agreement=agreed))
    return tuple(found)


def confusions(labels: Sequence[str], units: Sequence[Unit]) -> tuple[Confusion, ...]:
    """Return how often each two labels met in an item, in order of the labels."""
    order = {label: i for i, label in enumerate(labels)}
    met = Counter[tuple[str, str]]()
    for unit in units:
        for one, other in combinations(unit.values(), 2):
            first, second = sorted((one, other), key=order.__getitem__)
            met[first, second] += 1
    return tuple(
        Confusion(first=first, second=second, pairs=pairs)
        for (first, second), pairs in sorted(met.items(), key=lambda cell: (order[cell[0][0]], order[cell[0][1]]))
    )


def _places(unit: Unit, places: int) -> list[str | None]:
    given: list[str | None] = [unit[name] for name in sorted(unit)]
    return given + [None] * (places - len(given))


def _with_reason(found: Agreed, clusters: int) -> Measured:
    if clusters < MIN_CLUSTERS:
        return Measured(value=found.value, units=found.units, reason=FEW_CLUSTERS)
    ends = None if found.low is None or found.high is None else (found.low, found.high)
    return _ended(found.value, ends, found.units, RARE)


def _ended(value: float, ends: tuple[float, float] | None, units: int, missing: str) -> Measured:
    """Return a measure with the ends of its interval, or with why it has none."""
    if ends is None:
        return Measured(value=value, units=units, reason=missing)
    low, high = ends
    if low == high:
        return Measured(value=value, units=units, reason=SAME)
    return Measured(value=value, low=low, high=high, units=units)


def _of_pair(found: Measured) -> Measured:
    if found.value is None or found.units >= MIN_PAIR_UNITS:
        return found
    return Measured(value=found.value, units=found.units, reason=FEW)
