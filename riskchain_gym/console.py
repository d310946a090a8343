"""What the command line shows: consoles, a progress bar and the score table, whole at any width."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

if TYPE_CHECKING:
    from riskchain_gym.evaluation.table import Row

UNBOUNDED = 500
"""Columns of a console whose output goes to a file or a pipe, where nothing must be folded."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or as ``COLUMNS`` says; without either, :data:`UNBOUNDED` wide."""
    console = Console(stderr=stderr)
    if not console.file.isatty() and "COLUMNS" not in os.environ:
        console.width = UNBOUNDED
    return console


def say(console: Console, text: str, *, style: str = "", end: str = "\n") -> None:
    """Print a text as it stands: nothing in it is markup, and nothing is coloured or folded.

    What was asked for goes to the console of stdout, what is said about the work to that of stderr.

    Args:
        console: Where to print it.
        text: The text.
        style: Style of all of it.
        end: What follows it.
    """
    console.print(text, style=style or None, end=end, markup=False, highlight=False, emoji=False, soft_wrap=True)


@contextmanager
def progress_on(console: Console) -> Iterator[Progress]:
    """Show a progress bar on a console; what fails before its first step leaves none behind."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        try:
            yield progress
        finally:
            progress.live.transient = not any(task.completed for task in progress.tasks)


def score_table(rows: Sequence[Row]) -> Table:
    """Return the score table of one split's runs; numbers are never cut, names and statuses fold.

    Args:
        rows: Manifest and scores of each run, at least one.
    """
    from riskchain_gym.evaluation import table as columns

    table = Table(
        title=escape(columns.title(rows)), box=box.SIMPLE_HEAD, padding=0, show_edge=False, title_justify="left"
    )
    cells = [columns.cells(scores.summary) for _, scores in rows]
    table.add_column("Agent", overflow="fold")
    for column, values in zip(columns.COLUMNS, zip(*cells, strict=True), strict=True):
        heading = column.label.split()
        widest = max(map(len, (*heading, *values)))
        table.add_column("\n".join(heading), justify="right", no_wrap=True, min_width=widest)
    table.add_column("Status", overflow="fold")
    for (manifest, scores), numbers in zip(rows, cells, strict=True):
        table.add_row(
            escape(manifest.agent) + columns.KIND_MARKS[manifest.agent_kind],
            *numbers,
            columns.status_short(scores.summary),
            style="" if manifest.agent_kind == "baseline" else "dim",
        )
    return table


def print_scores(console: Console, rows: Sequence[Row]) -> None:
    """Print the score table, what must be read beside its rows, and what its marks mean."""
    from riskchain_gym.evaluation.table import LEGEND, remarks

    console.print(score_table(rows), crop=False)
    for (manifest, _), found in zip(rows, remarks(rows), strict=True):
        for remark in found:
            say(console, f"{manifest.agent}: {remark}")
    console.print(fill(LEGEND, console.width), style="dim", highlight=False, soft_wrap=True)


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
