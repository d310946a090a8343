"""The commands ``riskchain labels agreement`` and ``riskchain labels simulate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.cli_labels import labels_app
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file, check_folder

if TYPE_CHECKING:
    from riskchain_gym.scoring.label_figures import LabelAgreement

__all__ = ["labels_app"]

out = make_console()
err = make_console(stderr=True)


@labels_app.command("agreement")
def labels_agreement(
    project: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a labelling project.")],
    page: Annotated[
        Path | None, typer.Option("--out", help="HTML report to write, for the coordinator.", show_default=False)
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(help="Split by name or path: compare the settled labels with its gold.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Say how far people agree: percent and α with intervals, repeats, layers, and what to beware of."""
    from riskchain_gym.benchmark.labels.project import Project
    from riskchain_gym.benchmark.splits import load_gold
    from riskchain_gym.protocol.files import write_atomically
    from riskchain_gym.protocol.model import canonical_json
    from riskchain_gym.scoring.label_agreement import label_agreement

    if page is not None:
        check_file(page)
    opened = Project.open(project)
    plan, events = opened.plan, opened.events()
    sites = None if gold is None else {chain.site.site_id: chain.site for chain in load_gold(gold).values()}
    found = label_agreement(plan, events, gold=sites, gold_name=gold or "")
    if page is not None:
        from riskchain_gym.annotation.agreement_page import agreement_page

        write_atomically(page, agreement_page(found, plan, events).encode())
    if as_json:
        say(out, canonical_json(found))
    else:
        _show(found)
    if page is not None:
        say(err, f"Report, for the coordinator only: {page}")


@labels_app.command("simulate")
def labels_simulate(
    to: Annotated[Path, typer.Option("--out", help="Folder of the project to make.")],
    sites: Annotated[str, typer.Option(help="Split by name or path, with its gold.")] = "mini",
    annotators: Annotated[int, typer.Option(min=2, max=26, help="How many annotators.")] = 4,
    count: Annotated[
        int | None, typer.Option(min=1, help="Sites to draw from the split (default: all).", show_default=False)
    ] = None,
    accuracy: Annotated[float, typer.Option(min=0, max=1, help="How often a decision is right on average.")] = 0.91,
    consistency: Annotated[
        float, typer.Option(min=0, max=1, help="How often a hidden repeat is answered from memory.")
    ] = 0.85,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
) -> None:
    """Write a project in which programs answer in place of people, to try tools on; it can never become gold."""
    from riskchain_gym.benchmark.labels.simulate import simulate

    check_folder(to)
    with err.status("Answering …"):
        project = simulate(
            to, sites, annotators=annotators, count=count, accuracy=accuracy, consistency=consistency, seed=seed
        )
        answers = len(project.events())
    say(err, f"{answers} simulated answers about {len(project.plan.items)} sites; no person has answered: {to}")


def _show(found: LabelAgreement) -> None:
    from riskchain_gym.annotation.agreement_views import headlines, text_rows

    for sentence in headlines(found):
        say(out, sentence)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Figure", overflow="fold")
    for heading in ("Value", "95 % interval", "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for row in text_rows(found):
        table.add_row(*map(escape, row))
    out.print(table, crop=False)
    for caution in found.cautions:
        say(out, f"! {caution.text}", style="yellow")
