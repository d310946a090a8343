"""The figures of rows in the same bootstrap samples, so that any two rows on the same chains can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.evaluation.leaderboard.board import Figure, Gap, Pair
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.bootstrap import ENDS, counts, interval_of_known, resampled
from riskchain_gym.scoring.decision_figures import case_weights
from riskchain_gym.scoring.figures import OutcomeFigures, Samples
from riskchain_gym.scoring.intervals import REPLICATES, SEED

COMPARED = (
    "web_accuracy",
    "end_to_end_accuracy",
    "gate_loss",
    "exact_match",
    "gated_exact_match",
    "decision_macro_f1",
    "citation_f1",
)
"""The figures in which pairs of rows are compared."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """One row's figures.

    Attributes:
        chains: The chains they are over, sorted.
        clusters: How many units were drawn.
        points: The figures of the set; of repeats the mean.
        samples: The same in every bootstrap sample, of shape (replicates,).
    """

    chains: tuple[str, ...]
    clusters: int
    points: dict[str, float]
    samples: dict[str, Samples]

    def figures(self) -> dict[str, Figure]:
        """Return every figure with its interval."""
        return {name: self._figure(name, value) for name, value in self.points.items()}

    def _figure(self, name: str, value: float) -> Figure:
        low, high = ends(self.samples[name], self.clusters)
        return Figure(value=value, low=low, high=high)


class Sampler:
    """Draws units, the same for every row of the same chains, as :mod:`riskchain_gym.scoring.intervals` does.

    Args:
        cluster_of: What is drawn with replacement, by chain id: the website.
    """

    def __init__(self, cluster_of: Mapping[str, str]) -> None:
        self._cluster_of = cluster_of
        self._drawn: dict[tuple[str, ...], tuple[NDArray[np.int32], int]] = {}

    def sample(self, repeats: Sequence[Sequence[Outcome]]) -> Sampled:
        """Return the figures of one row; of several repeats their mean, in the set as in each sample.

        Args:
            repeats: The outcomes of each repeat, all on the same chains.

        Raises:
            ValueError: The chains differ, or outcomes cannot be summarised together.
        """
        ordered = [sorted(outcomes, key=lambda outcome: outcome.chain_id) for outcomes in repeats]
        chains = {tuple(outcome.chain_id for outcome in outcomes) for outcomes in ordered}
        if len(chains) != 1:
            raise ValueError("Repeats of one agent are averaged over the same chains, got different ones.")
        (over,) = chains
        weights, clusters = self._weights(over)
        columns = [OutcomeFigures(outcomes) for outcomes in ordered]
        points = [each.points() for each in columns]
        sampled = [each.evaluated(weights) for each in columns]
        shared = [name for name in points[0] if all(name in each for each in points)]
        n = len(ordered)
        return Sampled(
            chains=over,
            clusters=clusters,
            points={name: sum(each[name] for each in points) / n for name in shared},
            samples={name: sum((each[name] for each in sampled[1:]), start=sampled[0][name]) / n for name in shared},
        )

    def _weights(self, chains: tuple[str, ...]) -> tuple[NDArray[np.int32], int]:
        if chains not in self._drawn:
            named = [self._cluster_of[chain] for chain in chains]
            place = {name: i for i, name in enumerate(sorted(set(named)))}
            drawn = counts(resampled(len(place), seed=SEED, replicates=REPLICATES), len(place))
            self._drawn[chains] = case_weights(drawn, np.array([place[name] for name in named])), len(place)
        return self._drawn[chains]


def ends(values: Samples, clusters: int) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of an interval as published web and gated intervals have them; none of a single unit."""
    found = interval_of_known(values, method="nearest") if clusters > 1 else None
    return found or (None, None)


def compare_all(rows: Mapping[str, Sampled]) -> tuple[tuple[Pair, ...], dict[str, float]]:
    """Return every pair of rows on the same chains, and how wide intervals are that hold together.

    Of each figure, an interval of one pair is that of the differences in the samples. All pairs together are
    looked at by the largest standardised deviation of any of them in a sample (single-step max-T, Westfall and Young
    1993): a pair is apart together if its difference is more standard errors from zero than 95 % of these.

    Args:
        rows: Rows by name.

    Returns:
        The pairs in the order of the rows, and the 95 % critical value by figure.
    """
    named = [(a, b) for a, b in combinations(rows, 2) if rows[a].chains == rows[b].chains]
    gaps: dict[tuple[str, str], dict[str, Gap]] = {pair: {} for pair in named}
    critical: dict[str, float] = {}
    for figure in COMPARED:
        pairs = [(a, b) for a, b in named if figure in rows[a].points and figure in rows[b].points]
        found = [_gap(rows[a], rows[b], figure) for a, b in pairs]
        limit = _critical(found)
        if limit is not None:
            critical[figure] = limit
        for pair, (gap, deviations, error) in zip(pairs, found, strict=True):
            # A difference that no sample changes has no error, and is as certain as its samples can say.
            beyond = abs(gap.difference) > (limit or 0.0) * error and deviations.size > 0
            gaps[pair][figure] = gap.model_copy(update={"apart_together": gap.apart and beyond})
    return tuple(Pair(first=a, second=b, gaps=gaps[a, b]) for a, b in named), critical


def rank_ends(rows: Mapping[str, Sampled], figure: str) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank by a figure that each row has in 95 % of the samples.

    Args:
        rows: Rows on the same chains, by name.
        figure: The figure that they are ranked by; more is better.
    """
    values = np.stack([rows[name].samples[figure] for name in rows])
    ahead = (values[None, :, :] > values[:, None, :]).sum(axis=1) + 1
    last = len(values[0]) - 1
    return {
        name: (int(ordered[round(last * ENDS[0])]), int(ordered[round(last * ENDS[1])]))
        for name, ordered in zip(rows, np.sort(ahead, axis=1), strict=True)
    }


def _gap(first: Sampled, second: Sampled, figure: str) -> tuple[Gap, Samples, float]:
    sampled = first.samples[figure] - second.samples[figure]
    difference = first.points[figure] - second.points[figure]
    low, high = ends(sampled, first.clusters)
    apart = low is not None and high is not None and (low > 0 or high < 0)
    known = sampled if low is not None and not np.isnan(sampled).any() else sampled[:0]
    error = float(known.std(ddof=1)) if known.size else 0.0
    return Gap(difference=difference, low=low, high=high, apart=apart), known - difference, error


def _critical(found: Sequence[tuple[Gap, Samples, float]]) -> float | None:
    standardised = [np.abs(deviations) / error for _, deviations, error in found if error > 0]
    if not standardised:
        return None
    return float(np.quantile(np.max(standardised, axis=0), 0.95, method="higher"))
