"""The command that trains an agent with RLlib."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table

from riskchain_gym.cli_build import advance
from riskchain_gym.console import make_console, progress_on, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from riskchain_gym.training.rllib.settings import TrainSettings

out = make_console()
err = make_console(stderr=True)

TASKS = ("restorer", "investigator", "chain")


def train(
    task: Annotated[str, typer.Argument(help="What learns: restorer, investigator, or chain (both halves at once).")],
    to: Annotated[Path, typer.Option("--out", help="Run folder.")],
    algo: Annotated[str, typer.Option(help="Algorithm of RLlib: ppo.")] = "ppo",
    interface: Annotated[
        str | None,
        typer.Option(
            help="How a restorer acts: select (one of the candidate entries, the default) or edit (keep, drop or map "
            "each character).",
            show_default=False,
        ),
    ] = None,
    clone: Annotated[
        bool,
        typer.Option(
            "--clone",
            help="Begin with a clone of what the rules choose (edit: what traces say), or of what the explorer does.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights, actions and choice of chains.")] = 0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Environment steps (default: that of the task).", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    settings: Annotated[
        Path | None, typer.Option(help="TOML or JSON with settings, over those of the task.", show_default=False)
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting as name=value, e.g. lr=0.001 or env.reward=web.", show_default=False),
    ] = None,
    sites: Annotated[
        Path, typer.Option(help="Folder of the splits train, dev and ood; built there if it is missing.")
    ] = Path("runs/sites"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Train with RLlib, evaluate on splits that were not seen, and write curves, checkpoints and weights."""
    from riskchain_gym.training.rllib.evaluate import EVALUATION, evaluate
    from riskchain_gym.training.rllib.run import begun_steps, check_installed, check_run_folder
    from riskchain_gym.training.rllib.run import train as run_training

    if task not in TASKS:
        raise ConfigError(f"There is no task '{task}' to train: give one of {', '.join(TASKS)}.")
    if interface is not None and task != "restorer":
        raise ConfigError(f"--interface is how a restorer acts: leave it out for task '{task}'.")
    if clone and task == "chain":
        raise ConfigError("--clone is for the tasks restorer and investigator: leave it out for 'chain'.")
    check_installed()
    check_folder(to)
    given = {"algo": algo, "seed": seed} | ({} if steps is None else {"steps": steps})
    chosen = _settings(task, settings, given, sets, sites, interface)
    if clone:
        chosen = _cloned(chosen, to, resume=resume)
    check_run_folder(chosen, to, resume=resume)
    begun = begun_steps(to)
    if resume:
        say(err, f"Going on after {begun:,} steps." if begun else f"There is nothing to go on with in {to}: it begins.")
    say(err, f"Training in {to}; Ray starts, and takes a moment.")
    with progress_on(err) as progress:
        bar = progress.add_task(f"Training {task}", total=chosen.steps, completed=begun)
        result = run_training(
            chosen, to, resume=resume, on_iteration=lambda row: progress.update(bar, completed=row["env_steps"])
        )
    found = evaluate(
        chosen,
        result.weights,
        to / EVALUATION,
        on_split=lambda name: say(err, f"Evaluating on {name}; --set evaluate_chains=N plays fewer chains."),
    )
    if as_json:
        out.print_json(data={**found, "folder": str(to)})
        return
    _show(found)
    say(err, f"Curves: {to / 'curves.jsonl'}" + "".join(f", {path}" for path in result.curves))
    if not result.curves:
        say(
            err,
            "No pictures of the curves were drawn: pip install 'riskchain-gym[report]', then the same with --resume.",
        )
    say(err, f"Evaluation: {to / EVALUATION}\nWeights: {result.weights}")


def _cloned(settings: TrainSettings, folder: Path, *, resume: bool) -> TrainSettings:
    """Return settings that begin with a clone in the run folder; a run that goes on keeps the clone that it has."""
    from riskchain_gym.training.rllib import investigator, restorer
    from riskchain_gym.training.rllib.run import started

    start = folder / (investigator.START if settings.task == "investigator" else restorer.START)
    if (begun := started(settings, folder, start, resume=resume)) is not None:
        return begun
    with progress_on(err) as progress:
        bar = progress.add_task("Looking at the teacher", total=None)

        def show(done: int, whole: int) -> None:
            progress.update(bar, completed=done, total=whole)

        if settings.task == "investigator":
            settings, cloned = investigator.cloned_start(settings, folder, progress=show)
        else:
            interface = restorer.interface_of(settings)
            pairs = restorer.demonstrated(settings, interface, progress=show)
            settings, cloned = restorer.cloned_start(settings, interface, pairs, folder)
    say(err, f"Cloned: as the teacher on {cloned.agreement:.1%} of {cloned.held_out:,} held-out actions.")
    return settings


def _settings(
    task: str,
    file: Path | None,
    given: Mapping[str, Any],
    sets: list[str] | None,
    sites: Path,
    interface: str | None,
) -> TrainSettings:
    from riskchain_gym.training.rllib.restorer import restorer_values
    from riskchain_gym.training.rllib.settings import assigned, make_settings, read_settings
    from riskchain_gym.training.rllib.usual import usual_values

    read = read_settings(file) if file is not None else {}
    if read.get("task", task) != task:
        raise ConfigError(f"{file} is of the task '{read['task']}': train that, or give another file.")
    splits = _sites(sites) if task != "restorer" else {}
    usual = usual_values(task, splits)  # type: ignore[arg-type]
    if task == "restorer":
        usual |= restorer_values(interface or "select")
    tables = {name: {**usual.get(name, {}), **read[name]} for name in ("env",) if isinstance(read.get(name), dict)}
    return make_settings(assigned({**usual, **read, **tables, **given}, _assignments(sets)))


def _sites(folder: Path) -> dict[str, str]:
    from riskchain_gym.training.sites_at_hand import are_at_hand, sites_at_hand

    if not are_at_hand(folder):
        say(err, f"Building the sites into {folder}, once; takes a minute.")
    with progress_on(err) as progress:
        bars: dict[str, TaskID] = {}
        return sites_at_hand(folder, progress=lambda what, done, whole: advance(progress, bars, what, done, whole))


def _assignments(given: list[str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in given or ():
        name, equals, text = each.partition("=")
        if not name or not equals:
            raise ConfigError(f"--set takes name=value, not {each!a}.")
        try:
            found[name] = json.loads(text)
        except (ValueError, RecursionError):
            found[name] = text
    return found


def _show(found: Mapping[str, Any]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Split")
    table.add_column("Chains", justify="right")
    names = list(dict.fromkeys(name for split in found["splits"].values() for name in split.get("figures", {})))
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for name, split in found["splits"].items():
        table.add_row(name, str(split["chains"]), *(_cell(split.get("figures", {}).get(each)) for each in names))
    out.print(table)


def _cell(figure: Mapping[str, float | None] | None) -> str:
    if figure is None:
        return "–"
    value = f"{figure['value']:.1%}"
    low, high = figure["low"], figure["high"]
    return value if low is None or high is None else f"{value} [{low:.1%}, {high:.1%}]"
