"""The folder that a board is written into."""

from __future__ import annotations

from pathlib import Path

from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import all_tables
from riskchain_gym.evaluation.leaderboard.csv_files import csv_of
from riskchain_gym.evaluation.leaderboard.figures import draw
from riskchain_gym.evaluation.leaderboard.html import page_of
from riskchain_gym.evaluation.leaderboard.latex import latex_of
from riskchain_gym.evaluation.leaderboard.markdown import markdown_of
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import write_atomically

PAGE, TEXT, DATA = "index.html", "leaderboard.md", "leaderboard.json"
TABLES, FIGURES = "tables", "figures"


def check_place(folder: Path) -> None:
    """Refuse a folder that holds something else than a board: files of an earlier board are taken away.

    Raises:
        ConfigError: It does.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / DATA).is_file():
        raise ConfigError(f"{folder} holds something else than a leaderboard: choose an empty or a new folder.")


def write_board(board: Board, folder: Path) -> Path:
    """Write a board as a page, as Markdown, CSV, LaTeX and JSON, with its figures; the same board, the same bytes.

    Tables and figures of an earlier board in the folder that this one does not have are removed.

    Args:
        board: The board.
        folder: Where to write.

    Returns:
        The path of the page.

    Raises:
        ConfigError: The folder holds something else.
        MissingExtraError: Matplotlib, which draws the figures, is not installed.
    """
    check_place(folder)
    figures = draw(board)
    files: dict[str, bytes] = {f"{FIGURES}/{figure.name}.svg": figure.light for figure in figures}
    for table in all_tables(board):
        files[f"{TABLES}/{table.slug}.csv"] = csv_of(table).encode()
        files[f"{TABLES}/{table.slug}.tex"] = latex_of(table).encode()
    files[TEXT] = markdown_of(board, figures).encode()
    files[PAGE] = page_of(board, figures).encode()
    # First, because it is what tells the folder of a board from another, should the rest not be written.
    write_atomically(folder / DATA, board.model_dump_json(indent=1).encode() + b"\n")
    for inside in (TABLES, FIGURES):
        for old in sorted((folder / inside).glob("*")):
            if f"{inside}/{old.name}" not in files and old.suffix in (".csv", ".tex", ".svg"):
                old.unlink()
    for name, data in files.items():
        write_atomically(folder / name, data)
    return folder / PAGE
