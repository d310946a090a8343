"""The command ``riskchain labels runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskchain_gym.cli_labels_freeze import labels_app
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_folder

__all__ = ["labels_app"]

out = make_console()
err = make_console(stderr=True)


@labels_app.command("runs")
def runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a labelling project on a split.")],
    to: Annotated[Path, typer.Option("--out", help="Folder for the run folders, one a person.")],
    sites: Annotated[
        str | None, typer.Option(help="The split, where it is not where the plan says.", show_default=False)
    ] = None,
) -> None:
    """Write people's visits as run folders, which `riskchain report` scores like those of agents."""
    from riskchain_gym.annotation.human_runs import write_human_runs
    from riskchain_gym.benchmark.labels.project import Project

    check_folder(to)
    project = Project.open(folder)
    with err.status("Reading visits …"):
        written = write_human_runs(project, to, sites)
    for run in written:
        if run.folder is not None:
            say(out, f"{run.worker}: {_visits(run.episodes)} in {run.folder.path}")
        if run.unseen:
            say(err, f"{run.worker}: passes without a visit were left out: {run.unseen}.")
        if run.cut_short:
            was, is_ = ("was", "is") if run.cut_short == 1 else ("were", "are")
            say(err, f"{run.worker}: {_visits(run.cut_short)} {was} cut short by the browser and {is_} left out.")


def _visits(count: int) -> str:
    return f"{count} visit{'' if count == 1 else 's'}"
