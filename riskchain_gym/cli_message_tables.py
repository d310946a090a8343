"""The figures of restored messages as tables of the terminal, in percent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.scoring.written import percent

if TYPE_CHECKING:
    from riskchain_gym.scoring.intervals import Difference, Intervals

_FIGURES = {
    "entry_top1": ("Entry Top-1", "with_entry", "with an entry"),
    "entry_top1_strict": ("  strict policy", "", ""),
    "entry_top1_handoff": ("  handoff policy", "", ""),
    "ceiling": ("  ceiling", "", ""),
    "recall_at_2": ("Recall@2", "", ""),
    "recall_at_3": ("Recall@3", "", ""),
    "recall_at_5": ("Recall@5", "", ""),
    "false_entry": ("False entry", "without_entry", "without an entry"),
    "message_exact": ("Message exact", "messages", "samples"),
    "cer": ("CER", "", ""),
    "token_error": ("Token error", "", ""),
    "intent_accuracy": ("Intent", "", ""),
    "full": ("Full", "", ""),
    "false_edit": ("False edit", "untouched", "texts shown as they are"),
    "all_variants": ("All variants", "several_variants", "sessions of several variants"),
    "any_variant": ("Any variant", "", ""),
    "consistency": ("Consistency", "", ""),
}
"""Figures in the order they are printed: label, and which count says of how many of what they speak."""

_COLUMNS = {
    "entry_top1": "Entry\nTop-1",
    "ceiling": "Ceil-\ning",
    "recall_at_5": "Recall\n@5",
    "false_entry": "False\nentry",
    "message_exact": "Msg\nexact",
    "cer": "CER",
    "intent_accuracy": "Intent",
    "full": "Full",
}
"""What is printed of every group: as much as eighty columns take beside the longest name of a technique."""


def whole_table(scores: Mapping[str, Any], intervals: Intervals | None) -> Table:
    """Return the table of a whole set, a figure a line, with its interval and what it speaks of.

    Args:
        scores: Fields of :class:`~riskchain_gym.scoring.message_scores.MessageScores`.
        intervals: Those of its figures; ``None``: no such column.
    """
    table = _table("Figure")
    table.add_column("%", justify="right")
    if intervals is not None:
        table.add_column("95 % interval", justify="right", no_wrap=True)
    table.add_column()
    for name, (label, count, of) in _FIGURES.items():
        if scores[name] is None:
            continue
        ends = None if intervals is None else intervals.ends.get(name)
        between = "–" if ends is None else f"[{percent(ends[0])}, {percent(ends[1])}]"
        note = f"of {scores[count]:,} {of}" if count else _lookups(name, scores)
        table.add_row(label, percent(scores[name]), *(() if intervals is None else (between,)), note)
    return table


def group_table(by: str, scores: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the table of the set and its groups, a group a line.

    Args:
        by: What the groups are of.
        scores: Fields of :class:`~riskchain_gym.scoring.message_scores.MessageScores` by group, those of all first.
    """
    table = _table(by.capitalize(), gap=0)
    table.add_column("Sam-\nples", justify="right", no_wrap=True)
    shown = [name for name in _COLUMNS if any(figures[name] is not None for figures in scores.values())]
    for name in shown:
        table.add_column(_COLUMNS[name], justify="right", no_wrap=True)
    for place, (group, figures) in enumerate(scores.items()):
        cells = (percent(figures[name]) for name in shown)
        table.add_row(escape(group), f"{figures['messages']:,}", *cells, end_section=place == 0)
    return table


def difference_table(found: Mapping[str, Difference]) -> Table:
    """Return the table of two models, a figure a line: A, B, A − B and its interval.

    Args:
        found: Differences by figure.
    """
    table = _table("Figure")
    for heading in ("A", "B", "A − B", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, (label, _, _) in _FIGURES.items():
        if name != "ceiling" and (each := found.get(name)) is not None:
            between = "–" if each.low is None or each.high is None else f"[{_signed(each.low)}, {_signed(each.high)}]"
            table.add_row(label, percent(each.first), percent(each.second), _signed(each.difference), between)
    return table


def _table(first: str, *, gap: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    table.add_column(first, overflow="fold")
    return table


def _signed(value: float) -> str:
    return f"{round(100 * value, 1) + 0.0:+.1f}"  # zero added takes the sign off a negative zero


def _lookups(name: str, scores: Mapping[str, Any]) -> str:
    spent = scores[name.replace("recall", "lookups")] if name.startswith("recall") else None
    return "" if spent is None else f"{spent:.2f} look-ups each"
