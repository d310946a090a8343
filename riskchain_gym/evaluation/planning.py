"""What is to be run, checked before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from riskchain_gym.agents.models import Models
from riskchain_gym.agents.registry import LoadedAgent, find_spec, load_agent
from riskchain_gym.agents.spec import AgentSpec
from riskchain_gym.benchmark.splits import PUBLIC, find_chain, load_manifest, load_public
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.closing import close_agent
from riskchain_gym.evaluation.engine.agent_process import AgentPlan
from riskchain_gym.evaluation.estimate import unasked
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.run_models import RunModels
from riskchain_gym.evaluation.settings import ENV_ID, RunSettings, pictures_of
from riskchain_gym.evaluation.versions import versions_of, versions_of_agent
from riskchain_gym.protocol.errors import ConfigError


@dataclass(frozen=True)
class Planned:
    """A run that was checked.

    Attributes:
        agent: The agent, as it was asked for.
        path: The run folder.
        manifest: What is run in it.
        models: Its models.
        asks_model: Whether the agent asks them at all.
    """

    agent: str
    path: Path
    manifest: RunManifest
    models: RunModels
    asks_model: bool

    def plan(self, settings: RunSettings) -> AgentPlan:
        """Return what the agent's processes are told."""
        return AgentPlan(
            name=self.agent,
            asks_model=self.asks_model,
            is_oracle=self.manifest.agent_kind == "oracle",
            asking=settings.asking,
            run=self.path,
            workers=settings.workers,
            repeat=settings.repeat,
        )


def usual_settings(agent: str, settings: RunSettings) -> tuple[RunSettings, LoadedAgent]:
    """Return how an agent is usually run, and the agent as it was loaded for that; its model is not asked.

    On the chromium backend it is shown screenshots, and every kind of picture that it sends to its model.

    Args:
        agent: The agent, as it is asked for.
        settings: How it is to be run otherwise.

    Raises:
        RiskChainError: The agent cannot be loaded.
    """
    with Models(make_client=unasked) as models:
        loaded = load_agent(agent, models=models, overrides=settings.asking.overrides.get(agent))
        close_agent(loaded)
    shown = ("screenshot", *pictures_of(loaded)) if settings.backend == "chromium" else ()
    return replace(settings, observe=tuple(dict.fromkeys(shown))), loaded


def prepare(
    agents: Sequence[str], settings: RunSettings, place: Callable[[AgentSpec], Path], held: ExitStack
) -> list[Planned]:
    """Check everything that can be checked without writing.

    Args:
        agents: The agents, as they are asked for.
        settings: How to run.
        place: Says where the folder of an agent's run is.
        held: Closes the models of the runs.

    Raises:
        RiskChainError: As :func:`~riskchain_gym.evaluation.run.run_agents` before its first episode.
    """
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
    if environment.routing != "reference":
        raise ConfigError(
            f"A run opens the right site whatever was committed, got routing='{environment.routing}' by config "
            f"'{settings.config}': give one with routing='reference'."
        )
    _check_restored(settings, chains, environment)
    return [
        Planned(
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
    if settings.restored and settings.config is not None:
        raise ConfigError(
            f"Variants that are restored on their own follow the benchmark's rules, not those of '{settings.config}': "
            "leave out the variants, or the config."
        )
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
