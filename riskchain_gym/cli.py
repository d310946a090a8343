"""The one command, ``riskchain``.

Exit codes: 0 done; 1 the job ran and found a fault; 2 bad usage or bad input; 3 something is not installed;
4 infrastructure failed; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from riskchain_gym.protocol.errors import (
    BrowserUnavailableError,
    ConfigError,
    InfrastructureError,
    MissingExtraError,
    RiskChainError,
)

if TYPE_CHECKING:
    from riskchain_gym.evaluation.score import Scores
    from riskchain_gym.evaluation.store import RunManifest

app = typer.Typer(
    name="riskchain",
    help="Restore a disguised message, commit, investigate its site, file a cited report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
out = Console()
err = Console(stderr=True)

DEMO_AGENTS = ("oracle", "noop", "always_violation", "landing_only", "rules+explorer")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
Split = Annotated[str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")]
Backend = Annotated[str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")]


def main() -> None:
    """Run the command line; every expected error is one sentence and an exit code."""
    try:
        app()
    except (MissingExtraError, BrowserUnavailableError) as error:
        _fail(error, 3)
    except InfrastructureError as error:
        _fail(error, 4)
    except RiskChainError as error:
        _fail(error, 2)
    except KeyboardInterrupt:
        err.print("Interrupted.")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(error: Exception, code: int) -> None:
    err.print(f"[bold red]riskchain:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
    sys.exit(code)


@contextmanager
def _progress() -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        yield progress


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check versions, extras, browser, fonts and machine; say what is missing and how to get it."""
    from riskchain_gym.envs.doctor import diagnose

    with err.status("Looking at this machine …"):
        checks = diagnose()
    if as_json:
        out.print_json(data=[asdict(check) for check in checks])
    else:
        table = Table("", "Check", "Found", "What to do", box=box.SIMPLE_HEAD, show_edge=False)
        for check in checks:
            mark = "[green]✓[/]" if check.ok else "[red]✗[/]" if check.required else "[yellow]–[/]"
            table.add_row(mark, escape(check.name), escape(check.detail), escape(check.fix))
        out.print(table)
        out.print("✓ fine, – missing but not needed for the demo, ✗ needs mending", style="dim")
    if not all(check.ok for check in checks if check.required):
        raise typer.Exit(1)


@app.command()
def demo(
    to: Annotated[Path | None, typer.Option("--out", help="Folder for runs and report (default: runs/demo…).")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Agent to run; repeat for more (default: five).")] = None,
    split: Split = "mini",
    backend: Backend = "chromium",
    workers: Annotated[int, typer.Option(min=1, help="Browsers side by side.")] = 2,
    chains: Annotated[int | None, typer.Option(min=1, help="Only the first so many chains.")] = None,
    as_json: Json = False,
) -> None:
    """Run the baseline agents through the whole chain; print a score table and write an HTML report."""
    from riskchain_gym.benchmark.splits import load_public
    from riskchain_gym.evaluation.report import write_report
    from riskchain_gym.evaluation.run import RunSettings, run_agents
    from riskchain_gym.evaluation.score import score_run

    agents = agent or list(DEMO_AGENTS)
    folder = to or _free_folder(Path("runs"), "demo")
    ids = tuple(chain.chain_id for chain in load_public(split))[:chains]
    observe = ("screenshot",) if backend == "chromium" else ()
    settings = RunSettings(split=split, backend=backend, observe=observe, workers=workers, chains=ids)
    with _progress() as progress:
        tasks = {name: progress.add_task(name, total=len(ids)) for name in agents}
        runs = run_agents(agents, folder, settings, lambda name, done: progress.update(tasks[name], completed=done))
        scores = [score_run(run) for run in runs]
        page = write_report(runs, folder / "report" / "index.html")
    _print_scores(list(zip([run.manifest for run in runs], scores, strict=True)), as_json)
    err.print(f"\nReport: {page.resolve()}", highlight=False, soft_wrap=True)
    if any(score.summary.lost for score in scores):
        err.print("[red]Some episodes were lost to infrastructure and have no score; see the report.[/]")
        raise typer.Exit(4)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    to: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    as_json: Json = False,
) -> None:
    """Score frozen runs again from their folders and write their HTML report."""
    from riskchain_gym.evaluation.report import write_report
    from riskchain_gym.evaluation.score import score_run
    from riskchain_gym.evaluation.store import RunFolder, find_runs

    folders = [RunFolder.open(path) for given in runs for path in find_runs(given)]
    folders.sort(key=lambda run: ("oracle", "control", "baseline").index(run.manifest.agent_kind))
    scored = [(run.manifest, score_run(run)) for run in folders]
    page = write_report(folders, to)
    _print_scores(scored, as_json)
    err.print(f"\nReport: {page.resolve()}", highlight=False, soft_wrap=True)


@app.command()
def restore(
    inputs: Annotated[Path, typer.Argument(help="JSONL of official input rows, or of session/variant/… rows.")],
    to: Annotated[Path, typer.Option("--out", help="JSONL of predictions to write.")],
    agent: Annotated[str, typer.Option(help="Restorer.")] = "rules",
    run_id: Annotated[str, typer.Option(help="Run id written into every prediction.")] = "run-0",
) -> None:
    """Restore every message of a file; the agent sees platform, surface and content, never an id."""
    from riskchain_gym.agents.registry import load_restorer
    from riskchain_gym.messages.official import read_inputs, write_predictions

    restorer = load_restorer(agent)
    tasks = list(read_inputs(inputs))
    with _progress() as progress:
        answers = [(task_id, restorer.restore(m)) for task_id, m in progress.track(tasks, description="Restoring")]
    write_predictions(to, answers, model_id=agent, run_id=run_id)
    named = sum(bool(commit.entry_candidates) for _, commit in answers)
    err.print(f"{len(answers)} predictions, {named} with an entry: {to}", highlight=False, soft_wrap=True)


@app.command()
def play(
    chain: Annotated[str | None, typer.Argument(help="Chain id (default: the first of the split).")] = None,
    split: Split = "mini",
    backend: Backend = "text",
) -> None:
    """Walk one chain by hand in the terminal, then see how you did."""
    import gymnasium as gym

    from riskchain_gym.agents.human import HumanAgent
    from riskchain_gym.agents.instructions import build_instructions
    from riskchain_gym.benchmark.splits import find_chain, load_gold, load_public
    from riskchain_gym.evaluation.episode import run_episode
    from riskchain_gym.evaluation.images import ScreenshotEncoder
    from riskchain_gym.scoring.episode import score_episode

    chosen = find_chain(split, chain).chain_id if chain else load_public(split)[0].chain_id
    env = gym.make("RiskChain-v0", split=split, backend=backend, reward="none", disable_env_checker=True)
    person = HumanAgent(
        ask=lambda prompt: out.input(f"[bold cyan]{escape(prompt)}[/] > "),
        show=lambda text: out.print(text, markup=False, highlight=False),
    )
    try:
        budget = env.unwrapped.config.max_steps  # type: ignore[attr-defined]
        episode = run_episode(env, person, build_instructions(max_steps=budget), chosen, ScreenshotEncoder())
    except EOFError:
        err.print("The input ended before the episode did: nothing was scored.")
        raise typer.Exit(2) from None
    finally:
        env.close()  # type: ignore[no-untyped-call]
    out.print_json(data=score_episode(episode.trajectory, load_gold(split)[chosen]).flat())


@app.command()
def schema(
    name: Annotated[str | None, typer.Argument(help="commit, action, report, …; leave out for all.")] = None,
) -> None:
    """Print the JSON schema of what crosses a boundary."""
    from riskchain_gym.protocol.schemas import SCHEMAS

    if name is not None and name not in SCHEMAS:
        raise ConfigError(f"There is no schema '{name}'. Schemas: {', '.join(SCHEMAS)}.")
    chosen = SCHEMAS if name is None else {name: SCHEMAS[name]}
    built = {key: model.model_json_schema() for key, model in chosen.items()}
    out.print_json(data=built if name is None else built[name])


@app.command()
def build(
    split: Annotated[str, typer.Argument(help="Split with a plan, e.g. mini.")],
    to: Annotated[Path, typer.Option("--out", help="Folder to write the split into.")],
) -> None:
    """Build a split from its plan; the same plan gives the same bytes on any machine."""
    from riskchain_gym.benchmark.build import build_chains, write_split
    from riskchain_gym.benchmark.plan import load_plan

    plan = load_plan(split)
    with _progress() as progress:
        task = progress.add_task(f"Building {split}", total=plan.chains)
        chains = build_chains(plan, split, lambda done: progress.update(task, completed=done))
    manifest = write_split(chains, plan, split, to)
    out.print_json(manifest.model_dump_json())


def _free_folder(parent: Path, name: str) -> Path:
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def _print_scores(rows: list[tuple[RunManifest, Scores]], as_json: bool) -> None:
    from riskchain_gym.evaluation import table as columns

    if as_json:
        out.print_json(data=[columns.as_json(manifest, scores) for manifest, scores in rows])
        return
    first = rows[0][0]
    title = f"split {escape(first.split)} · {first.origin} gold · {rows[0][1].summary.chains} chains"
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=0, show_edge=False, title_justify="left")
    table.add_column("Agent", no_wrap=True)
    for column in columns.COLUMNS:
        table.add_column("\n".join(column.label.split()), justify="right", no_wrap=True)
    table.add_column("Status", no_wrap=True)
    for manifest, scores in rows:
        style = "" if manifest.agent_kind == "baseline" else "dim"
        mark = columns.KIND_MARKS[manifest.agent_kind]
        table.add_row(
            escape(manifest.agent) + mark,
            *columns.cells(scores.summary),
            columns.status_short(scores.summary),
            style=style,
        )
    out.print(table)
    out.print(columns.LEGEND, style="dim", highlight=False)
