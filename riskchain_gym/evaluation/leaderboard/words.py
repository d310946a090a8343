"""What every writer says alike."""

from __future__ import annotations

import re

from riskchain_gym.evaluation.leaderboard.board import Section
from riskchain_gym.evaluation.leaderboard.table_value import Line
from riskchain_gym.evaluation.table import COMPUTED, KIND_MARKS

CONTROLS = (
    "° control, * oracle (upper bound), † computed for this board and not run. – is not known, never zero. "
    "Controls, oracles and incomplete runs are never ranked."
)
"""How the marks are read."""


def marked(line: Line) -> str:
    """Return the name of a row with its marks."""
    return line.name + KIND_MARKS.get(line.kind, "") + (COMPUTED if line.computed else "")


def status_of(section: Section) -> str:
    """Return in a sentence what a split's results are worth."""
    gold = (
        "sealed gold: nobody could make these chains before. Ranked by Acc^e."
        if section.sealed
        else "open gold, not ranked: anyone can make these chains and their gold again."
    )
    return (
        f"{section.split_chains} chains, {gold} Content {section.split_sha256[:16]}, gold {section.gold_sha256[:16]}."
    )


_FIGURES = re.compile(r"(Acc|Δ)([\^_])(w\b|e\b|gate\b)")


def scripts(text: str) -> list[tuple[str, str]]:
    """Return a text in parts: ``^`` before what stands raised, ``_`` before what stands lowered, else ``""``.

    Only the figures ``Acc^w``, ``Acc^e`` and ``Δ_gate`` have such; in names a caret or an underscore is itself.
    """
    parts: list[tuple[str, str]] = []
    end = 0
    for found in _FIGURES.finditer(text):
        parts += [("", text[end : found.end(1)]), (found[2], found[3])]
        end = found.end()
    return [*parts, ("", text[end:])]
