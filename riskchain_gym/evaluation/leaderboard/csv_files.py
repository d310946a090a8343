"""Tables as CSV: numbers as they are, an interval in two columns of its own."""

from __future__ import annotations

import csv
import io

from riskchain_gym.evaluation.leaderboard.table_value import UNKNOWN, Cell, Heading, Table, slug_of
from riskchain_gym.protocol.control_characters import show_controls

_FORMULA = ("=", "+", "-", "@")


def csv_of(table: Table) -> str:
    """Return a table as CSV, with a column of what each row is and one of its remarks; what is unknown is empty."""
    spanned = [any(line.cells[i].low is not None for line in table.lines) for i in range(len(table.headings))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    named = [column for heading, ends in zip(_keys(table), spanned, strict=True) for column in _columns(heading, ends)]
    writer.writerow([slug_of(table.first).replace("-", "_"), "kind", "computed", *named, "remarks"])
    for line in table.lines:
        values = [
            value
            for heading, cell, ends in zip(table.headings, line.cells, spanned, strict=True)
            for value in _values(heading, cell, ends)
        ]
        computed = "yes" if line.computed else "no"
        writer.writerow([_inert(line.name), line.kind, computed, *values, _inert("; ".join(line.remarks))])
    return out.getvalue()


def _keys(table: Table) -> list[str]:
    """Return the names of the columns; where two would be alike, with a number."""
    seen: dict[str, int] = {}
    keys: list[str] = []
    for heading in table.headings:
        seen[heading.key] = n = seen.get(heading.key, 0) + 1
        keys.append(heading.key if n == 1 else f"{heading.key}_{n}")
    return keys


def _columns(key: str, ends: bool) -> list[str]:
    return [key, f"{key}_low", f"{key}_high"] if ends else [key]


def _values(heading: Heading, cell: Cell, ends: bool) -> list[str | float | None]:
    shown = "" if cell.text == UNKNOWN else cell.text
    value = cell.value if heading.numeric else _inert(shown)
    return [value, cell.low, cell.high] if ends else [value]


def _inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, with control characters shown."""
    shown = show_controls(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
