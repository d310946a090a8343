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
    from riskchain_gym.benchmark.labels.plan import Layer, Plan, Role, Subject, Worker
    from riskchain_gym.benchmark.labels.progress import Overview, Pace, Progress, WorkerProgress

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

    check_folder(to)
    roles: tuple[tuple[Names, Role], ...] = (
        (annotator, "annotator"),
        (reviewer, "reviewer"),
        (coordinator, "coordinator"),
    )
    workers = [_worker(name, role) for names, role in roles for name in names or ()]
    with err.status("Reading what is to be labelled …"):
        subject, items, source, sha256, clusters, digests, lines = _chosen(sites, pairs, limit)
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
        digests=digests,
    )
    known = (to / PLAN).exists()
    create_project(to, drawn, lines)
    if known:
        say(err, f"{to} holds this very plan already: nothing was changed.")
    loads = Counter(task.worker for task in drawn.tasks if task.layer in ("pass", "repeat"))
    told = ", ".join(f"{name} {count}" for name, count in loads.items())
    if repeats and (without := _without_repeat(drawn)):
        say(err, f"No repeat was drawn for {', '.join(without)}: six items each are enough for one.")
    say(out, f"{len(drawn.items)} {subject}; tasks to begin with: {told}. Each of them now starts")
    say(out, f"riskchain annotate {to} --annotator NAME{_sites_option(source)}")


@labels_app.command("status")
def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a labelling project.")],
    full: Annotated[
        bool, typer.Option("--full", help="All figures, disputes among them: for the coordinator alone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Show how far everybody is, and what is to be done next; no answer is shown, and no dispute but with --full."""
    from riskchain_gym.benchmark.labels.progress import overview_of, progress_of
    from riskchain_gym.benchmark.labels.project import Project

    project = Project.open(folder)
    plan, events = project.plan, project.events()
    if full:
        say(err, "This is for the coordinator: it tells how many passes differ, so show it to no annotator.")
        progress = progress_of(plan, events)
        out.print_json(progress.model_dump_json()) if as_json else _show(progress, plan, folder)
    else:
        overview = overview_of(plan, events)
        out.print_json(overview.model_dump_json()) if as_json else _show_overview(overview, plan, folder)


def _worker(name: str, role: Role) -> Worker:
    from riskchain_gym.benchmark.labels.plan import Worker, checked_name

    return Worker(name=checked_name(name, given=f"--{role}"), role=role)


def _without_repeat(plan: Plan) -> list[str]:
    repeated = {task.worker for task in plan.tasks if task.layer == "repeat"}
    return [worker.name for worker in plan.workers if worker.role == "annotator" and worker.name not in repeated]


def _chosen(
    sites: list[str] | None, pairs: Path | None, limit: int | None
) -> tuple[Subject, list[str], str, str, Mapping[str, str], Mapping[str, str], bytes | None]:
    """Return what is labelled, the items, their source and its hash, clusters, digests, and the lines of pairs."""
    if pairs is None:
        from riskchain_gym.benchmark.labels.sources import item_sites

        found = item_sites(sites or ())
        return "sites", list(found)[:limit], found.source, found.sha256, found.clusters, found.digests, None
    if sites:
        raise ConfigError("A project labels sites or pairs: give --sites or --pairs, and not both.")
    from riskchain_gym.scoring.calibration.pairs import encoded_pairs, read_pairs

    taken = sorted(read_pairs(pairs), key=lambda pair: pair.item_id)[:limit]
    lines = encoded_pairs(taken)
    clusters = {pair.item_id: pair.cluster for pair in taken}
    return "pairs", list(clusters), str(pairs), hashlib.sha256(lines).hexdigest(), clusters, {}, lines


def _show_overview(overview: Overview, plan: Plan, folder: Path) -> None:
    table = _table("Done", "Planned")
    for worker in overview.workers:
        table.add_row(*_who(worker), *("" if n is None else str(n) for n in (worker.done, worker.planned)))
    out.print(table)
    say(out, f"\nNext: {_next_step(overview, plan, folder)}")


def _next_step(overview: Overview, plan: Plan, folder: Path) -> str:
    """Return what is to be done next, in words that tell nothing of disputes."""
    annotate = _annotate(folder, plan)
    if left := [each.name for each in overview.workers if each.planned is not None and each.done != each.planned]:
        return f"{', '.join(left)} each go on with  {annotate}"
    if plan.passes == 1:
        return _finish(folder)
    return (
        f"everybody looks whether anything is left for them, with  {annotate}  and the coordinator follows it with  "
        f"riskchain labels status {folder} --full"
    )


def _table(*numbers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("Who", "Role"):
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def _who(worker: Pace | WorkerProgress) -> tuple[str, str]:
    return escape(worker.name), f"{worker.role}, simulated" if worker.simulated else worker.role


def _show(progress: Progress, plan: Plan, folder: Path) -> None:
    table = _table("Done", "Due", "Total")
    for worker in progress.workers:
        table.add_row(*_who(worker), str(worker.done), str(worker.due), str(worker.total))
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
    say(out, f"Next: {_next(progress, plan, folder)}")


def _next(progress: Progress, plan: Plan, folder: Path) -> str:
    waiting = [worker.name for worker in progress.workers if worker.due]
    left = progress.items - progress.items_by_status["settled"]
    if waiting:
        return f"{', '.join(waiting)} each go on with  {_annotate(folder, plan)}"
    if left:
        what = f"the plan has no task that would settle the {left} open items"
        return f"{what}:  {_freeze(folder)} --partial  leaves them out"
    return _finish(folder)


def _sites_option(source: str) -> str:
    """Return what must be said of sites of a source when they are labelled: a plan does not know where imports lie."""
    from riskchain_gym.benchmark.labels.sources import IMPORT

    return " --sites FOLDER" if source == IMPORT else ""


def _annotate(folder: Path, plan: Plan) -> str:
    return f"riskchain annotate {folder} --annotator NAME{_sites_option(plan.source)}"


def _finish(folder: Path) -> str:
    return f"riskchain labels agreement {folder}  and then  {_freeze(folder)}"


def _freeze(folder: Path) -> str:
    return f"riskchain labels freeze {folder} --out labels.json"
