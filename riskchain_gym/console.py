"""What the command line shows: consoles, a progress bar and the score table, whole at any width."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from riskchain_gym.protocol.control_characters import show_controls
from riskchain_gym.protocol.outcome import JUDGE_DIMENSIONS

if TYPE_CHECKING:
    from riskchain_gym.evaluation.compare import Comparison
    from riskchain_gym.evaluation.controls import ControlRow
    from riskchain_gym.evaluation.table import Row

UNBOUNDED = 500
"""Columns of a console whose output goes to a file or a pipe, where nothing must be folded."""

MEAN_WIDTH = 8
"""Columns that a judge's mean, or its coverage, needs."""

WIDE = 150
"""Columns from which the score table has room for intervals."""

_KEPT = "\n\t"


class _PlainConsole(Console):
    """A console whose terminal no text can act on: not a name of an agent, a path, nor what a file says."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(show_controls(text, kept=_KEPT), **options)


def make_console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or as ``COLUMNS`` says; without either, :data:`UNBOUNDED` wide."""
    console = _PlainConsole(stderr=stderr)
    if not console.file.isatty() and "COLUMNS" not in os.environ:
        console.width = UNBOUNDED
    return console


def say(console: Console, text: str, *, style: str = "", end: str = "\n", raw: bool = False) -> None:
    """Print a text as it stands: nothing in it is markup, and nothing is coloured or folded.

    What was asked for goes to the console of stdout, what is said about the work to that of stderr.

    Args:
        console: Where to print it.
        text: The text.
        style: Style of all of it.
        end: What follows it.
        raw: Whether control characters in it are printed, too, instead of being shown.
    """
    shown = Text(text) if raw else text
    console.print(shown, style=style or None, end=end, markup=False, highlight=False, emoji=False, soft_wrap=True)


def failure(sentence: str, code: int) -> typer.Exit:
    """Say on stderr why a command failed, and return what ends it with that exit code."""
    say_so = make_console(stderr=True)
    say_so.print(f"[bold red]riskchain:[/] {escape(sentence)}", emoji=False, highlight=False, soft_wrap=True)
    return typer.Exit(code)


@contextmanager
def progress_on(console: Console) -> Iterator[Progress]:
    """Show a progress bar on a console; what fails before its first step leaves none behind."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        try:
            yield progress
        finally:
            progress.live.transient = not any(task.completed for task in progress.tasks)


def score_table(
    rows: Sequence[Row],
    controls: Sequence[ControlRow] = (),
    *,
    names: Sequence[str] = (),
    with_intervals: bool = False,
) -> Table:
    """Return the score table of one split's runs; numbers are never cut, names and statuses fold.

    Args:
        rows: Manifest and scores of each run, at least one.
        controls: Rows that were computed for it.
        names: What the runs are called; by default as their agents.
        with_intervals: Whether each figure has its interval below it.
    """
    from riskchain_gym.evaluation import table as columns
    from riskchain_gym.evaluation.columns import COLUMNS

    table = Table(
        title=escape(columns.title(rows)), box=box.SIMPLE_HEAD, padding=0, show_edge=False, title_justify="left"
    )
    called = names or _agents(rows)
    lines = [(name, run.agent_kind, False, scores.summary) for name, (run, scores) in zip(called, rows, strict=True)]
    lines += [(control.name, control.kind, True, control.summary) for control in controls]
    numbers = [columns.cells(summary) for *_, summary in lines]
    spans = [columns.interval_cells(summary) if with_intervals else [""] * len(COLUMNS) for *_, summary in lines]
    table.add_column("Agent", overflow="fold")
    for i, column in enumerate(COLUMNS):
        heading = column.label.split()
        widest = max(map(len, (*heading, *(row[i] for row in (*numbers, *spans)))))
        table.add_column("\n".join(heading), justify="right", no_wrap=True, min_width=widest)
    table.add_column("Status", overflow="fold")
    for (name, kind, computed, summary), figures, ends in zip(lines, numbers, spans, strict=True):
        shown = [
            f"{figure}\n[dim]{escape(end)}[/]" if end else figure for figure, end in zip(figures, ends, strict=True)
        ]
        table.add_row(
            escape(name) + columns.marked(kind, computed=computed),
            *shown,
            "" if computed else columns.status_short(summary),
            style="" if kind == "baseline" else "dim",
        )
    return table


def judge_table(rows: Sequence[Row], names: Sequence[str] = ()) -> Table | None:
    """Return what a judge says of the reports of each run; ``None`` where none was asked.

    Args:
        rows: Manifest and scores of each run.
        names: What the runs are called; by default as their agents.
    """
    from riskchain_gym.evaluation.table import judge_cell

    said = [(name, scores.summary.judge) for name, (_, scores) in zip(names or _agents(rows), rows, strict=True)]
    found = [(agent, judged) for agent, judged in said if judged is not None]
    if not found:
        return None
    table = Table(
        title=f"judge {escape(found[0][1].judge)} · says nothing of right and wrong",
        box=box.SIMPLE_HEAD,
        padding=0,
        show_edge=False,
        title_justify="left",
    )
    table.add_column("Agent", overflow="fold")
    for name in ("reports", *JUDGE_DIMENSIONS):
        table.add_column(name.capitalize(), justify="right", overflow="fold", min_width=MEAN_WIDTH)
    for agent, judged in found:
        dimensions = (escape(judge_cell(dimension, "\n")) for dimension in judged.dimensions.values())
        table.add_row(escape(agent), str(judged.reports), *dimensions)
    return table


def print_scores(
    console: Console, rows: Sequence[Row], controls: Sequence[ControlRow] = (), names: Sequence[str] = ()
) -> None:
    """Print the score table, what must be read beside its rows, and what its marks mean.

    Args:
        console: Where to print it.
        rows: Manifest and scores of each run, at least one.
        controls: Rows that were computed for it.
        names: What the runs are called; by default as their agents.
    """
    from riskchain_gym.evaluation.table import INTERVAL_LEGEND, JOINT_LEGEND, JUDGE_LEGEND, LEGEND, remarks

    wide = console.width >= WIDE
    console.print(score_table(rows, controls, names=names, with_intervals=wide), crop=False)
    for name, found in zip(names or _agents(rows), remarks(rows, computed=bool(controls)), strict=True):
        for remark in found:
            say(console, f"{name}: {remark}")
    legend = f"{LEGEND} {INTERVAL_LEGEND}" if wide else LEGEND
    console.print(fill(legend, console.width), style="dim", highlight=False, markup=False, soft_wrap=True)
    if (table := judge_table(rows, names)) is not None:
        console.print()
        console.print(table, crop=False)
        console.print(fill(JUDGE_LEGEND, console.width), style="dim", highlight=False, soft_wrap=True)
    if (table := joint_table(rows, names)) is not None:
        console.print()
        console.print(table, crop=False)
        console.print(fill(JOINT_LEGEND, console.width), style="dim", highlight=False, soft_wrap=True)


def joint_table(rows: Sequence[Row], names: Sequence[str] = ()) -> Table | None:
    """Return what revised restorations have come to in each run; ``None`` where none was sent.

    Args:
        rows: Manifest and scores of each run.
        names: What the runs are called; by default as their agents.
    """
    from riskchain_gym.evaluation.columns import percent

    said = zip(names or _agents(rows), (scores.summary for _, scores in rows), strict=True)
    found = [(agent, summary, summary.joint) for agent, summary in said if summary.joint is not None]
    if not found:
        return None
    table = Table(
        title="with revised restorations, in percent · never ranked",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        title_justify="left",
    )
    table.add_column("Agent", overflow="fold")
    for heading in ("Acc^e", "Acc^joint", "Δ_gate", "recovered", "Gate", "revised", "strict", "handoff", "Revisions"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent, summary, joint in found:
        shares = (
            summary.end_to_end_accuracy,
            joint.accuracy,
            summary.gate_loss,
            joint.recovered,
            summary.entry_top1,
            joint.gate_rate,
            joint.gate_rate_strict,
            joint.gate_rate_handoff,
        )
        counts = f"{joint.revisions} (+{joint.opened} −{joint.closed})"
        table.add_row(escape(agent), *("–" if each is None else percent(each) for each in shares), counts)
    return table


def _agents(rows: Sequence[Row]) -> list[str]:
    return [manifest.agent for manifest, _ in rows]


def print_comparison(console: Console, found: Comparison, *, everything: bool = False) -> None:
    """Print by how much the first of two agents differs from the second.

    Args:
        console: Where to print it.
        found: The comparison.
        everything: Whether figures beside the headline are there too.
    """
    from riskchain_gym.evaluation.compare import COMPARE_LEGEND, difference_rows

    say(console, f"A {found.first}\nB {found.second}\n{found.chains} chains\n")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Figure", overflow="fold")
    for heading in ("A", "B", "Difference", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in difference_rows(found, everything=everything):
        table.add_row(*map(escape, row))
    console.print(table, crop=False)
    legend = COMPARE_LEGEND.format(samples=found.replicates, clusters=found.clusters, unit=found.unit)
    console.print(fill(legend, console.width), style="dim", highlight=False, markup=False, soft_wrap=True)


def fill(text: str, width: int) -> str:
    """Break a text after every sentence, and after commas where more than ``width`` columns would be taken."""
    lines: list[str] = []
    for sentence in re.split(r"(?<=\.) ", text):
        lines.append("")
        for phrase in re.split(r"(?<=[,;]) ", sentence):
            if lines[-1] and len(lines[-1]) + 1 + len(phrase) > width:
                lines.append("")
            lines[-1] = f"{lines[-1]} {phrase}".lstrip()
    return "\n".join(lines)
