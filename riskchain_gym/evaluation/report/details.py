"""What the report tells of a run beside its headline figures: policies, gate curve, first failures, judge."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.evaluation.columns import FURTHER, Column, percent
from riskchain_gym.evaluation.event_words import explained
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.table import judge_cell
from riskchain_gym.evaluation.usage import RunUsage, usage_cells, usage_remarks
from riskchain_gym.protocol.failures import FailureStage
from riskchain_gym.scoring.summary import Summary

_NO_EVENT = "none"


def details(agent: str, summary: Summary, usage: RunUsage | None = None) -> Json:
    """Return the tables' rows of one run, every figure as it is shown.

    Args:
        agent: What the run is called on the page.
        summary: Its figures.
        usage: What it asked of models, ``None`` if nothing.
    """
    return {
        "agent": agent,
        "figures": [_figure(summary, column) for column in FURTHER],
        "differ": list(summary.policies_differ),
        "curve": [
            {
                "k": point.k,
                "recall": percent(point.entry_recall),
                "accuracy": "–" if point.end_to_end_accuracy is None else percent(point.end_to_end_accuracy),
                "lookups": f"{point.lookups:.2f}",
            }
            for point in summary.curve
        ],
        "failures": [_stage(summary, stage) for stage in FailureStage if summary.first_failures.get(stage)],
        "events": summary.failures,
        "usage": None
        if usage is None
        else {
            "cells": {name: cell for name, cell in usage_cells(usage).items() if name != "Agent"},
            "remarks": usage_remarks(usage),
        },
        "judge": None
        if summary.judge is None
        else {
            "name": summary.judge.judge,
            "reports": summary.judge.reports,
            "dimensions": {name: judge_cell(value) for name, value in summary.judge.dimensions.items()},
        },
    }


def headings(runs: Sequence[Json]) -> Json:
    """Return the rows of several runs with what heads the tables that they stand in together.

    Args:
        runs: What :func:`details` gave of each.
    """
    found = {failure["stage"] for run in runs for failure in run["failures"]}
    judged = next((list(run["judge"]["dimensions"]) for run in runs if run["judge"]), [])
    return {
        "details": runs,
        "stages": [name for name in map(_spaced, FailureStage) if name in found],
        "curves": any(run["curve"] for run in runs),
        "judged": judged,
        "asked": next((list(run["usage"]["cells"]) for run in runs if run["usage"]), []),
        "event_words": explained(kind for run in runs for kind in run["events"]),
    }


def _figure(summary: Summary, column: Column) -> Json:
    value = getattr(summary, column.key)
    spans = {each.unit: each.ends[column.key] for each in summary.intervals if column.key in each.ends}
    return {
        "label": column.label,
        "meaning": column.meaning,
        "value": "–" if value is None else column.show(value),
        "units": [each.unit for each in summary.intervals],
        "intervals": {unit: f"[{column.show(low)}, {column.show(high)}]" for unit, (low, high) in spans.items()},
    }


def _stage(summary: Summary, stage: FailureStage) -> Json:
    count = summary.first_failures[stage]
    causes = summary.causes.get(stage, {})
    return {
        "stage": _spaced(stage),
        "count": count,
        "share": percent(count / summary.chains),
        "causes": {_spaced(cause): n for cause, n in causes.items() if cause != _NO_EVENT},
    }


def _spaced(name: str) -> str:
    return name.replace("_", " ")
