"""Running agents over a split, each into a run folder, without gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import LoadedAgent, find_spec
from riskchain_gym.agents.spec import AgentSpec
from riskchain_gym.benchmark.splits import PUBLIC, find_chain, load_gold, load_manifest, load_public
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.closing import close_agent
from riskchain_gym.evaluation.engine.agent_process import AgentPlan
from riskchain_gym.evaluation.engine.jobs import Ended, Job, Setback
from riskchain_gym.evaluation.engine.local import LocalAgent
from riskchain_gym.evaluation.engine.play import Episode
from riskchain_gym.evaluation.engine.pool import EpisodePool, is_setback
from riskchain_gym.evaluation.engine.staff import LocalStaff, ProcessStaff, Staff, Workers
from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.evaluation.open_run import OpenRun
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.resume import check_same, open_or_begin
from riskchain_gym.evaluation.run_models import RunModels
from riskchain_gym.evaluation.settings import ENV_ID, RunSettings
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.evaluation.versions import versions_of, versions_of_agent
from riskchain_gym.evaluation.writing import UnwrittenError, writing
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, RiskChainError

LOST_IN_A_ROW = 20
"""Episodes in a row that machines kept from their end, before a run is ended: then it is no matter of episodes."""

MACHINES_LOST = "machines_lost"

Progress = Callable[[str, int], None]
"""Called with an agent's name, as it was asked for, and the number of its episodes that are done."""


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
            (:data:`MACHINES_LOST`).
    """
    with ExitStack() as held:
        planned = _prepare(agents, settings, lambda spec: out / spec.name, held)
        for each in planned:
            RunFolder.check_free(each.path)
        for each in planned:
            held.enter_context(folder_held(each.path))
        runs = {each.agent: OpenRun(RunFolder.begin(each.path, each.manifest), each.agent) for each in planned}
        _work(runs, planned, settings, progress)
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
    with ExitStack() as held:
        (planned,) = _prepare([agent], settings, lambda _: path, held)
        if (path / MANIFEST).exists():
            check_same(path, planned.manifest)
            finished = RunFolder.open(path)
            if finished.seal is not None and finished.complete:
                return finished
        else:
            RunFolder.check_free(path)
        held.enter_context(folder_held(path))
        run = OpenRun(open_or_begin(path, planned.manifest), agent)
        planned.models.count_earlier()
        _work({agent: run}, [planned], settings, progress)
    return run.folder


def plan_run(agent: str, path: Path, settings: RunSettings) -> RunManifest:
    """Return what :func:`run_agent` would run, every check made and nothing written.

    Raises:
        RiskChainError: As :func:`run_agent` before its first episode.
    """
    with ExitStack() as held:
        (planned,) = _prepare([agent], settings, lambda _: path, held)
    if (path / MANIFEST).exists():
        check_same(path, planned.manifest)
    else:
        RunFolder.check_free(path)
    return planned.manifest


def _work(
    runs: dict[str, OpenRun], planned: Sequence[_Planned], settings: RunSettings, progress: Progress | None
) -> None:
    jobs = [job for run in runs.values() for job in run.jobs]
    instructions = build_instructions(planned[0].manifest.environment.max_steps, settings.repeat)
    all_ended, writable = False, True
    try:
        staff = _staff(planned, settings)
    except RiskChainError:
        for run in runs.values():
            run.discard_if_nothing(ended=False)
        raise
    pool = EpisodePool(jobs, settings.workers, staff, instructions, lambda chain: load_gold(settings.split)[chain])
    try:
        lost_in_a_row = 0
        for ended in pool.finished():
            again = _added(runs, ended)
            lost_in_a_row = lost_in_a_row + 1 if is_setback(ended) else 0
            if lost_in_a_row >= LOST_IN_A_ROW:
                raise InfrastructureError(MACHINES_LOST, f"{LOST_IN_A_ROW} episodes in a row were lost; {_why(ended)}.")
            if again is not None:
                pool.again(again)
            elif progress is not None:
                progress(ended.job.agent, runs[ended.job.agent].settled)
        for run in runs.values():
            run.freeze()
        all_ended = True
        pool.finish()
    except UnwrittenError:
        writable = False
        raise
    finally:
        pool.stop()
        for ended in pool.leftovers() if writable else ():
            _added(runs, ended)
        for run in runs.values():
            run.discard_if_nothing(ended=all_ended)


def _why(ended: Ended) -> str:
    result = ended.result
    if isinstance(result, Setback):
        return f"of the last one {result.detail} ({result.cause})"
    assert isinstance(result, Episode), "a loss is no setback"
    return f"the cause of the last one is {result.trajectory.infra_cause}"


def _added(runs: dict[str, OpenRun], ended: Ended) -> Job | None:
    run = runs[ended.job.agent]
    with writing(run.folder.path):
        return run.add(ended)


def _staff(planned: Sequence[_Planned], settings: RunSettings) -> Staff:
    if settings.isolation == "process" or settings.ray is not None:
        plans = {each.agent: each.plan(settings) for each in planned}
        return ProcessStaff(settings, plans, settings.workers, _workers(settings))
    models = {each.agent: each.models for each in planned}

    def close() -> None:
        for each in models.values():
            each.close()

    return LocalStaff(settings, lambda name: LocalAgent(models[name].load(name), models[name].count), close)


def _workers(settings: RunSettings) -> Workers | None:
    if settings.ray is None:
        return None
    from riskchain_gym.evaluation.engine.ray_environment import RayWorkers

    return RayWorkers(settings, versions_of(settings))


@dataclass(frozen=True)
class _Planned:
    """A run that was checked: the agent as asked for, its folder, what is run in it, and its models."""

    agent: str
    path: Path
    manifest: RunManifest
    models: RunModels
    asks_model: bool

    def plan(self, settings: RunSettings) -> AgentPlan:
        return AgentPlan(
            name=self.agent,
            asks_model=self.asks_model,
            is_oracle=self.manifest.agent_kind == "oracle",
            asking=settings.asking,
            run=self.path,
            workers=settings.workers,
            repeat=settings.repeat,
        )


def _prepare(
    agents: Sequence[str], settings: RunSettings, place: Callable[[AgentSpec], Path], held: ExitStack
) -> list[_Planned]:
    """Check everything that can be checked without writing; models are closed with ``held``."""
    chains = settings.chains or tuple(chain.chain_id for chain in load_public(settings.split))
    if not agents or not chains or settings.workers < 1:
        raise ConfigError("There is nothing to run: give at least one agent, one chain and one worker.")
    known = {chain.chain_id for chain in load_public(settings.split)}
    for chain in chains:
        if chain not in known:
            find_chain(settings.split, chain)
    _refuse_repeated("chain", chains)
    _refuse_repeated("agent", agents)
    specs = {name: find_spec(name)[0] for name in agents}
    _refuse_repeated("agent", [spec.name for spec in specs.values()])
    opened = {
        name: RunModels(settings.asking, place(spec), settings.workers, settings.repeat) for name, spec in specs.items()
    }
    loaded: dict[str, LoadedAgent] = {}
    for name, models in opened.items():
        held.callback(models.close)
        loaded[name] = models.load(name)
        close_agent(loaded[name])
        settings.check_shows(loaded[name])
    environment, versions = settings.environment(), versions_of(settings)
    _check_restored(settings, chains, environment)
    return [
        _Planned(
            name,
            place(one.spec),
            _manifest(one, settings, chains, environment, versions),
            opened[name],
            one.asks_model,
        )
        for name, one in loaded.items()
    ]


def _check_restored(settings: RunSettings, chains: Sequence[str], environment: EnvConfig) -> None:
    _refuse_repeated("variant", settings.restored)
    variants = {chain.chain_id: chain.variants for chain in load_public(settings.split)}
    for variant in settings.restored:
        if variant in environment.variants:
            raise ConfigError(f"Variant '{variant}' is what the episodes restore: leave it out of those beside them.")
        lacking = [chain for chain in chains if variant not in variants[chain]]
        if lacking:
            raise ConfigError(
                f"{len(lacking)} of {len(chains)} chains of split '{settings.split}' have no variant '{variant}' "
                f"({lacking[0]} has {', '.join(sorted(variants[lacking[0]]))}): leave it out."
            )


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        raise ConfigError(f"The {what} '{repeated[0]}' is named more than once: give each {what} once.")


def _manifest(
    loaded: LoadedAgent,
    settings: RunSettings,
    chains: tuple[str, ...],
    environment: EnvConfig,
    versions: dict[str, str],
) -> RunManifest:
    split = load_manifest(settings.split)
    return RunManifest(
        agent=loaded.spec.name,
        agent_kind=loaded.spec.kind,
        agent_sha256=loaded.sha256,
        agent_config=loaded.config,
        split=settings.split,
        split_sha256=split.sha256[PUBLIC],
        split_chains=split.chains,
        origin=split.origin,
        chains=chains,
        restored=settings.restored,
        repeat=settings.repeat,
        env_id=ENV_ID,
        env_kwargs=settings.env_kwargs(),
        environment=environment,
        versions={**versions, **versions_of_agent(loaded)},
    )
