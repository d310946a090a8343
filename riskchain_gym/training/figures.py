"""Figures of flat outcomes with bootstrap intervals, and by how much two policies differ on the same chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.bootstrap import counts, interval_of_known, resampled
from riskchain_gym.scoring.decision_figures import DecisionColumns, case_weights, decision_figures
from riskchain_gym.scoring.intervals import REPLICATES, SEED

Flats = Sequence[Mapping[str, Any]]

_MEANS = {
    "gate_rate": "gate.passed",
    "acc_w": "web_correct",
    "acc_e": "end_to_end_correct",
    "delta_gate": "gate_loss",
    "message_exact": "restoration.message_exact",
}
"""Key of the outcome by figure: its mean over all outcomes."""

_DECIDED = {"decision_macro_f1": "web_decision_macro_f1", "exact_match": "web_hierarchical_exact_match"}
"""Figure of :func:`riskchain_gym.scoring.decision_figures.decision_figures` by our name."""


class Figure(Frozen):
    """A figure with its 95 % interval.

    Attributes:
        value: The figure.
        low: Lower end, ``None`` where there is none.
        high: Upper end.
    """

    value: float
    low: float | None = None
    high: float | None = None


def figures_of(outcomes: Flats, cluster_of: Mapping[str, str], *, replicates: int = REPLICATES) -> dict[str, Figure]:
    """Return every figure that the outcomes have.

    Args:
        outcomes: One a chain, of valid episodes, at least one.
        cluster_of: What is drawn together, by chain id; a chain without one stands for itself.
        replicates: Bootstrap samples.
    """
    points, samples = _evaluated(outcomes, _weights(outcomes, cluster_of, replicates))
    return {name: _figure(points[name], samples[name]) for name in points}


def figures_between(
    first: Flats, second: Flats, cluster_of: Mapping[str, str], *, replicates: int = REPLICATES
) -> dict[str, Figure]:
    """Return the first minus the second, in the same samples of the chains that both have played.

    Args:
        first: One policy's outcomes.
        second: The other's.
        cluster_of: As of :func:`figures_of`.
        replicates: Bootstrap samples.
    """
    mine, other = ({str(each["chain_id"]): each for each in outcomes} for outcomes in (first, second))
    shared = [chain for chain in mine if chain in other]
    drawn = _weights([mine[chain] for chain in shared], cluster_of, replicates)
    points, samples = _evaluated([mine[chain] for chain in shared], drawn)
    others, other_samples = _evaluated([other[chain] for chain in shared], drawn)
    return {
        name: _figure(points[name] - others[name], samples[name] - other_samples[name])
        for name in points
        if name in others
    }


def _weights(outcomes: Flats, cluster_of: Mapping[str, str], replicates: int) -> NDArray[np.int32]:
    named = [cluster_of.get(str(each["chain_id"]), str(each["chain_id"])) for each in outcomes]
    place = {name: i for i, name in enumerate(sorted(set(named)))}
    drawn = counts(resampled(len(place), seed=SEED, replicates=replicates), len(place))
    return case_weights(drawn, np.array([place[name] for name in named]))


def _evaluated(outcomes: Flats, weights: NDArray[np.int32]) -> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:
    """Return the figures of the set, and those of each sample."""
    whole = np.ones((1, len(outcomes)), dtype=np.int32)
    points: dict[str, float] = {}
    samples: dict[str, NDArray[np.float64]] = {}
    for name, key in _MEANS.items():
        if any(key not in each for each in outcomes):
            continue
        column = np.array([float(each[key]) for each in outcomes])
        points[name] = float(column.mean())
        samples[name] = weights @ column / weights.sum(axis=1)
    if all("label.gold_decision" in each for each in outcomes):
        columns = DecisionColumns.of(
            [(each["label.gold_decision"], each["label.gold_type"]) for each in outcomes],
            [(each.get("label.predicted_decision"), each.get("label.predicted_type")) for each in outcomes],
        )
        found, sampled = decision_figures(columns, whole), decision_figures(columns, weights)
        for name, theirs in _DECIDED.items():
            points[name], samples[name] = float(found[theirs][0]), sampled[theirs]
    return points, samples


def _figure(value: float, samples: NDArray[np.float64]) -> Figure:
    low, high = interval_of_known(samples, method="nearest") or (None, None)
    return Figure(value=value, low=low, high=high)
