"""Running agents over a split, each into a run folder, without gold."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from riskchain_gym.evaluation.at_work import Progress, work
from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.evaluation.open_run import OpenRun
from riskchain_gym.evaluation.planning import prepare
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.resume import check_same, open_or_begin
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import MANIFEST, RunFolder


def run_agents(
    agents: Sequence[str], out: Path, settings: RunSettings, progress: Progress | None = None
) -> list[RunFolder]:
    """Run agents over a split, each into a folder of its own below ``out``, without gold and unscored.

    Nothing is written before agents, chains, environment and folders have been checked. When an agent raises, or on an
    interrupt, the episodes that have ended are kept, browsers are closed, and folders without an episode are removed.

    Args:
        agents: Names or TOML paths of agents.
        out: Folder for the run folders; must not hold runs of the same agents.
        settings: How to run.
        progress: Called after every episode.

    Returns:
        The folders. A run holds less than was planned where a model gave no answer, see :mod:`~.calls`.

    Raises:
        ConfigError: A run folder exists already, an agent or a chain is named twice, a setting is wrong, or there is
            nothing to run.
        ModelUnaskableError: A server does not know the model or the key, or takes no pictures.
        AgentUnclosedError: An agent raised when it was closed.
        UnknownNameError: No such agent, split or chain.
        MissingExtraError: Agents or environment need an extra that is not installed.
        BrowserUnavailableError: The backend needs a browser and none starts.
        InfrastructureError: A model answers no more (cause ``model_lost``), the budget is spent (``over_cost``),
            nothing more can be written (``disk_full``, ``unwritten``), or one episode after another is lost to machines
            (``machines_lost``).
    """
    out, settings = out.absolute(), _rooted(settings)
    with ExitStack() as held:
        planned = prepare(agents, settings, lambda spec: out / spec.name, held)
        for each in planned:
            RunFolder.check_free(each.path)
        for each in planned:
            held.enter_context(folder_held(each.path))
        runs = {each.agent: OpenRun(RunFolder.begin(each.path, each.manifest), each.agent) for each in planned}
        work(runs, planned, settings, progress)
    return [run.folder for run in runs.values()]


def run_agent(agent: str, path: Path, settings: RunSettings, progress: Progress | None = None) -> RunFolder:
    """Run one agent into a folder, or go on with the run that is in it: what is finished is not run again.

    Args:
        agent: Name or TOML path of the agent.
        path: The run folder.
        settings: How to run.
        progress: Called after every episode.

    Raises:
        ConfigError: The folder holds another run (the message says what differs), or another process is at work in it;
            else as :func:`run_agents`, as all other errors.
    """
    path, settings = path.absolute(), _rooted(settings)
    with ExitStack() as held:
        (planned,) = prepare([agent], settings, lambda _: path, held)
        if (path / MANIFEST).exists():
            check_same(path, planned.manifest)
            finished = RunFolder.open(path)
            if finished.readable_seal is not None and finished.complete:
                return finished
        else:
            RunFolder.check_free(path)
        held.enter_context(folder_held(path))
        run = OpenRun(open_or_begin(path, planned.manifest), agent)
        planned.models.count_earlier()
        work({agent: run}, [planned], settings, progress)
    return run.folder


def _rooted(settings: RunSettings) -> RunSettings:
    """Return settings whose paths mean the same wherever an agent goes."""
    cache = settings.asking.cache
    return settings if cache is None else replace(settings, asking=replace(settings.asking, cache=cache.absolute()))


def plan_run(agent: str, path: Path, settings: RunSettings) -> RunManifest:
    """Return what :func:`run_agent` would run, every check made and nothing written.

    Raises:
        RiskChainError: As :func:`run_agent` before its first episode.
    """
    with ExitStack() as held:
        (planned,) = prepare([agent], settings, lambda _: path, held)
    if (path / MANIFEST).exists():
        check_same(path, planned.manifest)
    else:
        RunFolder.check_free(path)
    return planned.manifest
