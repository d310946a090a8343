"""What the report tells of a run beside its headline figures: policies, gate curve, first failures, judge."""

from __future__ import annotations

from riskchain_gym.evaluation.report_data import Json
from riskchain_gym.evaluation.table import judge_cell, percent
from riskchain_gym.protocol.failures import FailureStage
from riskchain_gym.scoring.summary import Summary

_NO_EVENT = "none"


def details(agent: str, summary: Summary) -> Json:
    """Return the tables' rows of one run, every figure as it is shown.

    Args:
        agent: What the run is called on the page.
        summary: Its figures.
    """
    return {
        "agent": agent,
        "figures": [_figure(summary, name) for name in _FIGURES],
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
        "judge": None
        if summary.judge is None
        else {
            "name": summary.judge.judge,
            "reports": summary.judge.reports,
            "dimensions": {name: judge_cell(value) for name, value in summary.judge.dimensions.items()},
        },
    }


_FIGURES = {
    "entry_top1_strict": "Entry Top-1, strict policy",
    "entry_top1_handoff": "Entry Top-1, handoff policy",
    "intent_accuracy": "Intent",
    "full": "Full restoration",
    "cer": "Character error rate",
    "balanced_accuracy": "Balanced accuracy, web",
    "type_macro_f1": "Type macro F1, web",
    "gated_macro_f1": "Decision macro F1, gated",
    "gated_type_macro_f1": "Type macro F1, gated",
    "gated_exact_match": "H-EM, gated",
    "evidence_seen": "Deciding evidence seen",
    "evidence_sufficient": "Citations sufficient",
    "evidence_contradiction": "Citations contradict the decision",
    "over_citation": "Over-citation",
}
"""Figures beside the headline columns, all in percent."""


def _figure(summary: Summary, name: str) -> Json:
    value = getattr(summary, name)
    spans = {each.unit: each.ends[name] for each in summary.intervals if name in each.ends}
    return {
        "label": _FIGURES[name],
        "value": "–" if value is None else percent(value),
        "units": [each.unit for each in summary.intervals],
        "intervals": {unit: f"[{percent(low)}, {percent(high)}]" for unit, (low, high) in spans.items()},
    }


def _stage(summary: Summary, stage: FailureStage) -> Json:
    count = summary.first_failures[stage]
    causes = summary.causes.get(stage, {})
    return {
        "stage": stage.replace("_", " "),
        "count": count,
        "share": percent(count / summary.chains),
        "causes": {cause.replace("_", " "): n for cause, n in causes.items() if cause != _NO_EVENT},
    }
