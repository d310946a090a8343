"""Bootstrap intervals of the figures of a set of outcomes, and of the differences between two agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.bootstrap import counts, interval_of_known, resampled
from riskchain_gym.scoring.decision_figures import case_weights
from riskchain_gym.scoring.figures import OutcomeFigures

REPLICATES = 2000
"""Bootstrap samples, as published (protocol B.3, C.10)."""

SEED = 20260727
"""The published base seed of web and gated figures (protocol C.10)."""


class Intervals(Frozen):
    """95 % bootstrap intervals of a set's figures.

    Attributes:
        unit: What is drawn with replacement, e.g. ``website`` or ``skeleton``; cases of one unit stay together.
        clusters: How many units there are.
        seed: Seed of the draws.
        replicates: How many samples were drawn.
        ends: Lower and upper end by figure; of a figure that has none there is nothing.
    """

    unit: str
    clusters: int
    seed: int = SEED
    replicates: int = REPLICATES
    ends: dict[str, tuple[float, float]]


class Difference(Frozen):
    """One figure of two agents on the same chains.

    Attributes:
        first: The first agent's figure.
        second: The second agent's figure.
        difference: The first minus the second.
        low: Lower end of the difference's 95 % interval, ``None`` where it has none.
        high: Upper end.
    """

    first: float
    second: float
    difference: float
    low: float | None = None
    high: float | None = None


def intervals(
    outcomes: Sequence[Outcome],
    unit: str,
    cluster_of: Mapping[str, str],
    *,
    seed: int = SEED,
    replicates: int = REPLICATES,
) -> Intervals:
    """Return the intervals of a set's figures, gated and web figures drawn together.

    Units are drawn in order of their names as ``random.Random(seed)`` draws them; ends are the order statistics that
    the published web and gated intervals take (protocol C.10). A set of one unit has no intervals: every sample of it
    is the set itself.

    Args:
        outcomes: The set, in any order.
        unit: What the clusters are.
        cluster_of: Cluster by chain id.
        seed: Seed of the draws.
        replicates: How many samples to draw.

    Raises:
        ValueError: A chain has no cluster, or the outcomes cannot be summarised together.
    """
    outcomes = sorted(outcomes, key=lambda outcome: outcome.chain_id)
    weights, clusters = _weights(outcomes, cluster_of, seed, replicates)
    sampled = OutcomeFigures(outcomes).evaluated(weights)
    ends = {name: end for name, values in sampled.items() if (end := _ends(values, clusters)) is not None}
    return Intervals(unit=unit, clusters=clusters, seed=seed, replicates=replicates, ends=ends)


def differences(
    first: Sequence[Outcome],
    second: Sequence[Outcome],
    cluster_of: Mapping[str, str],
    *,
    seed: int = SEED,
    replicates: int = REPLICATES,
) -> dict[str, Difference]:
    """Return by how much two agents differ in every figure that both have, in the same samples of the same chains.

    Args:
        first: One agent's outcomes.
        second: The other's, of the same chains in any order.
        cluster_of: Cluster by chain id.
        seed: Seed of the draws.
        replicates: How many samples to draw.

    Raises:
        ValueError: The chains differ, a chain has no cluster, or outcomes cannot be summarised together.
    """
    first, second = (sorted(outcomes, key=lambda outcome: outcome.chain_id) for outcomes in (first, second))
    if (ours := [o.chain_id for o in first]) != (theirs := [o.chain_id for o in second]):
        odd = min(set(ours) ^ set(theirs), default=ours[0] if ours else "")
        raise ValueError(f"Two agents are compared on the same chains, each run once: '{odd}' is not in both sets.")
    weights, clusters = _weights(first, cluster_of, seed, replicates)
    mine, other = OutcomeFigures(first), OutcomeFigures(second)
    points, other_points = mine.points(), other.points()
    sampled, other_sampled = mine.evaluated(weights), other.evaluated(weights)
    found: dict[str, Difference] = {}
    for name in points:
        if name in other_points:
            low, high = _ends(sampled[name] - other_sampled[name], clusters) or (None, None)
            gap = points[name] - other_points[name]
            found[name] = Difference(first=points[name], second=other_points[name], difference=gap, low=low, high=high)
    return found


def _weights(
    outcomes: Sequence[Outcome], cluster_of: Mapping[str, str], seed: int, replicates: int
) -> tuple[NDArray[np.int32], int]:
    missing = [outcome.chain_id for outcome in outcomes if outcome.chain_id not in cluster_of]
    if missing:
        raise ValueError(f"Chain '{missing[0]}' has no cluster: give one for every chain of the set.")
    named = [cluster_of[outcome.chain_id] for outcome in outcomes]
    place = {name: i for i, name in enumerate(sorted(set(named)))}
    drawn = counts(resampled(len(place), seed=seed, replicates=replicates), len(place))
    return case_weights(drawn, np.array([place[name] for name in named])), len(place)


def _ends(values: NDArray[np.float64], clusters: int) -> tuple[float, float] | None:
    return interval_of_known(values, method="nearest") if clusters > 1 else None
