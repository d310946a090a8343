"""The command that makes a leaderboard of frozen runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say

if TYPE_CHECKING:
    from riskchain_gym.evaluation.leaderboard.board import Board

out = make_console()
err = make_console(stderr=True)


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some; of any splits.")],
    to: Annotated[Path, typer.Option("--out", help="Folder to write the board into.")],
    cards: Annotated[
        Path | None,
        typer.Option(help="TOML with knowledge cut-offs, providers and notes of models.", show_default=False),
    ] = None,
    baseline: Annotated[
        str, typer.Option(help="Name of a row that all others are compared with.", show_default=False)
    ] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Show the published ten models in a block of their own.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole board as JSON instead of a table.")] = False,
) -> None:
    """Put scored runs on a board: a page, Markdown, CSV, LaTeX, JSON and figures; only sealed results are ranked."""
    from riskchain_gym.evaluation.leaderboard.building import build_board
    from riskchain_gym.evaluation.leaderboard.cards import read_cards
    from riskchain_gym.evaluation.leaderboard.figures import check_drawing
    from riskchain_gym.evaluation.leaderboard.published import published_aggregates
    from riskchain_gym.evaluation.leaderboard.writing import check_place, write_board
    from riskchain_gym.evaluation.store import open_runs

    check_drawing()
    check_place(to)
    known = read_cards(cards) if cards else None
    folders, left_out = open_runs(runs)
    board = build_board(
        folders,
        cards=known,
        published=published_aggregates() if published else None,
        baseline=baseline,
        left_out=left_out,
    )
    page = write_board(board, to)
    for sentence in board.left_out:
        say(err, sentence)
    if as_json:
        out.print_json(board.model_dump_json())
    else:
        print_board(board)
    say(err, f"\nLeaderboard: {page.resolve()}")


def print_board(board: Board) -> None:
    """Print the headline of each split: rank, Acc^w, Acc^e with its interval, Δ_gate, and why a row is not ranked."""
    from riskchain_gym.evaluation.columns import percent
    from riskchain_gym.evaluation.leaderboard.board import Control
    from riskchain_gym.evaluation.leaderboard.main_tables import rank_cell, remarks_of
    from riskchain_gym.evaluation.leaderboard.table_value import figure_cell
    from riskchain_gym.evaluation.table import marked

    for number, section in enumerate(board.sections):
        if number:
            out.print()
        kind = "sealed gold" if section.sealed else "open gold, not ranked"
        table = Table(
            title=escape(f"split {section.name} · {kind}"),
            box=box.SIMPLE_HEAD,
            padding=0,
            show_edge=False,
            title_justify="left",
        )
        table.add_column("Rank", justify="right")
        table.add_column("Agent", overflow="fold")
        table.add_column("Acc^w", justify="right")
        table.add_column("Acc^e", justify="right")
        table.add_column("95 %", no_wrap=True)
        table.add_column("Δ_gate", justify="right")
        table.add_column("Remarks", overflow="fold")
        for row in section.rows:
            web, gated, loss = (
                figure_cell(row.figures.get(name), percent)
                for name in ("web_accuracy", "end_to_end_accuracy", "gate_loss")
            )
            table.add_row(
                rank_cell(row).text,
                escape(row.name) + marked(row.kind, computed=isinstance(row, Control)),
                web.text,
                gated.text,
                escape(gated.below),
                loss.text,
                escape("; ".join(remarks_of(row))),
                style="" if row.kind == "baseline" else "dim",
            )
        out.print(table, crop=False)
