"""How a run ends in the terminal: finished, broken off to go on later, or estimated only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape

from riskchain_gym.cli_scores import print_usage, score_rows, show_scores
from riskchain_gym.console import failure, make_console, progress_on, say
from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.stopping import sigterm_is_ctrl_c

if TYPE_CHECKING:
    from riskchain_gym.evaluation.score import Scores
    from riskchain_gym.evaluation.settings import RunSettings
    from riskchain_gym.evaluation.store import RunFolder

__all__ = ["estimate_run", "finish_run"]

out = make_console()
err = make_console(stderr=True)


def finish_run(
    agent: str, folder: Path, settings: RunSettings, asked: str, as_json: bool, *, shown: bool = True
) -> str:
    """Run an agent into a folder, or go on with the run in it.

    Args:
        agent: The agent, as it was asked for.
        folder: The run folder.
        settings: How to run.
        asked: A sentence on where models are asked.
        as_json: Whether to print JSON instead of tables.
        shown: Whether to print what the run came to, if it came to its end.

    Returns:
        What is missing in it in a sentence, ``""`` if nothing is.

    Raises:
        typer.Exit: The run was broken off; how it goes on was said.
    """
    from riskchain_gym.evaluation.calls import CallLog
    from riskchain_gym.evaluation.run import run_agent

    before = sum(1 for _ in CallLog(folder).entries())
    with sigterm_is_ctrl_c(), _kept(folder, before, asked, as_json), progress_on(err) as progress:
        task = progress.add_task(escape(agent), total=len(settings.chains or ()))
        ended = run_agent(agent, folder, settings, lambda _, done: progress.update(task, completed=done))
        progress.update(task, completed=progress.tasks[0].total)
    return _missing(ended, before, asked, as_json, shown)


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
        else:
            say(err, "No episode was finished and nothing was kept: the same command begins again.")
        raise
    except (InfrastructureError, ModelUnaskableError, AgentUnclosedError) as error:
        if not (folder / MANIFEST).exists():
            if not isinstance(error, FuseBlownError | ModelUnaskableError):
                raise
            raise failure(f"{error.args[-1]} {asked}", 4 if isinstance(error, FuseBlownError) else 2) from error
        raise _ended_early(RunFolder.open(folder), error, before, asked, as_json) from error


def _ended_early(run: RunFolder, error: RiskChainError, before: int, asked: str, as_json: bool) -> typer.Exit:
    """Print what a run came to that could not be finished, and return what ends the command."""
    from riskchain_gym.evaluation.writing import UnwrittenError
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
    elif isinstance(error, FuseBlownError | UnwrittenError):
        why, how = str(error.args[1]), ""
    done, planned = sum(map(run.holds, run.manifest.chains)), len(run.manifest.chains)
    return failure(f"The run was ended after {done} of {planned} chains: {why}{how}", 4 if cause else 2)


def _missing(run: RunFolder, before: int, asked: str, as_json: bool, shown: bool) -> str:
    """Print what a run came to, and return what is missing in it: results, or results that are scores."""
    from riskchain_gym.evaluation.usage import listed, losses
    from riskchain_gym.llm.settings import BASE_URL_VARIABLE

    lost, planned = losses(run), len(run.manifest.chains)
    if shown:
        _print(run, before, as_json)
    if lost or BASE_URL_VARIABLE in asked:
        say(err, asked)
    if missing := sum(lost.values()):
        return f"{missing} of {planned} chains have no result ({listed(lost)}): run the same command again."
    if any(record.trajectory.status is EpisodeStatus.INFRA_ERROR for record in run.records()):
        return "Some episodes were lost to infrastructure and have no score: the table counts them."
    return ""


def _print(run: RunFolder, before: int, as_json: bool) -> None:
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


def estimate_run(agent: str, folder: Path, settings: RunSettings, as_json: bool) -> None:
    """Print what a run would ask of models; nothing is asked and nothing is written."""
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
