"""What the index of a report tells of parts of runs: their first steps, and every variant that was restored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riskchain_gym.evaluation.columns import fraction, percent
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.restored import RestoredGroup
from riskchain_gym.evaluation.score import Scores


def prefix_rows(labels: Sequence[str], scores: Sequence[Scores]) -> list[Json]:
    """Return what runs had come to after fewer steps, a row a run and number of steps.

    Args:
        labels: What the runs are called.
        scores: Their scores, in the same order.
    """
    return [
        {
            "agent": label,
            "k": prefix.k,
            "cells": [
                percent(prefix.ended),
                _shown(prefix.web_accuracy),
                _shown(prefix.end_to_end_accuracy),
                _shown(prefix.exact_match),
                _shown(prefix.citation_f1, fraction),
                _shown(prefix.evidence_seen),
                _shown(prefix.evidence_complete),
            ],
        }
        for label, each in zip(labels, scores, strict=True)
        for prefix in each.prefixes
    ]


def restored_rows(labels: Sequence[str], scores: Sequence[Scores]) -> list[Json]:
    """Return how runs restored each variant, and all of them, a row a variant; none of a run that has one only.

    Args:
        labels: What the runs are called.
        scores: Their scores, in the same order.
    """
    return [
        {"agent": label, "name": group.name, "cells": _cells(group)}
        for label, each in zip(labels, scores, strict=True)
        if each.restoration is not None and len(each.restoration.variants) > 1
        for group in (each.restoration.overall, *each.restoration.groups.get("variant", ()))
    ]


def _cells(group: RestoredGroup) -> list[str]:
    found = group.scores
    if found is None:
        return ["–"] * 6
    rates = (found.entry_top1, found.message_exact, found.full, found.cer, found.all_variants)
    return [str(found.messages), *map(_shown, rates)]


def _shown(value: float | None, show: Callable[[float], str] = percent) -> str:
    return "–" if value is None else show(value)
