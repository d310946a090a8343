"""The agreement report of a labelling project: one HTML file for its coordinator, no script, no server, no network."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from riskchain_gym.annotation.agreement_views import (
    Axis,
    axis_of,
    confidence_rows,
    flow,
    gold_rows,
    headlines,
    heat_map,
    label_rows,
    main_rows,
    pair_rows,
    repeat_rows,
    sided_rows,
    worker_rows,
)
from riskchain_gym.annotation.disagreements import disagreements
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.sources import IMPORT
from riskchain_gym.scoring.label_figures import LabelAgreement


def agreement_page(found: LabelAgreement, plan: Plan, events: Sequence[Event]) -> str:
    """Return the report as HTML; the same answers give the same bytes.

    Args:
        found: The figures.
        plan: The plan that they are of.
        events: All events of all logs that they are of.
    """
    axis, shares = axis_of(found), Axis(0.0)
    return _render(
        found=found,
        what="sites" if found.subject == "sites" else "pairs",
        everyone=len(found.simulated) == len(found.workers),
        headlines=headlines(found),
        axis=axis,
        shares=shares,
        main=main_rows(found, axis),
        labels=label_rows(found, shares),
        maps=[heat_map(question) for question in found.questions],
        pairs=[pair_rows(question, axis) for question in found.questions],
        repeats=repeat_rows(found, shares),
        confidence=confidence_rows(found, shares),
        workers=worker_rows(found),
        flow=flow(found),
        sided=sided_rows(found.layers.sided),
        gold=gold_rows(found, shares),
        groups=disagreements(plan, events),
        opening=_opening(plan),
    )


def _opening(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return how an item is looked at that the report names by its id: words, and the command that they are about."""
    if plan.subject == "pairs":
        return (("The claim of an id is the line that bears it in the project's", "items.jsonl"),)
    if plan.source == IMPORT:
        return (
            ("The folder of a captured site is told by", "riskchain labels items --sites FOLDER"),
            ("and the workbench opens it with", "riskchain annotate LOOK --annotator NAME --sites THAT_FOLDER"),
        )
    return (("A site opens in your browser with", f"riskchain sites show ID --split {shlex.quote(plan.source)}"),)


def _render(**content: Any) -> str:
    environment = Environment(
        loader=PackageLoader("riskchain_gym.annotation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sha256"] = _csp_hash
    style = PackageLoader("riskchain_gym.annotation").get_source(environment, "agreement.css")[0]
    return environment.get_template("agreement.html.j2").render(style=style, **content)


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
