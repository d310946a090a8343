"""What the index of a report tells of groups of chains: how each run does on each disguise, label and kind of site."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.score import Scores
from riskchain_gym.evaluation.strata import by_stratum, in_order, strata_of
from riskchain_gym.scoring.summary import Summary

SHOWN = ("recipe", "severity", "decision", "type", "depth", "gate", "track")
"""The dimensions that are shown first; the others follow when they are asked for."""


def strata_data(split: str, scores: Sequence[Scores]) -> list[Json]:
    """Return a table a dimension: its strata, how many chains each has, and the accuracies of each run there.

    Args:
        split: Name or path of the split.
        scores: The scores of the runs.
    """
    tables = [_table(dimension, strata, scores) for dimension, strata in strata_of(split).items()]
    kept = [table for table in tables if len(table["rows"]) > 1]
    return sorted(kept, key=lambda table: table["name"] not in SHOWN)


def _table(dimension: str, strata: dict[str, tuple[str, ...]], scores: Sequence[Scores]) -> Json:
    found = [by_stratum(each.outcomes, strata) for each in scores]
    held = {outcome.chain_id for each in scores for outcome in each.outcomes}
    names = in_order(list({name for chain in held for name in strata.get(chain, ())}))
    rows: list[Json] = [
        {
            "name": name,
            "chains": sum(name in strata.get(chain, ()) for chain in held),
            "runs": [_cell(summaries.get(name)) for summaries in found],
        }
        for name in names
    ]
    return {"name": dimension, "first": dimension in SHOWN, "rows": rows}


def _cell(summary: Summary | None) -> Json:
    if summary is None:
        return {"web": "–", "end": "–"}
    return {"web": percent(summary.web_accuracy), "end": percent(summary.end_to_end_accuracy)}
