"""Runs beside each other, two at a time: by how much they differ on the chains that both hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from riskchain_gym.evaluation.compare import COMPARE_LEGEND, Comparison, difference_rows
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.score import Scores
from riskchain_gym.scoring.intervals import differences

UNIT = "website"
"""What is drawn for the intervals of differences."""


def pairs_data(labels: Sequence[str], scores: Sequence[Scores], cluster_of: Mapping[str, str]) -> list[Json]:
    """Return the paired differences of every two runs, by their numbers.

    Two runs that have no chain in common, or that cannot be summarised together, have a sentence in place of figures.

    Args:
        labels: What the runs are called.
        scores: Their scores, in the same order.
        cluster_of: Website by chain id.
    """
    return [_pair(i, j, labels, scores, cluster_of) for i, j in combinations(range(len(scores)), 2)]


def _pair(i: int, j: int, labels: Sequence[str], scores: Sequence[Scores], cluster_of: Mapping[str, str]) -> Json:
    held = [{outcome.chain_id for outcome in scores[n].outcomes} for n in (i, j)]
    both = held[0] & held[1]
    pair: Json = {"a": i, "b": j, "chains": len(both), "rows": [], "further": [], "legend": ""}
    if not both:
        return {**pair, "legend": "The two runs have no chain in common."}
    mine, other = ([o for o in scores[n].outcomes if o.chain_id in both] for n in (i, j))
    try:
        figures = differences(mine, other, cluster_of)
    except ValueError as error:
        return {**pair, "legend": f"The two runs cannot be summarised together: {error}"}
    clusters = len({cluster_of[chain] for chain in both})
    found = Comparison(
        first=labels[i], second=labels[j], chains=len(both), unit=UNIT, clusters=clusters, figures=figures
    )
    legend = COMPARE_LEGEND.format(samples=found.replicates, clusters=clusters, unit=UNIT)
    if len(both) < max(map(len, held)):
        legend += f" Only the {len(both)} chains that both runs hold are in it."
    headline = difference_rows(found)
    further = difference_rows(found, everything=True)[len(headline) :]
    return {**pair, "rows": headline, "further": further, "legend": legend}
