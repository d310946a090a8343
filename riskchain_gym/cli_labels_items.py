"""The command ``riskchain labels items``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.cli_labels_runs import labels_app
from riskchain_gym.console import make_console

if TYPE_CHECKING:
    from riskchain_gym.benchmark.labels.listing import ListedSite

__all__ = ["labels_app"]

out = make_console()


@labels_app.command("items")
def items(
    sites: Annotated[
        list[str], typer.Option(help="A split, by name or path, or folders of `riskchain sites import`: repeat.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Say which id is which site: language, title, operator, and where it is; no gold is read."""
    from riskchain_gym.benchmark.labels.listing import listed_sites
    from riskchain_gym.benchmark.labels.sources import item_sites

    found = listed_sites(item_sites(sites))
    if as_json:
        out.print_json(data=[each.model_dump(mode="json") for each in found])
    else:
        _show(found)


def _show(found: Sequence[ListedSite]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Id", no_wrap=True)
    for heading in ("Language", "Title", "Operator", "Folder" if any(each.folder for each in found) else "Chains"):
        table.add_column(heading, overflow="fold")
    for each in found:
        where = each.folder or " ".join(each.chains)
        table.add_row(*map(escape, (each.item_id, each.language, each.title, each.operator, where)))
    out.print(table, crop=False)
