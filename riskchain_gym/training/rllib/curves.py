"""The curves of a run: a line of JSON an iteration, and pictures of them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError, MissingExtraError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import canonical_json

PANELS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Accuracy", (("acc_w", "Acc^w"), ("acc_e", "Acc^e"), ("gate_rate", "gate rate"), ("delta_gate", "Δ_gate"))),
    ("Return", (("return", "mean return"),)),
    ("Episode length", (("length", "steps"),)),
    ("Entropy", (("entropy", "nats"),)),
)
"""Heading of each panel, and what is drawn in it: key of a row and its name."""


class Curves:
    """A file of rows, one an iteration.

    Args:
        path: The file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._file = LineFile(path)

    def append(self, row: Mapping[str, Any]) -> None:
        """Add the row of an iteration; it is on disk when this returns."""
        with self._file.locked() as file:
            self._file.mend(file)
            write_line(file, canonical_json(dict(row)).encode() + b"\n")

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows in order.

        Raises:
            InputFileError: A line is no row of an iteration.
        """
        return [self._row(number, line) for number, line in enumerate(self._file.lines(), start=1)]

    def cut(self, iteration: int) -> None:
        """Take away what lies behind an iteration: a run that goes on from there writes it again.

        Raises:
            InputFileError: A line is no row of an iteration.
        """
        kept = [row for row in self.rows() if row["iteration"] <= iteration]
        if self._file.path.exists():
            write_atomically(self._file.path, b"".join(canonical_json(row).encode() + b"\n" for row in kept))

    def _row(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not (isinstance(row, dict) and type(row.get("iteration")) is int and all(map(_is_figure, row.values()))):
            raise InputFileError(
                self._file.path,
                f"line {number}",
                "is no row of figures with its iteration: put back what stood there, or take the line away",
            )
        return row


def draw_curves(rows: Sequence[Mapping[str, Any]], title: str, folder: Path) -> list[Path]:
    """Draw the curves as ``curves.png`` and ``curves.svg`` and return their paths.

    Panels of which no row has a figure are left out.

    Args:
        rows: The rows.
        title: Stands above.
        folder: Where to write.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("report", "Drawing curves") from error
    panels = [(head, [line for line in lines if _known(rows, line[0])]) for head, lines in PANELS]
    panels = [(head, lines) for head, lines in panels if lines]
    if not panels:
        return []
    figure = Figure(figsize=(5 * len(panels), 3.6), layout="constrained")
    figure.suptitle(title)
    for axes, (head, lines) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        for key, name in lines:
            points = [(row["env_steps"], row[key]) for row in rows if _has(row, key)]
            axes.plot(*zip(*points, strict=True), label=name, linewidth=1.4, marker=".", markersize=4)
        axes.set_title(head)
        axes.set_xlabel("environment steps")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    paths = []
    for kind in ("png", "svg"):
        held = io.BytesIO()
        figure.savefig(held, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else None)
        paths.append(folder / f"curves.{kind}")
        write_atomically(paths[-1], held.getvalue())
    return paths


def _known(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return any(_has(row, key) for row in rows)


def _has(row: Mapping[str, Any], key: str) -> bool:
    return row.get(key) is not None and row.get("env_steps") is not None


def _is_figure(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) < float("inf"))
