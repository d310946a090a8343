"""The commands that run agents, score runs, and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from riskchain_gym.console import failure, make_console, print_comparison, print_scores, progress_on, say
from riskchain_gym.places import check_file, check_folder

if TYPE_CHECKING:
    from riskchain_gym.evaluation.controls import ControlRow
    from riskchain_gym.evaluation.store import RunFolder
    from riskchain_gym.evaluation.table import Row

out = make_console()
err = make_console(stderr=True)

DEMO_AGENTS = ("oracle", "noop", "always_violation", "copy+landing_only", "landing_only", "rules+explorer")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
Split = Annotated[str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")]
Backend = Annotated[str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")]


def demo(
    to: Annotated[Path | None, typer.Option("--out", help="Folder for runs and report (default: runs/demo…).")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Agent to run; repeat for more (default: six).")] = None,
    split: Split = "mini",
    backend: Backend = "chromium",
    workers: Annotated[int, typer.Option(min=1, help="Browsers side by side.")] = 2,
    chains: Annotated[int | None, typer.Option(min=1, help="Only the first so many chains.")] = None,
    as_json: Json = False,
) -> None:
    """Run the baseline agents through the whole chain; print a score table and write an HTML report."""
    from riskchain_gym.benchmark.splits import load_public
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.report import write_report
    from riskchain_gym.evaluation.run import run_agents
    from riskchain_gym.evaluation.score import score_run
    from riskchain_gym.evaluation.settings import RunSettings

    agents = agent or list(DEMO_AGENTS)
    folder = to or _free_folder(Path("runs"), "demo")
    check_folder(folder)
    ids = tuple(chain.chain_id for chain in load_public(split))[:chains]
    observe = ("screenshot",) if backend == "chromium" else ()
    settings = RunSettings(split=split, backend=backend, observe=observe, workers=workers, chains=ids)
    try:
        with progress_on(err) as progress:
            tasks = {name: progress.add_task(escape(name), total=len(ids)) for name in agents}
            runs = run_agents(agents, folder, settings, lambda name, done: progress.update(tasks[name], completed=done))
    except KeyboardInterrupt:
        if any(folder.glob("*/run.json")):
            say(err, f"The unfinished run is in {folder.resolve()}; `riskchain report` scores what there is.")
        raise
    runs.sort(key=_place)
    rows = [(run.manifest, score_run(run)) for run in runs]
    controls = controls_beside([manifest for manifest, _ in rows])
    page = write_report(runs, folder / "report" / "index.html", controls)
    _show_scores(rows, controls, as_json)
    say(err, f"\nReport: {page.resolve()}")
    if any(scores.summary.lost for _, scores in rows):
        raise failure("Some episodes were lost to infrastructure and have no score: the report names them.", 4)


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    to: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    as_json: Json = False,
) -> None:
    """Score frozen runs again from their folders and write their HTML report."""
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.report import write_report
    from riskchain_gym.evaluation.score import score_runs
    from riskchain_gym.evaluation.store import open_runs

    check_file(to)
    folders, left_out = open_runs(runs)
    folders.sort(key=_place)
    scored, skipped = score_runs(folders)
    for sentence in (*left_out, *skipped):
        say(err, sentence)
    controls = controls_beside([each.run.manifest for each in scored])
    page = write_report([each.run for each in scored], to, controls)
    _show_scores([(each.run.manifest, each.scores) for each in scored], controls, as_json)
    say(err, f"\nReport: {page.resolve()}")


def compare(
    first: Annotated[Path, typer.Argument(help="Run folder of one agent.")],
    second: Annotated[Path, typer.Argument(help="Run folder of another, on the same chains.")],
    unit: Annotated[
        str, typer.Option(help="What is drawn: website, skeleton (of the message) or operator.")
    ] = "website",
    everything: Annotated[bool, typer.Option("--all", help="Figures beside the headline, too.")] = False,
    as_json: Json = False,
) -> None:
    """Say by how much two agents differ on the same chains, each difference with its paired 95 % interval."""
    from riskchain_gym.evaluation.compare import compare_runs
    from riskchain_gym.evaluation.store import RunFolder

    runs = RunFolder.open(first), RunFolder.open(second)
    found = compare_runs(*runs, unit=unit)
    if as_json:
        out.print_json(found.model_dump_json())
    else:
        print_comparison(out, found, everything=everything)


def _place(run: RunFolder) -> tuple[int, str]:
    """Where a run stands in tables: the oracle, then controls, then agents, each by name."""
    return ("oracle", "control", "baseline").index(run.manifest.agent_kind), run.manifest.agent


def _free_folder(parent: Path, name: str) -> Path:
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def _show_scores(rows: list[Row], controls: list[ControlRow], as_json: bool) -> None:
    from riskchain_gym.evaluation.table import as_json as row_as_json
    from riskchain_gym.evaluation.table import control_as_json

    if as_json:
        ran = [row_as_json(manifest, scores) for manifest, scores in rows]
        out.print_json(data=ran + [control_as_json(control) for control in controls])
    else:
        print_scores(out, rows, controls)
