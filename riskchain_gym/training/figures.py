"""Figures of flat outcomes with bootstrap intervals, and by how much two policies differ on the same chains.

Where a policy was trained several times, with a seed each, its figure is the mean over these runs, and a bootstrap
sample draws the runs as well as the chains, each with replacement and independently, for every run has played the same
chains. Few runs are drawn from few: with n of them their share of the variance comes out (n − 1)/n of what it is.
"""

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


_SEED_OF_RUNS = SEED + 1
"""Another than that of the chains: runs are drawn independently of them."""

_Sampled = tuple[float, NDArray[np.float64]]
"""A figure, and what it is in each sample."""


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
    return figures_of_runs([outcomes], cluster_of, replicates=replicates)


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
    return figures_between_runs([first], [second], cluster_of, replicates=replicates)


def figures_of_runs(
    runs: Sequence[Flats], cluster_of: Mapping[str, str], *, replicates: int = REPLICATES
) -> dict[str, Figure]:
    """Return the mean over runs of every figure, on the chains that all of them have played.

    Args:
        runs: Outcomes of each run, as of :func:`figures_of`.
        cluster_of: As of :func:`figures_of`.
        replicates: Bootstrap samples.
    """
    return _figures(_sampled(_on_shared(runs), cluster_of, replicates))


def figures_between_runs(
    first: Sequence[Flats], second: Sequence[Flats], cluster_of: Mapping[str, str], *, replicates: int = REPLICATES
) -> dict[str, Figure]:
    """Return the mean over runs of the first minus the second, in the same samples of runs and chains.

    Args:
        first: Outcomes of one policy's runs.
        second: Those of the other's: a run of the same seed at the same place.
        cluster_of: As of :func:`figures_of`.
        replicates: Bootstrap samples.

    Raises:
        ValueError: One policy has more runs than the other.
    """
    if len(first) != len(second):
        raise ValueError(f"Runs are compared by seed, each with its own: got {len(first)} and {len(second)} of them.")
    shared = _on_shared([*first, *second])
    mine, others = (_sampled(each, cluster_of, replicates) for each in (shared[: len(first)], shared[len(first) :]))
    return _figures(
        {
            name: (value - others[name][0], samples - others[name][1])
            for name, (value, samples) in mine.items()
            if name in others
        }
    )


def _on_shared(runs: Sequence[Flats]) -> list[Flats]:
    """Return of each run the outcomes of the chains that all have played, in one order."""
    by_chain = [{str(each["chain_id"]): each for each in outcomes} for outcomes in runs]
    shared = [chain for chain in by_chain[0] if all(chain in each for each in by_chain)]
    return [[each[chain] for chain in shared] for each in by_chain]


def _sampled(runs: Sequence[Flats], cluster_of: Mapping[str, str], replicates: int) -> dict[str, _Sampled]:
    """Return the mean over runs of each figure, and that of each sample."""
    chains = _weights(runs[0], cluster_of, replicates)
    drawn = counts(resampled(len(runs), seed=_SEED_OF_RUNS, replicates=replicates), len(runs)) / len(runs)
    found = [_evaluated(outcomes, chains) for outcomes in runs]
    return {
        name: (
            float(np.mean([points[name] for points, _ in found])),
            (drawn * np.stack([samples[name] for _, samples in found], axis=1)).sum(axis=1),
        )
        for name in found[0][0]
        if all(name in points for points, _ in found)
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


def _figures(sampled: Mapping[str, _Sampled]) -> dict[str, Figure]:
    found = {}
    for name, (value, samples) in sampled.items():
        low, high = interval_of_known(samples, method="nearest") or (None, None)
        found[name] = Figure(value=value, low=low, high=high)
    return found
