"""The commands that run the baselines, score runs, and compare them."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from riskchain_gym.cli_scores import place, show_scores
from riskchain_gym.console import failure, make_console, print_comparison, progress_on, say
from riskchain_gym.places import check_folder
from riskchain_gym.stopping import sigterm_is_ctrl_c

out = make_console()
err = make_console(stderr=True)

MODEL_AGENT = "llm"
"""The agent that asks whatever model is named; where none is, the demo goes without it."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
Split = Annotated[str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")]
Backend = Annotated[str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")]


def demo(
    to: Annotated[Path | None, typer.Option("--out", help="Folder for runs and report (default: runs/demo…).")] = None,
    agent: Annotated[
        list[str] | None, typer.Option(help="Agent to run; repeat for more (default: every baseline).")
    ] = None,
    split: Split = "mini",
    backend: Backend = "chromium",
    workers: Annotated[int, typer.Option(min=1, help="Browsers side by side.")] = 2,
    chains: Annotated[int | None, typer.Option(min=1, help="Only the first so many chains.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Model of the agent llm (default: RISKCHAIN_LLM_MODEL).", show_default=False)
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Its address (default: RISKCHAIN_LLM_BASE_URL).", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the baseline agents through the whole chain; print a score table and write a report with a viewer."""
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.benchmark.splits import load_public
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.report.writing import write_report
    from riskchain_gym.evaluation.run import run_agents
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.evaluation.score import ScoredRun, score_run
    from riskchain_gym.evaluation.settings import RunSettings

    agents, left_out = (agent, []) if agent else _baselines(model, base_url)
    folder = to or _free_folder(Path("runs"), "demo")
    check_folder(folder)
    ids = tuple(chain.chain_id for chain in load_public(split))[:chains]
    asking = Asking({MODEL_AGENT: Overrides(model=model, base_url=base_url)})
    observe = ("screenshot",) if backend == "chromium" else ()
    settings = RunSettings(split, backend, observe, workers, ids, asking)
    try:
        with sigterm_is_ctrl_c(), progress_on(err) as progress:
            tasks = {name: progress.add_task(escape(name), total=len(ids)) for name in agents}
            runs = run_agents(agents, folder, settings, lambda name, done: progress.update(tasks[name], completed=done))
    except (KeyboardInterrupt, typer.Exit):
        if any(folder.glob("*/run.json")):
            say(err, f"The unfinished run is in {folder.resolve()}; `riskchain report` scores what there is.")
        raise
    for sentence in left_out:
        say(err, sentence)
    runs.sort(key=place)
    scored = [ScoredRun(run, score_run(run)) for run in runs if not run.empty]
    controls = controls_beside([each.run.manifest for each in scored])
    page = write_report(runs, folder / "report", controls)
    show_scores(scored, controls, as_json)
    say(err, f"\nReport: {page.resolve()}")
    missing = [run.manifest.agent for run in runs if not all(map(run.holds, run.manifest.chains))]
    if missing:
        raise failure(f"Some chains have no result ({', '.join(missing)}): the table says why.", 4)
    if any(each.scores.summary.lost for each in scored):
        raise failure("Some episodes were lost to infrastructure and have no score: the report names them.", 4)


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    to: Annotated[Path, typer.Option("--out", help="Folder to write; a report that is in it is replaced.")] = Path(
        "report"
    ),
    as_json: Json = False,
) -> None:
    """Score frozen runs again from their folders and write their report: a folder with a viewer of the episodes."""
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.report.publishing import ReportFolder
    from riskchain_gym.evaluation.report.writing import write_report
    from riskchain_gym.evaluation.score import score_runs
    from riskchain_gym.evaluation.store import open_runs

    ReportFolder.check(to)
    folders, left_out = open_runs(runs)
    folders.sort(key=place)
    scored, skipped = score_runs(folders)
    for sentence in (*left_out, *skipped):
        say(err, sentence)
    controls = controls_beside([each.run.manifest for each in scored])
    page = write_report([each.run for each in scored], to, controls)
    show_scores(scored, controls, as_json)
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


def _baselines(model: str | None, base_url: str | None) -> tuple[list[str], list[str]]:
    """Return every agent of ``baselines/`` that can be run here, and a sentence for each that is left out."""
    from riskchain_gym.agents.registry import agent_names
    from riskchain_gym.agents.registry import find_spec as spec_of
    from riskchain_gym.llm.settings import BASE_URL_VARIABLE, MODEL_VARIABLE

    left_out: dict[str, str] = {}
    if not (model or os.environ.get(MODEL_VARIABLE)) or not (base_url or os.environ.get(BASE_URL_VARIABLE)):
        left_out[MODEL_AGENT] = "name a model with --model and --base-url"
    if find_spec("openai") is None:
        asking = (name for name in agent_names() if name == MODEL_AGENT or spec_of(name)[0].model)
        left_out |= dict.fromkeys(asking, "it needs  pip install 'riskchain-gym[llm]'")
    sentences = [f"Agent '{name}' was left out: {what}." for name, what in left_out.items()]
    return [name for name in agent_names() if name not in left_out], sentences


def _free_folder(parent: Path, name: str) -> Path:
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder
