"""The commands ``riskchain labels plan`` and ``riskchain labels status``."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError

if TYPE_CHECKING:
    from riskchain_gym.benchmark.labels.plan import Layer, Role, Subject, Worker
    from riskchain_gym.benchmark.labels.progress import Progress

labels_app = typer.Typer(help="Labels that people give: plan, watch, compare, freeze.", no_args_is_help=True)

out = make_console()
err = make_console(stderr=True)

Names = list[str] | None
_LAYERS: dict[Layer, str] = {
    "pass": "independent passes",
    "repeat": "hidden repeats",
    "review": "blind reviews",
    "adjudication": "adjudications",
}


@labels_app.callback()
def _labels() -> None:
    """Labels that people give: plan, watch, compare, freeze."""


@labels_app.command("plan")
def plan(
    sites: Annotated[
        list[str] | None,
        typer.Option(help="A split, by name or path; or a folder of `riskchain sites import`, or of such: repeat."),
    ] = None,
    pairs: Annotated[Path | None, typer.Option(help="File of `riskchain judge pairs`, in place of sites.")] = None,
    annotator: Annotated[Names, typer.Option(help="Who labels; repeat for each person.")] = None,
    reviewer: Annotated[Names, typer.Option(help="Who reviews only; annotators review, too.")] = None,
    coordinator: Annotated[Names, typer.Option(help="Who settles what stays in dispute, and does no more.")] = None,
    passes: Annotated[int, typer.Option(help="Independent passes of each item.")] = 2,
    repeats: Annotated[
        float, typer.Option(help="Share of each annotator's items that come again unannounced, 0 to 0.5.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Draws who labels what, and in which order.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Take the first so many items, in order of id.")] = None,
    to: Annotated[Path, typer.Option("--out", help="Folder of the project.")] = Path("runs/labels"),
) -> None:
    """Draw who labels which site or pair, and make the folder of a labelling project."""
    from riskchain_gym.benchmark.labels.assign import draw_plan
    from riskchain_gym.benchmark.labels.project import PLAN, create_project
    from riskchain_gym.benchmark.labels.sources import IMPORT

    check_folder(to)
    roles: tuple[tuple[Names, Role], ...] = (
        (annotator, "annotator"),
        (reviewer, "reviewer"),
        (coordinator, "coordinator"),
    )
    workers = [_worker(name, role) for names, role in roles for name in names or ()]
    with err.status("Reading what is to be labelled …"):
        subject, items, source, sha256, clusters, lines = _chosen(sites, pairs, limit)
    drawn = draw_plan(
        subject,
        items,
        workers,
        source=source,
        source_sha256=sha256,
        seed=seed,
        passes=passes,
        repeats=repeats,
        clusters=clusters,
    )
    known = (to / PLAN).exists()
    create_project(to, drawn, lines)
    if known:
        say(err, f"{to} holds this very plan already: nothing was changed.")
    loads = Counter(task.worker for task in drawn.tasks if task.layer in ("pass", "repeat"))
    told = ", ".join(f"{name} {count}" for name, count in loads.items())
    say(out, f"{len(drawn.items)} {subject}; tasks to begin with: {told}. Each of them now starts")
    say(out, f"riskchain annotate {to} --annotator NAME{' --sites FOLDER' if source == IMPORT else ''}")


@labels_app.command("status")
def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a labelling project.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Show how far everybody is, and what is to be done next; no answer is shown."""
    from riskchain_gym.benchmark.labels.progress import progress_of
    from riskchain_gym.benchmark.labels.project import Project

    project = Project.open(folder)
    progress = progress_of(project.plan, project.events())
    if as_json:
        out.print_json(progress.model_dump_json())
    else:
        _show(progress, folder)


def _worker(name: str, role: Role) -> Worker:
    from pydantic import ValidationError

    from riskchain_gym.benchmark.labels.plan import Worker

    try:
        return Worker(name=name, role=role)
    except ValidationError as error:
        raise ConfigError(
            f"'{name}' cannot name files: take 1 to 64 letters, digits, '.', '_' and '-', a letter or digit first."
        ) from error


def _chosen(
    sites: list[str] | None, pairs: Path | None, limit: int | None
) -> tuple[Subject, list[str], str, str, Mapping[str, str], bytes | None]:
    """Return what is labelled, the items, their source, its hash, their clusters, and the lines of pairs."""
    if pairs is None:
        from riskchain_gym.benchmark.labels.sources import item_sites

        found = item_sites(sites or ())
        return "sites", list(found)[:limit], found.source, found.sha256, found.clusters, None
    if sites:
        raise ConfigError("A project labels sites or pairs: give --sites or --pairs, and not both.")
    from riskchain_gym.scoring.calibration.pairs import encoded_pairs, read_pairs

    taken = sorted(read_pairs(pairs), key=lambda pair: pair.item_id)[:limit]
    lines = encoded_pairs(taken)
    clusters = {pair.item_id: pair.cluster for pair in taken}
    return "pairs", list(clusters), str(pairs), hashlib.sha256(lines).hexdigest(), clusters, lines


def _show(progress: Progress, folder: Path) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("Who", "Role"):
        table.add_column(heading, overflow="fold")
    for heading in ("Done", "Due", "Total"):
        table.add_column(heading, justify="right")
    for worker in progress.workers:
        role = f"{worker.role}, simulated" if worker.simulated else worker.role
        table.add_row(escape(worker.name), role, str(worker.done), str(worker.due), str(worker.total))
    out.print(table)
    layers = [
        f"{name}: {progress.answered[layer]} answered, {progress.due[layer]} due"
        for layer, name in _LAYERS.items()
        if progress.answered[layer] or progress.due[layer]
    ]
    settled = progress.items_by_status["settled"]
    say(out, f"\n{'; '.join(layers)}.")
    say(
        out,
        f"{progress.items} items: {settled} settled; {progress.disagreements} in which passes differ, "
        f"{progress.open_disagreements} of them open.",
    )
    say(out, f"Next: {_next(progress, folder)}")


def _next(progress: Progress, folder: Path) -> str:
    waiting = [worker.name for worker in progress.workers if worker.due]
    left = progress.items - progress.items_by_status["settled"]
    if waiting:
        return f"{', '.join(waiting)} each go on with  riskchain annotate {folder} --annotator NAME"
    freeze = f"riskchain labels freeze {folder} --out labels.json"
    if left:
        return f"the plan has no task that would settle the {left} open items:  {freeze} --partial  leaves them out"
    return f"riskchain labels agreement {folder}  and then  {freeze}"
