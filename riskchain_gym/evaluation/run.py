"""Running agents over a split, each into a run folder, without gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.benchmark.splits import PUBLIC, find_chain, load_manifest, load_public
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.episode import Episode
from riskchain_gym.evaluation.pool import EpisodePool, Finished, Job
from riskchain_gym.evaluation.records import CODEBOOK, RunManifest
from riskchain_gym.evaluation.settings import ENV_ID, RunSettings
from riskchain_gym.evaluation.store import RunFolder
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

    Raises:
        ConfigError: A run folder exists already, an agent or a chain is named twice, a setting is wrong, or there is
            nothing to run.
        UnknownNameError: No such agent, split or chain.
        MissingExtraError: Agents or environment need an extra that is not installed.
        BrowserUnavailableError: The backend needs a browser and none starts.
    """
    runs = {name: _Frozen(run) for name, run in _prepare(agents, out, settings).items()}
    jobs = [Job(name, i, chain) for name in agents for i, chain in enumerate(runs[name].folder.manifest.chains)]
    pool = EpisodePool(jobs, settings)
    done = dict.fromkeys(agents, 0)
    try:
        for job, episode in pool.finished():
            runs[job.agent].add(job.position, episode)
            done[job.agent] += 1
            if progress is not None:
                progress(job.agent, done[job.agent])
    finally:
        pool.stop()
        try:
            _keep(runs, pool.leftovers())
        finally:
            pool.join()
        _keep(runs, pool.leftovers())
        for run in runs.values():
            run.folder.discard_if_empty()
    return [run.folder for run in runs.values()]


class _Frozen:
    """A run folder that gets its episodes in the planned order, whichever ends first."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._next = 0
        self._waiting: dict[int, Episode] = {}

    def add(self, position: int, episode: Episode) -> None:
        """Freeze an episode once those before it are; until then it waits in memory."""
        self._waiting[position] = episode
        while self._next in self._waiting:
            self._freeze(self._next)

    def flush(self) -> None:
        """Freeze what waits for episodes that will not come."""
        for position in sorted(self._waiting):
            self._freeze(position)

    def _freeze(self, position: int) -> None:
        episode = self._waiting[position]
        # An interrupt may come just after an episode was frozen and before it was crossed off here.
        if not self.folder.holds(episode.trajectory.chain_id):
            self.folder.append(episode.trajectory, episode.images, episode.seconds)
        del self._waiting[position]
        self._next = position + 1


def _keep(runs: dict[str, _Frozen], finished: Iterable[Finished]) -> None:
    for job, episode in finished:
        runs[job.agent].add(job.position, episode)
    for run in runs.values():
        run.flush()


def _prepare(agents: Sequence[str], out: Path, settings: RunSettings) -> dict[str, RunFolder]:
    """Check everything that can be checked, then make the run folders, by agent as asked for."""
    chains = settings.chains or tuple(chain.chain_id for chain in load_public(settings.split))
    if not agents or not chains or settings.workers < 1:
        raise ConfigError("There is nothing to run: give at least one agent, one chain and one worker.")
    known = {chain.chain_id for chain in load_public(settings.split)}
    for chain in chains:
        if chain not in known:
            find_chain(settings.split, chain)
    _refuse_repeated("chain", chains)
    _refuse_repeated("agent", agents)
    loaded = {name: load_agent(name) for name in agents}
    _refuse_repeated("agent", [one.spec.name for one in loaded.values()])
    environment, versions = _environment(settings), _versions(settings)
    for one in loaded.values():
        one.agent.close()
        RunFolder.check_free(out / one.spec.name)
    manifests = {name: _manifest(one, settings, chains, environment, versions) for name, one in loaded.items()}
    return {name: RunFolder.create(out / manifest.agent, manifest) for name, manifest in manifests.items()}


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
        split=settings.split,
        split_sha256=split.sha256[PUBLIC],
        split_chains=split.chains,
        origin=split.origin,
        chains=chains,
        env_id=ENV_ID,
        env_kwargs=settings.env_kwargs(),
        environment=environment,
        versions=versions,
    )


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
