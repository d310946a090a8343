"""Running agents over a split, each into a run folder, without gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from riskchain_gym.agents.registry import LoadedAgent, find_spec
from riskchain_gym.agents.spec import AgentSpec
from riskchain_gym.benchmark.splits import PUBLIC, find_chain, load_manifest, load_public
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.closing import close_agent
from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.evaluation.open_run import OpenRun
from riskchain_gym.evaluation.pool import Ended, EpisodePool
from riskchain_gym.evaluation.records import CODEBOOK, RunManifest
from riskchain_gym.evaluation.resume import check_same, open_or_begin
from riskchain_gym.evaluation.run_models import RunModels
from riskchain_gym.evaluation.settings import ENV_ID, RunSettings, options_in
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import ConfigError, MissingExtraError
from riskchain_gym.scoring.sight import PICTURES

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
        InfrastructureError: A model answers no more (cause ``model_lost``), or the budget is spent (``over_cost``).
    """
    with ExitStack() as held:
        planned = _prepare(agents, settings, lambda spec: out / spec.name, held)
        for each in planned:
            RunFolder.check_free(each.path)
        for each in planned:
            held.enter_context(folder_held(each.path))
        runs = {each.agent: each.opened(RunFolder.begin(each.path, each.manifest)) for each in planned}
        _work(runs, settings, progress)
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
        if not (path / MANIFEST).exists():
            RunFolder.check_free(path)
        held.enter_context(folder_held(path))
        run = planned.opened(open_or_begin(path, planned.manifest))
        run.models.count_earlier()
        _work({agent: run}, settings, progress)
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


def _work(runs: dict[str, OpenRun], settings: RunSettings, progress: Progress | None) -> None:
    all_ended = False
    jobs = [job for run in runs.values() for job in run.jobs]
    pool = EpisodePool(jobs, settings, lambda agent: runs[agent].models.load(agent))
    try:
        for ended in pool.finished():
            run = runs[ended.job.agent]
            run.add(ended)
            if progress is not None:
                progress(ended.job.agent, run.settled)
        all_ended = True
    finally:
        pool.stop()
        for run in runs.values():
            run.models.close()
        try:
            _keep(runs, pool.leftovers())
        finally:
            pool.join()
        _keep(runs, pool.leftovers())
        for run in runs.values():
            run.discard_if_nothing(ended=all_ended)
    pool.check_closed()


def _keep(runs: dict[str, OpenRun], ended: Iterable[Ended]) -> None:
    for each in ended:
        runs[each.job.agent].add(each)
    for run in runs.values():
        run.flush()


@dataclass(frozen=True)
class _Planned:
    """A run that was checked: the agent as asked for, its folder, what is run in it, and its models."""

    agent: str
    path: Path
    manifest: RunManifest
    models: RunModels

    def opened(self, folder: RunFolder) -> OpenRun:
        return OpenRun(folder, self.agent, self.models)


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
    opened = {name: RunModels(settings.asking, place(spec), settings.workers) for name, spec in specs.items()}
    loaded: dict[str, LoadedAgent] = {}
    for name, models in opened.items():
        held.callback(models.close)
        loaded[name] = models.load(name)
        close_agent(loaded[name])
        settings.check_shows(loaded[name])
    environment, versions = _environment(settings), _versions(settings)
    return [
        _Planned(name, place(one.spec), _manifest(one, settings, chains, environment, versions), opened[name])
        for name, one in loaded.items()
    ]


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        raise ConfigError(f"The {what} '{repeated[0]}' is named more than once: give each {what} once.")


def _environment(settings: RunSettings) -> EnvConfig:
    env = settings.make_env()
    try:
        config: EnvConfig = env.unwrapped.config  # type: ignore[attr-defined]
        return config
    finally:
        env.close()  # type: ignore[no-untyped-call]


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
        env_id=ENV_ID,
        env_kwargs=settings.env_kwargs(),
        environment=environment,
        versions={**versions, **_versions_of_agent(loaded)},
    )


def _versions_of_agent(loaded: LoadedAgent) -> dict[str, str]:
    """Return the versions of what shapes an agent's prompts beside this package."""
    sounded = any(options.get("pinyin") for options in options_in(loaded.config))
    return {"pypinyin": version("pypinyin")} if sounded else {}


def _versions(settings: RunSettings) -> dict[str, str]:
    import riskchain_gym

    found = {
        "riskchain-gym": riskchain_gym.__version__,
        CODEBOOK: CODEBOOK_VERSION,
        "gymnasium": version("gymnasium"),
    }
    extras = {"playwright": settings.backend == "chromium", "pillow": not PICTURES.isdisjoint(settings.observe)}
    for package in (name for name, needed in extras.items() if needed):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            raise MissingExtraError(
                "browser", f"backend='{settings.backend}' with observe={list(settings.observe)}"
            ) from None
    if settings.backend == "chromium":
        from riskchain_gym.envs.browser.find import browser_version, find_chromium

        found["browser"] = browser_version(find_chromium())
    return found
