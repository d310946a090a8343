"""The command that runs one agent over a split, and goes on where it was ended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from riskchain_gym.cli_scores import print_usage, score_rows, show_scores
from riskchain_gym.console import failure, make_console, progress_on, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.stopping import sigterm_is_ctrl_c

if TYPE_CHECKING:
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.evaluation.settings import RunSettings
    from riskchain_gym.evaluation.store import RunFolder

out = make_console()
err = make_console(stderr=True)


def run(
    agent: Annotated[
        str, typer.Option(help="Agent: a name, RESTORER+INVESTIGATOR, llm:MODEL in place of a part, or a TOML file.")
    ],
    split: Annotated[
        str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")
    ] = "mini",
    to: Annotated[
        Path | None,
        typer.Option("--out", help="Run folder; the same run goes on in it (default: runs/SPLIT-AGENT[-MODEL])."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Episodes side by side.")] = 2,
    backend: Annotated[
        str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")
    ] = "chromium",
    chains: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many chains.", show_default=False)
    ] = None,
    chain: Annotated[
        list[str] | None, typer.Option(help="Only this chain; repeat for more.", show_default=False)
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Name of the model (default: RISKCHAIN_LLM_MODEL).", show_default=False)
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Its address (default: RISKCHAIN_LLM_BASE_URL).", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Option of the agent, as name=value; repeat for more.", show_default=False)
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting of the model, as name=value, e.g. temperature=0.7.", show_default=False),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="TOML with prices, over those that ship.", show_default=False)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop once the run has cost so many US dollars.", show_default=False)
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for the model's answers (default: that of the run).", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost; ask nothing and write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Run one agent over a split; the same command again goes on where it was ended, and asks nothing twice."""
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.llm.prices import shipped_prices

    overrides = _overrides(model, base_url, _assignments("--set", setting), _assignments("--option", option))
    given = {agent: overrides} if overrides != Overrides() else {}
    asking = Asking(given, shipped_prices(prices) if prices else None, max_cost, cache)
    settings, named = _settings(agent, asking, split, backend, workers, _chains(split, chains, chain))
    folder = to or Path("runs") / _slug(split, *named)
    check_folder(folder)
    if dry_run:
        _estimate(agent, folder, settings, as_json)
    else:
        _run(agent, folder, settings, as_json)


def _run(agent: str, folder: Path, settings: RunSettings, as_json: bool) -> None:
    from riskchain_gym.evaluation.calls import CallLog
    from riskchain_gym.evaluation.run import run_agent
    from riskchain_gym.evaluation.usage import paid_in

    before = paid_in(CallLog(folder))
    with sigterm_is_ctrl_c(), _kept(folder), progress_on(err) as progress:
        task = progress.add_task(escape(agent), total=len(settings.chains or ()))
        ended = run_agent(agent, folder, settings, lambda _, done: progress.update(task, completed=done))
        progress.update(task, completed=progress.tasks[0].total)
    after = paid_in(CallLog(folder))
    paid = None if before is None or after is None else after - before
    _show(ended, paid, as_json)


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Say how a run goes on that was ended before its end."""
    from riskchain_gym.evaluation.store import MANIFEST, RunFolder
    from riskchain_gym.evaluation.usage import usage_of
    from riskchain_gym.llm.failures import CallFailure

    try:
        yield
    except KeyboardInterrupt:
        if (folder / MANIFEST).exists():
            say(err, f"What is finished is in {folder}; the same command again goes on from there.")
        raise
    except InfrastructureError as error:
        if not (folder / MANIFEST).exists():
            raise
        run = RunFolder.open(folder)
        if (usage := usage_of(run)) is not None:
            print_usage(err, [usage])
        how = "raise --max-cost and run" if error.cause == CallFailure.OVER_COST else "run"
        done, planned = len(list(run.records())), len(run.manifest.chains)
        raise failure(
            f"The run was ended after {done} of {planned} chains ({error}) To go on, {how} the same command again.", 4
        ) from error


def _show(run: RunFolder, paid_now: float | None, as_json: bool) -> None:
    """Print what a run came to; a run that lacks results, or whose results are no scores, ends with exit code 4."""
    from riskchain_gym.benchmark.splits import GOLD, split_dir
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.score import ScoredRun, score_run
    from riskchain_gym.evaluation.usage import dollars, listed, losses, usage_of

    usage, lost, planned = usage_of(run), losses(run), len(run.manifest.chains)
    gold = (split_dir(run.manifest.split) / GOLD).is_file()
    scored = [ScoredRun(run, score_run(run))] if gold and not run.empty else []
    controls = controls_beside([run.manifest]) if scored else []
    if as_json:
        rows = score_rows(scored, controls) if scored else None
        told = None if usage is None else usage.model_dump(mode="json")
        done = sum(run.holds(chain) for chain in run.manifest.chains)
        data = {"run": str(run.path), "agent": run.manifest.agent, "planned": planned, "done": done, "lost": lost}
        out.print_json(data={**data, "paid_now": paid_now if usage else None, "usage": told, "scores": rows})
    elif scored:
        show_scores(scored, controls, as_json=False)
    else:
        print_usage(out, [usage] if usage else [])
    if usage is not None:
        known = "unknown, no price is known: give --prices" if paid_now is None else f"${dollars(paid_now)}"
        say(err, f"Paid now: {known}.")
    if not gold:
        say(err, f"Split '{run.manifest.split}' has no gold here: the run is frozen, and scored where the gold is.")
    say(err, f"\nRun: {run.path.resolve()}")
    missing = sum(lost.values())
    if missing:
        raise failure(f"{missing} of {planned} chains have no result ({listed(lost)}): run the same command again.", 4)
    if scored and scored[0].scores.summary.lost:
        raise failure("Some episodes were lost to infrastructure and have no score: the table counts them.", 4)


def _estimate(agent: str, folder: Path, settings: RunSettings, as_json: bool) -> None:
    from riskchain_gym.evaluation.estimate import estimate
    from riskchain_gym.evaluation.run import plan_run
    from riskchain_gym.evaluation.store import MANIFEST, RunFolder
    from riskchain_gym.evaluation.usage import dollars

    manifest = plan_run(agent, folder, settings)
    held = RunFolder.open(folder) if (folder / MANIFEST).exists() else None
    left = [each for each in manifest.chains if held is None or not held.holds(each)]
    found = estimate(agent, manifest, settings, left)
    if as_json:
        out.print_json(data=None if found is None else found.model_dump(mode="json"))
        return
    if found is None:
        say(out, f"Agent '{manifest.agent}' asks no model: its run costs nothing.")
        return
    say(out, f"{', '.join(found.models)}: {found.chains} chains to run, estimated from {found.rehearsed} of them.")
    for what, bill in (("about", found.about), ("at most", found.at_most)):
        cost = "price unknown: give --prices" if bill.cost is None else f"${dollars(bill.cost)}"
        say(
            out,
            f"{what}: {bill.calls:,} calls, {bill.input_tokens:,} tokens in, {bill.output_tokens:,} tokens out, {cost}",
        )
    say(
        err,
        "About: as the scripted agent plays. At most: every step and strike used, every answer at its longest.",
    )


def _settings(
    agent: str, asking: Asking, split: str, backend: str, workers: int, chains: tuple[str, ...]
) -> tuple[RunSettings, list[str]]:
    """Return how to run, and what the agent and its model are called; nothing is asked."""
    from riskchain_gym.agents.models import Models
    from riskchain_gym.agents.registry import load_agent
    from riskchain_gym.evaluation.estimate import unasked
    from riskchain_gym.evaluation.settings import RunSettings, pictures_of

    with Models(make_client=unasked) as models:
        loaded = load_agent(agent, models=models, overrides=asking.overrides.get(agent))
        loaded.agent.close()
    settings = RunSettings(split, backend, (), workers, chains, asking)
    if backend == "chromium":
        settings = replace(settings, observe=tuple(dict.fromkeys(("screenshot", *pictures_of(loaded)))))
    given = asking.overrides.get(agent)
    named = sorted({each.model for each in loaded.models}) if given is not None or not loaded.spec.model else []
    return settings, [loaded.spec.name, *(name for name in named if name not in loaded.spec.name)]


def _overrides(model: str | None, base_url: str | None, settings: dict[str, Any], options: dict[str, Any]) -> Overrides:
    from riskchain_gym.agents.overrides import Overrides

    if wrong := [name for name, value in options.items() if not isinstance(value, str | int | float)]:
        raise ConfigError(f"--option {wrong[0]}: an option is a text, a number, true or false.")
    return Overrides(model=model, base_url=base_url, settings=settings, options=options)


def _chains(split: str, first: int | None, named: list[str] | None) -> tuple[str, ...]:
    from riskchain_gym.benchmark.splits import load_public

    if first is not None and named:
        raise ConfigError("--chains and --chain contradict each other: give one of them.")
    return tuple(named or [chain.chain_id for chain in load_public(split)][:first])


def _assignments(flag: str, given: list[str] | None) -> dict[str, Any]:
    """Read ``name=value`` arguments; a value is JSON where it can be, else the text itself."""
    found: dict[str, Any] = {}
    for each in given or ():
        name, equals, text = each.partition("=")
        if not name or not equals:
            raise ConfigError(f"{flag} takes name=value, not '{each}'.")
        if name in found:
            raise ConfigError(f"{flag} names '{name}' twice: give it once.")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def _slug(split: str, *names: str) -> str:
    parts = [Path(split).name or "split", *names]
    return "-".join(re.sub(r"[^A-Za-z0-9._+@-]+", "-", part) for part in parts)[:120]
