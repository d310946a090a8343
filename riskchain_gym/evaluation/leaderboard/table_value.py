"""A table as a value: every writer formats the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from riskchain_gym.evaluation.columns import percent
from riskchain_gym.evaluation.leaderboard.board import Control, Entry, Figure

UNKNOWN = "–"
"""What is not known; never a zero."""


@dataclass(frozen=True)
class Heading:
    """A column.

    Attributes:
        key: Machine-readable name.
        label: Heading, see :func:`~riskchain_gym.evaluation.leaderboard.words.scripts` for indices.
        meaning: One sentence for a legend.
        group: Heading above several columns, or ``""``.
        numeric: Whether it holds numbers.
        lower: Whether less is better.
        neutral: Whether neither is.
    """

    key: str
    label: str
    meaning: str = ""
    group: str = ""
    numeric: bool = True
    lower: bool = False
    neutral: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: What it shows.
        value: The number behind it, by which a column is sorted.
        low: Lower end of its interval.
        high: Upper end.
        below: What stands below in small letters.
        shade: 0 to 1 for a heat map.
        best: Whether it is the best of its column among agents on the whole split.
    """

    text: str = UNKNOWN
    value: float | None = None
    low: float | None = None
    high: float | None = None
    below: str = ""
    shade: float | None = None
    best: bool = False


@dataclass(frozen=True)
class Line:
    """A row.

    Attributes:
        name: What it is called.
        cells: One a column.
        kind: ``baseline``, ``control``, ``oracle``, ``published``, or ``stratum``.
        computed: Whether nobody ran it.
        remarks: What must be read beside it.
        whole: Whether it is over the whole split.
    """

    name: str
    cells: tuple[Cell, ...]
    kind: str = "baseline"
    computed: bool = False
    remarks: tuple[str, ...] = ()
    whole: bool = True


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        slug: Name of its files.
        title: Heading.
        caption: How it is read.
        first: Heading of the names.
        headings: The other columns.
        lines: The rows; those that are computed stand last.
    """

    slug: str
    title: str
    caption: str
    headings: tuple[Heading, ...]
    lines: tuple[Line, ...]
    first: str = "Agent"

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Headings above columns and how many columns each spans; empty where there is none."""
        found: list[tuple[str, int]] = []
        for heading in self.headings:
            if found and found[-1][0] == heading.group:
                found[-1] = heading.group, found[-1][1] + 1
            else:
                found.append((heading.group, 1))
        return found if any(group for group, _ in found) else []


def figure_cell(figure: Figure | None, show: Callable[[float], str] = percent) -> Cell:
    """Return a figure with its interval below it."""
    if figure is None:
        return Cell()
    below = "" if figure.low is None or figure.high is None else f"[{show(figure.low)}, {show(figure.high)}]"
    return Cell(show(figure.value), figure.value, figure.low, figure.high, below)


def number_cell(value: float | None, show: Callable[[float], str]) -> Cell:
    """Return a number that has no interval."""
    return Cell() if value is None else Cell(show(value), value)


def line_of(row: Entry | Control, cells: Sequence[Cell], remarks: Sequence[str] = ()) -> Line:
    """Return the line of a row of the board."""
    whole = isinstance(row, Control) or row.whole
    return Line(row.name, tuple(cells), row.kind, isinstance(row, Control), tuple(remarks), whole)


def figures_of(figures: Mapping[str, Figure], keys: Sequence[tuple[str, Callable[[float], str]]]) -> list[Cell]:
    """Return the cells of several figures by name."""
    return [figure_cell(figures.get(key), show) for key, show in keys]


def mark_best(headings: Sequence[Heading], lines: Sequence[Line]) -> tuple[Line, ...]:
    """Mark the best figure of each column among agents on the whole split, where they differ."""
    agents = [line for line in lines if line.kind == "baseline" and line.whole]
    best: list[float | None] = []
    for i, heading in enumerate(headings):
        values = [value for line in agents if (value := line.cells[i].value) is not None]
        known = heading.numeric and not heading.neutral and len(set(values)) > 1
        best.append((min(values) if heading.lower else max(values)) if known else None)
    return tuple(
        replace(
            line,
            cells=tuple(
                replace(cell, best=line in agents and top is not None and cell.value == top)
                for cell, top in zip(line.cells, best, strict=True)
            ),
        )
        for line in lines
    )


def slug_of(name: str) -> str:
    """Return a name as it can stand in the name of a file."""
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(filter(None, kept.split("-"))) or "split"
