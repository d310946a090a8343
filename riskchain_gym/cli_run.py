"""The command that runs one agent over a split, and goes on where it was ended."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from rich.markup import escape

from riskchain_gym.cli_scores import print_usage, score_rows, show_scores
from riskchain_gym.console import failure, make_console, progress_on, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, RiskChainError
from riskchain_gym.stopping import sigterm_is_ctrl_c

if TYPE_CHECKING:
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.agents.registry import LoadedAgent
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.evaluation.score import ScoredRun, Scores
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
    agent_deadline: Annotated[
        float, typer.Option(min=0.1, help="Seconds an agent may take for one action, its model's answers included.")
    ] = 1800,
    worker_deadline: Annotated[
        float, typer.Option(min=0.1, help="Seconds an environment may take for one reset or step.")
    ] = 300,
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
    settings, named, asked = _settings(agent, asking, split, backend, workers, _chains(split, chains, chain))
    settings = replace(settings, agent_seconds=agent_deadline, worker_seconds=worker_deadline)
    folder = to or Path("runs") / _slug(split, *named)
    check_folder(folder)
    if dry_run:
        _estimate(agent, folder, settings, as_json)
    else:
        _run(agent, folder, settings, asked, as_json)


def _run(agent: str, folder: Path, settings: RunSettings, asked: str, as_json: bool) -> None:
    from riskchain_gym.evaluation.calls import CallLog
    from riskchain_gym.evaluation.run import run_agent

    before = sum(1 for _ in CallLog(folder).entries())
    with sigterm_is_ctrl_c(), _kept(folder, before, asked, as_json), progress_on(err) as progress:
        task = progress.add_task(escape(agent), total=len(settings.chains or ()))
        ended = run_agent(agent, folder, settings, lambda _, done: progress.update(task, completed=done))
        progress.update(task, completed=progress.tasks[0].total)
    _show(ended, before, asked, as_json)


@contextmanager
def _kept(folder: Path, before: int, asked: str, as_json: bool) -> Iterator[None]:
    """Say how a run goes on that was ended before its end."""
    from riskchain_gym.evaluation.closing import AgentUnclosedError
    from riskchain_gym.evaluation.store import MANIFEST, RunFolder
    from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError

    try:
        yield
    except KeyboardInterrupt:
        if (folder / MANIFEST).exists():
            say(err, f"What is finished is in {folder}; the same command again goes on from there.")
        raise
    except (InfrastructureError, ModelUnaskableError, AgentUnclosedError) as error:
        if not (folder / MANIFEST).exists():
            if not isinstance(error, FuseBlownError | ModelUnaskableError):
                raise
            raise failure(f"{error.args[-1]} {asked}", 4 if isinstance(error, FuseBlownError) else 2) from error
        raise _ended_early(RunFolder.open(folder), error, before, asked, as_json) from error


def _ended_early(run: RunFolder, error: RiskChainError, before: int, asked: str, as_json: bool) -> typer.Exit:
    """Print what a run came to that could not be finished, and return what ends the command."""
    from riskchain_gym.llm.failures import CallFailure
    from riskchain_gym.llm.fuse import FuseBlownError

    _print(run, before, as_json)
    if not run.empty:
        say(err, f"`riskchain report {run.path}` scores what is finished, and writes a page.")
    if asked:
        say(err, asked)
    cause = error.cause if isinstance(error, InfrastructureError) else ""
    why, how = str(error), " To go on, run the same command again."
    if isinstance(error, FuseBlownError) and cause == CallFailure.OVER_COST:
        why, how = f"{error.reply.detail}.", " To go on, raise --max-cost and run the same command again."
    elif isinstance(error, FuseBlownError) and cause == CallFailure.COST_UNKNOWN:
        how = " To go on, run the same command without --max-cost, or with --prices where only a price is missing."
        why = f"{error.reply.detail}."
    elif isinstance(error, FuseBlownError):
        why, how = str(error.args[1]), ""
    done, planned = sum(map(run.holds, run.manifest.chains)), len(run.manifest.chains)
    return failure(f"The run was ended after {done} of {planned} chains: {why}{how}", 4 if cause else 2)


def _show(run: RunFolder, before: int, asked: str, as_json: bool) -> None:
    """Print what a run came to; a run that lacks results, or whose results are no scores, ends with exit code 4."""
    from riskchain_gym.evaluation.usage import listed, losses
    from riskchain_gym.llm.settings import BASE_URL_VARIABLE

    scored, lost, planned = _print(run, before, as_json), losses(run), len(run.manifest.chains)
    if lost or BASE_URL_VARIABLE in asked:
        say(err, asked)
    if missing := sum(lost.values()):
        raise failure(f"{missing} of {planned} chains have no result ({listed(lost)}): run the same command again.", 4)
    if scored is not None and scored.scores.summary.lost:
        raise failure("Some episodes were lost to infrastructure and have no score: the table counts them.", 4)


def _print(run: RunFolder, before: int, as_json: bool) -> ScoredRun | None:
    """Print scores, calls, what was paid since so many attempts were written down, and where the run is."""
    from riskchain_gym.benchmark.splits import GOLD, split_dir
    from riskchain_gym.evaluation.calls import CallLog
    from riskchain_gym.evaluation.controls import controls_beside
    from riskchain_gym.evaluation.score import ScoredRun
    from riskchain_gym.evaluation.usage import dollars, losses, paid_in, usage_of

    usage, lost, planned = usage_of(run), losses(run), len(run.manifest.chains)
    paid_now = paid_in(CallLog(run.path), before)
    gold = (split_dir(run.manifest.split) / GOLD).is_file()
    scores = _scores(run) if gold and not run.empty else None
    scored = [ScoredRun(run, scores)] if scores is not None else []
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
        print_usage(out, [(usage.agent, usage)] if usage else [])
    if usage is not None:
        why = "unknown, an answer has no count of tokens or no price (--prices FILE)"
        known = why if paid_now is None else f"${dollars(paid_now)}"
        say(err, f"Paid now: {known}.")
    if not gold:
        say(err, f"Split '{run.manifest.split}' has no gold here: the run is frozen, and scored where the gold is.")
    say(err, f"\nRun: {run.path.resolve()}")
    return scored[0] if scored else None


def _scores(run: RunFolder) -> Scores | None:
    """Score a run; where nothing can be written, its scores are those that are there, if they are."""
    from riskchain_gym.evaluation.score import load_scores, score_run
    from riskchain_gym.evaluation.store import SCORES

    try:
        return score_run(run)
    except OSError as error:
        if (run.path / SCORES).exists():
            return load_scores(run)
        say(err, f"The scores cannot be written to {run.path} ({error.strerror}): score the run once they can be.")
        return None


def _estimate(agent: str, folder: Path, settings: RunSettings, as_json: bool) -> None:
    from riskchain_gym.evaluation.estimate import estimate
    from riskchain_gym.evaluation.run import plan_run
    from riskchain_gym.evaluation.store import MANIFEST, RunFolder
    from riskchain_gym.evaluation.usage import dollars

    manifest = plan_run(agent, folder, settings)
    held = RunFolder.open(folder) if (folder / MANIFEST).exists() else None
    left = [each for each in manifest.chains if held is None or not held.holds(each)]
    if len(left) < len(manifest.chains):
        say(
            err,
            f"{len(manifest.chains) - len(left)} of {len(manifest.chains)} chains are in {folder} already and are not "
            "estimated: give --out another folder for a fresh estimate.",
        )
    found = estimate(agent, manifest, settings, left)
    if as_json:
        out.print_json(data=None if found is None else found.model_dump(mode="json"))
        return
    if found is None:
        say(out, f"Agent '{manifest.agent}' asks no model: its run costs nothing.")
        return
    say(out, f"{', '.join(found.models)}: {found.chains} chains to run, estimated from {found.rehearsed} of them.")
    for what, bill in (("about", found.about), ("all used up", found.used_up)):
        cost = "price unknown: give --prices FILE" if bill.cost is None else f"${dollars(bill.cost)}"
        say(
            out,
            f"{what}: {bill.calls:,} calls, {bill.input_tokens:,} tokens in, {bill.output_tokens:,} tokens out, {cost}",
        )
    say(
        err,
        "About: as the scripted agent plays. All used up: every step and strike, each prompt like the longest tried "
        "out, each answer at its longest. Neither is a limit: --max-cost is.",
    )


def _settings(
    agent: str, asking: Asking, split: str, backend: str, workers: int, chains: tuple[str, ...]
) -> tuple[RunSettings, list[str], str]:
    """Return how to run, what the agent and its model are called, and where that is asked; nothing is asked yet."""
    from riskchain_gym.agents.models import Models
    from riskchain_gym.agents.registry import load_agent
    from riskchain_gym.evaluation.closing import close_agent
    from riskchain_gym.evaluation.estimate import unasked
    from riskchain_gym.evaluation.settings import RunSettings, pictures_of

    with Models(make_client=unasked) as models:
        loaded = load_agent(agent, models=models, overrides=asking.overrides.get(agent))
        close_agent(loaded)
    said = {"--prices": asking.prices, "--max-cost": asking.max_cost, "--cache": asking.cache}
    if not loaded.asks_model and (flags := [flag for flag, value in said.items() if value is not None]):
        raise ConfigError(f"Agent '{loaded.spec.name}' asks no model: leave out {' and '.join(flags)}.")
    settings = RunSettings(split, backend, (), workers, chains, asking)
    if backend == "chromium":
        settings = replace(settings, observe=tuple(dict.fromkeys(("screenshot", *pictures_of(loaded)))))
    given = asking.overrides.get(agent)
    named = sorted({each.model for each in loaded.models}) if given is not None or not loaded.spec.model else []
    # A colon stays visible: llm:MODEL and llm with --model are agents of two names, whose runs do not mix.
    names = [loaded.spec.name.replace(":", "@"), *(name for name in named if name not in loaded.spec.name)]
    return settings, names, _where(loaded, given)


def _where(loaded: LoadedAgent, given: Overrides | None) -> str:
    """Return a sentence on which models are asked at which addresses; it is for the terminal, and kept nowhere."""
    from riskchain_gym.agents.models import SCRIPTED
    from riskchain_gym.llm.settings import BASE_URL_VARIABLE

    asked = dict.fromkeys(f"'{each.model}' at {each.base_url}" for each in loaded.models)
    named, variable = loaded.spec.model.get("base_url"), os.environ.get(BASE_URL_VARIABLE)
    hidden = variable and named not in (None, SCRIPTED) and variable.rstrip("/") != str(named).rstrip("/")
    wins = f" That is the agent's file's address, which wins over {BASE_URL_VARIABLE}: give --base-url to win over it."
    return f"Asked: {', '.join(asked)}.{wins if hidden and not (given and given.base_url) else ''}" if asked else ""


def _overrides(model: str | None, base_url: str | None, settings: dict[str, Any], options: dict[str, Any]) -> Overrides:
    from riskchain_gym.agents.overrides import Overrides

    if wrong := [name for name, value in options.items() if not isinstance(value, str | int | float)]:
        raise ConfigError(f"--option {wrong[0]}: an option is a text, a number, true or false.")
    try:
        return Overrides(model=model, base_url=base_url, settings=settings, options=options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = " ".join(ascii(part)[1:-1] for part in first["loc"] if isinstance(part, str))
        raise ConfigError(f"{where}: {first['msg']}.") from None


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
            raise ConfigError(f"{flag} takes name=value, not {each!a}.")
        if name in found:
            raise ConfigError(f"{flag} names '{name}' twice: give it once.")
        try:
            found[name] = json.loads(text)
        except (ValueError, RecursionError):
            found[name] = text
        try:
            json.dumps([name, found[name]], ensure_ascii=False, allow_nan=False).encode()
        except ValueError:
            raise ConfigError(
                f"{flag} {ascii(name)[1:-1]}: it holds a number without end, or a character that is none: give another."
            ) from None
    return found


def _slug(split: str, *names: str) -> str:
    parts = [Path(split).name or "split", *names]
    return "-".join(re.sub(r"[^A-Za-z0-9._+@-]+", "-", part) for part in parts)[:120]
