"""What the published scorers find, as tables of the terminal; they fit eighty columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import fill, say
from riskchain_gym.scoring.written import percent

_TASK1_FIGURES = {
    "entry_top1_exact_rate": "Entry Top-1",
    "entry_topk_recall": "Entry Recall@k",
    "full_reconstruction_success_rate_top1": "Full (top 1)",
    "full_reconstruction_success_rate": "Full (top k)",
    "message_exact_rate": "Messages exact, by case",
    "message_exact_rate_per_message": "Messages exact, by message",
    "character_error_rate": "Character error rate",
    "mixed_token_error_rate": "Mixed token error rate",
    "intent_accuracy": "Intent",
    "platform_accuracy": "Platform",
    "abstain_rate": "Abstained",
}
_REPORT_FIGURES = {
    "decision_accuracy": "Accuracy",
    "decision_macro_f1": "Macro F1",
    "violation_type_macro_f1": "Type F1",
    "hierarchical_exact_match": "H-EM",
}
_GATE_FIGURES = {"entry_gate_pass": "Gate pass", "gate_loss": "Gate loss"}
_NAMES = 16
"""Columns that names have at least."""


def show_task1(out: Console, scored: Mapping[str, Any]) -> None:
    """Print the figures of Task 1, and what must be read beside them.

    Args:
        out: Where to print it.
        scored: What :func:`~riskchain_gym.scoring.official.score_task1` gives.
    """
    bootstrap, policies = scored["aggregate_bootstrap"], scored["entry_policies"]
    _print(
        out,
        f"Task 1: {scored['model_id']}, {_counted(scored['aggregate']['case_count'], 'sample')}",
        ("Figure", "%", "95 % interval"),
        [
            (heading, percent(scored["aggregate"][name], decimals=2), _interval(bootstrap["ci95"][name]))
            for name, heading in _TASK1_FIGURES.items()
        ],
        [
            (f"Entry Top-1, policy {name}", percent(policies[name], decimals=2), "")
            for name in ("handoff_hash", "strict_helper")
        ],
    )
    _remark(out, _drawn(bootstrap, bootstrap["site_count"], "session"))
    _remark(out, f"Entry policies differ on {_counted(len(policies['differing_sample_ids']), 'sample')}, see the file.")
    for remark in _task1_remarks(scored):
        _remark(out, remark)


def _task1_remarks(scored: Mapping[str, Any]) -> list[str]:
    notes, aggregate = scored["notes"], scored["aggregate"]
    empty = notes["rows_without_scored_message"]
    counts = {
        "Candidates that name a live host": aggregate["predicted_live_entry_count"],
        "Samples without a prediction": scored["missing_prediction_count"],
        "Rows without a transform flag, scored on all their messages": notes["rows_without_transform_flag"],
    }
    remarks = [f"{what}: {count:,}." for what, count in counts.items() if count]
    if empty == aggregate["case_count"]:
        remarks.append(
            "No message is scored: transform is false for every one, so that figures of messages are unknown (–). "
            "Full then rests on entry, intent and platform."
        )
    elif empty:
        remarks.append(f"Samples of which no message is scored, by case they count as exact: {empty:,}.")
    return remarks


def show_task2(out: Console, scored: Mapping[str, Any]) -> None:
    """Print the figures of Task 2, those of the gate, and what must be read beside them.

    Args:
        out: Where to print it.
        scored: What :func:`~riskchain_gym.scoring.official.score_task2` gives.
    """
    models, controls = scored["models"], scored["controls"]
    websites = next(iter(models.values()))["website_count"]
    ranked = [row for name, model in models.items() for row in _report_rows(name, model, ("web", "gated"))]
    marked = [row for name, model in controls["rows"].items() for row in _report_rows(_short(name), model, ("web",))]
    _print(out, f"Task 2: {_counted(websites, 'website')}, in %", ("Model", *_REPORT_FIGURES.values()), ranked, marked)
    out.print()
    headings = chain(*((heading, "95 % interval") for heading in _GATE_FIGURES.values()))
    gates = [[name, *chain(*(_cells(model, figure) for figure in _GATE_FIGURES))] for name, model in models.items()]
    _print(out, "", ("Model", *headings), gates)
    _remark(out, _drawn(scored["bootstrap"], websites, "website", "and up by one for each further model"))
    _remark(out, "The rows at the end of the first table are controls.")
    if kind := controls["violation_type"]:
        _remark(out, f"Always answering VIOLATION names the commonest type, {kind}.")
    _remark(out, controls["note"])
    if count := scored["notes"]["normalised_rows"]:
        _remark(out, f"Rows with INSUFFICIENT_EVIDENCE and NONE, read as UNKNOWN: {count:,}.")


def _report_rows(name: str, model: Mapping[str, Any], reports: Sequence[str]) -> list[list[str]]:
    """Return a row a report, each figure with its interval below it; the model's name stands over its first report."""
    rows = []
    for report in reports:
        heading = f"{name}\n  {report}" if report == reports[0] else f"  {report}"
        rows.append([heading, *("\n".join(_cells(model, f"{report}_{figure}")) for figure in _REPORT_FIGURES)])
    return rows


def _cells(model: Mapping[str, Any], figure: str) -> tuple[str, str]:
    return percent(model["point"][figure], decimals=2), _interval(model["ci95"][figure])


def _short(control: str) -> str:
    # In full it would leave the figures no room, and a decision broken in two is hard to read.
    return control.removesuffix("_EVIDENCE")


def _print(
    out: Console, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], dim: Sequence[Sequence[str]] = ()
) -> None:
    """Print rows of a name and figures, which no narrow terminal cuts; what the figures leave goes to the names."""
    first, *others = zip(headings, *rows, *dim, strict=True)
    room = out.width - sum(_widest(column) + 1 for column in others)
    names = [_broken(name, max(_NAMES, room)) for name in first]
    table = Table(title=escape(title) or None, box=box.SIMPLE_HEAD, padding=0, show_edge=False, title_justify="left")
    table.add_column(names[0], no_wrap=True, min_width=_widest(names))
    for column in others:
        table.add_column(column[0], justify="right", no_wrap=True, min_width=_widest(column))
    for place, row in enumerate((*rows, *dim), start=1):
        style = "dim" if place > len(rows) else None
        table.add_row(escape(names[place]), *row[1:], style=style, end_section=place == len(rows))
    out.print(table, crop=False)


def _widest(cells: Iterable[str]) -> int:
    return max(cell_len(line) for cell in cells for line in cell.split("\n"))


def _broken(name: str, width: int) -> str:
    """Break a name, where it is too long, after its hyphens, underscores, slashes and spaces."""
    lines = [""]
    for part in re.findall(r"\n|[^-_/ \n]*[-_/ ]*", name):
        if part == "\n" or (lines[-1] and len(lines[-1]) + len(part.rstrip()) > width):
            lines.append("")
        lines[-1] += part.strip("\n")
    return "\n".join(lines)


def _drawn(bootstrap: Mapping[str, Any], clusters: int, unit: str, more: str = "") -> str:
    seed = bootstrap["seed"] if "seed" in bootstrap else bootstrap["base_seed"]
    said = ", ".join(filter(None, (_counted(clusters, unit), f"seed {seed}", more)))
    alone = f" Of one {unit} they have no width and say nothing." if clusters == 1 else ""
    return f"Intervals, in brackets: 95 %, {bootstrap['replicates']:,} bootstrap samples of {said}.{alone}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _remark(out: Console, text: str) -> None:
    say(out, fill(text, out.width))


def _interval(ends: Sequence[float] | None) -> str:
    return "–" if ends is None else f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"
