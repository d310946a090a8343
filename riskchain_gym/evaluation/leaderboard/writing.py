"""The folder that a board is written into."""

from __future__ import annotations

import re
from pathlib import Path

from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import all_tables
from riskchain_gym.evaluation.leaderboard.csv_files import csv_of
from riskchain_gym.evaluation.leaderboard.figures import draw
from riskchain_gym.evaluation.leaderboard.html import page_of
from riskchain_gym.evaluation.leaderboard.latex import latex_of
from riskchain_gym.evaluation.leaderboard.markdown import markdown_of
from riskchain_gym.evaluation.own_folder import OwnFolder
from riskchain_gym.protocol.files import write_atomically, write_together

PAGE, TEXT, DATA = "index.html", "leaderboard.md", "leaderboard.json"
TABLES, FIGURES = "tables", "figures"
MARKER = ".riskchain-leaderboard"

_MARK = b"riskchain-leaderboard-folder/v1\nThis folder is written by `riskchain leaderboard`, which replaces these:\n"
_OURS = re.compile(rf"{TABLES}/[a-z0-9-]+\.(csv|tex)|{FIGURES}/[a-z0-9-]+\.svg")
_BOARD = OwnFolder("a leaderboard", PAGE, MARKER, (TABLES, FIGURES))


def check_place(folder: Path) -> None:
    """Refuse a path that no board can be written to.

    Raises:
        ConfigError: It is named like a file, lies in a run folder, or is a folder with something else in it.
        InputFileError: It is a file or a link to nothing, or it may not be written to.
    """
    _BOARD.check(folder)


def write_board(board: Board, folder: Path) -> Path:
    """Write a board as a page, as Markdown, CSV, LaTeX and JSON, with its figures; the same board, the same bytes.

    All of it is on the disk before the first file of an earlier board is replaced, the page last; then the tables and
    figures go that the earlier board wrote and this one does not have.

    Args:
        board: The board.
        folder: Where to write.

    Returns:
        The path of the page.

    Raises:
        ConfigError: As :func:`check_place` does.
        InputFileError: Likewise.
        OSError: It cannot be written.
        MissingExtraError: Matplotlib, which draws the figures, is not installed.
    """
    check_place(folder)
    figures = draw(board)
    files: dict[str, bytes] = {f"{FIGURES}/{figure.name}.svg": figure.light for figure in figures}
    for table in all_tables(board):
        files[f"{TABLES}/{table.slug}.csv"] = csv_of(table).encode()
        files[f"{TABLES}/{table.slug}.tex"] = latex_of(table).encode()
    inside = set(files)
    files[TEXT] = markdown_of(board, figures).encode()
    files[DATA] = board.model_dump_json(indent=1).encode() + b"\n"
    files[PAGE] = page_of(board, figures).encode()
    earlier = _listed(folder)
    _mark(folder, earlier | inside)
    write_together({folder / name: data for name, data in files.items()})
    for name in sorted(earlier - inside):
        (folder / name).unlink(missing_ok=True)
    _mark(folder, inside)
    return folder / PAGE


def _mark(folder: Path, names: set[str]) -> None:
    """Mark a folder as a board's, with what a later board may take away."""
    write_atomically(folder / MARKER, _MARK + "".join(f"{name}\n" for name in sorted(names)).encode())


def _listed(folder: Path) -> set[str]:
    """Return the tables and figures that boards have written into a folder."""
    try:
        lines = (folder / MARKER).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    return {line for line in lines if _OURS.fullmatch(line)}
