"""The board as one Markdown file."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import (
    PUBLISHED,
    overview_table,
    published_tables,
    section_tables,
)
from riskchain_gym.evaluation.leaderboard.figures import Drawn
from riskchain_gym.evaluation.leaderboard.table_value import Line, Table
from riskchain_gym.evaluation.leaderboard.words import CONTROLS, marked, status_of
from riskchain_gym.protocol.control_characters import show_controls

_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|~$"})


def markdown_of(board: Board, figures: Sequence[Drawn]) -> str:
    """Return the board as Markdown.

    Args:
        board: The board.
        figures: What was drawn for it; only their names and captions are used.
    """
    parts = ["# RiskChain leaderboard", CONTROLS, *_table(overview_table(board))]
    for section in board.sections:
        parts += [f"## {_text(section.name)}", _text(status_of(section))]
        for table in section_tables(board, section):
            parts += _table(table)
        parts += [f"![{_text(f.title)}](figures/{f.name}.svg)" for f in figures if f.section == section.name]
    if board.published:
        parts += [f"## Published elsewhere\n\n*{_text(PUBLISHED)}*"]
        for table in published_tables(board.published):
            parts += _table(table)
    if board.left_out:
        parts += ["## Left out", "\n".join(f"- {_text(sentence)}" for sentence in board.left_out)]
    parts.append(f"riskchain-gym {board.package}")
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> list[str]:
    grouped = [f"{h.group}: {h.label}" if h.group else h.label for h in table.headings]
    head = "| " + " | ".join(map(_text, (table.first, *grouped))) + " |"
    rule = "|---|" + "|".join("--:" if h.numeric else "---" for h in table.headings) + "|"
    rows = "\n".join("| " + " | ".join(_cells(line)) + " |" for line in table.lines)
    remarks = [f"- {_text(line.name)}: {_text('; '.join(line.remarks))}" for line in table.lines if line.remarks]
    return [
        f"### {_text(table.title)}",
        f"{head}\n{rule}\n{rows}",
        _text(table.caption),
        *(["\n".join(remarks)] * bool(remarks)),
    ]


def _cells(line: Line) -> list[str]:
    cells = [
        (f"**{_text(cell.text)}**" if cell.best else _text(cell.text))
        + (f"<br>{_text(cell.below)}" if cell.below else "")
        for cell in line.cells
    ]
    return [_text(marked(line)), *cells]


def _text(text: str) -> str:
    return show_controls(text).translate(_ESCAPED)
