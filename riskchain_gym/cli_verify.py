"""The commands that look after run folders: are they whole, and what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say

if TYPE_CHECKING:
    from riskchain_gym.evaluation.verify import Verification

out = make_console()

runs_app = typer.Typer(name="runs", help="Look after run folders: prove that they are whole, list them.")

_NUMBERS = ("Steps", "Repeat", "Episodes")
MARKS = {"ok": "[green]✓[/]", "problem": "[red]✗[/]", "not_checked": "[yellow]–[/]"}
LISTED = 10
"""Problems of one check that are printed; --json has all."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]


@runs_app.command()
def verify(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Score again, too, and compare scores.json byte for byte.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check every file of run folders against the hashes they carry; exit code 1 if something is not as written."""
    from riskchain_gym.evaluation.store import find_runs
    from riskchain_gym.evaluation.verify import verify_run

    paths = dict.fromkeys(path for given in runs for path in find_runs(given))
    done = [verify_run(path, rescore=rescore) for path in paths]
    if as_json:
        out.print_json(data=[{**each.model_dump(mode="json"), "intact": each.intact} for each in done])
    else:
        for each in done:
            _show(each)
    if not all(each.intact for each in done):
        raise typer.Exit(1)


@runs_app.command(name="list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="A folder that holds runs, or a run folder.")] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List the runs in a folder: agent, split, how far each is, whether it is frozen and scored."""
    from riskchain_gym.evaluation.run_list import listed

    rows = listed(folder)
    if as_json:
        out.print_json(data=[row.model_dump(mode="json") for row in rows])
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("Run", "Agent", "Model", "Split", "Gold", "Steps", "Repeat", "Episodes", "Frozen", "Scored"):
        table.add_column(heading, overflow="fold", justify="right" if heading in _NUMBERS else "left")
    for row in rows:
        models = ", ".join(row.models) or "–"
        marks = ("yes" if row.frozen else "no", "yes" if row.scored else "no")
        part = "" if row.planned == row.split_chains else f" of {row.split_chains}"
        numbers = (str(row.max_steps), str(row.repeat + 1), f"{row.done}/{row.planned}{part}")
        cells = (row.run, row.agent, models, row.split, row.gold, *numbers, *marks)
        table.add_row(*map(escape, cells))
    out.print(table, crop=False)


def _show(found: Verification) -> None:
    verdict = "whole" if found.intact else "NOT as it was written"
    say(out, f"{found.path}: {verdict}")
    table = Table.grid(padding=(0, 1))
    for _ in range(3):
        table.add_column(overflow="fold")
    for check in found.checks:
        said = check.said if check.status != "not_checked" else f"not checked: {check.said}"
        table.add_row(f"  {MARKS[check.status]}", check.name, escape(said))
    out.print(table, crop=False)
    for check in found.checks:
        for problem in check.problems[:LISTED]:
            say(out, f"    {problem}")
        if len(check.problems) > LISTED:
            say(out, f"    … and {len(check.problems) - LISTED} more of {check.name}: --json lists them all")
