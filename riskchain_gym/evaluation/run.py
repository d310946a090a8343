"""Running an agent over a split, into a run folder."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.benchmark.splits import load_gold, load_manifest, load_public
from riskchain_gym.evaluation.episode import Episode, run_episode
from riskchain_gym.evaluation.images import ScreenshotEncoder
from riskchain_gym.evaluation.store import RunFolder, RunManifest
from riskchain_gym.protocol.errors import ConfigError

ENV_ID = "RiskChain-v0"
EnvKwargs = dict[str, str | int | float | bool | list[str] | None]
Progress = Callable[[str, int], None]
"""Called with an agent's name and the number of its episodes that are done."""


@dataclass(frozen=True)
class RunSettings:
    """How to run.

    Attributes:
        split: Name or path of the split.
        backend: Browse backend.
        observe: Modalities the agents are shown and the run stores.
        workers: Environments that run side by side, each with a browser of its own.
        chains: Chains to run, or ``None`` for all of the split.
    """

    split: str = "mini"
    backend: str = "chromium"
    observe: tuple[str, ...] = ("screenshot",)
    workers: int = 2
    chains: tuple[str, ...] | None = None

    def env_kwargs(self) -> EnvKwargs:
        """Return the keyword arguments of the environment; it is given no gold."""
        return {"split": self.split, "backend": self.backend, "observe": list(self.observe), "reward": "none"}


def run_agents(
    agents: Sequence[str], out: Path, settings: RunSettings, progress: Progress | None = None
) -> list[RunFolder]:
    """Run agents over a split, each into a folder of its own below ``out``, without gold and unscored.

    Args:
        agents: Names or TOML paths of agents.
        out: Folder for the run folders; must not hold runs of the same agents.
        settings: How to run.
        progress: Called after every episode.

    Raises:
        ConfigError: A run folder exists already, or there is nothing to run.
        UnknownChainError: No such agent, split or chain.
    """
    manifest = load_manifest(settings.split)
    chains = settings.chains or tuple(chain.chain_id for chain in load_public(settings.split))
    if not agents or not chains or settings.workers < 1:
        raise ConfigError("There is nothing to run: give at least one agent, one chain and one worker.")
    runs: dict[str, RunFolder] = {}
    for name in agents:
        loaded = load_agent(name)
        runs[name] = RunFolder.create(
            out / loaded.spec.name,
            RunManifest(
                agent=loaded.spec.name,
                agent_kind=loaded.spec.kind,
                agent_sha256=loaded.sha256,
                split=settings.split,
                split_sha256=manifest.sha256["public.jsonl"],
                origin=manifest.origin,
                env_id=ENV_ID,
                env_kwargs=settings.env_kwargs(),
                versions=_versions(settings.backend),
            ),
        )
    pool = _Pool(settings)
    try:
        jobs = [(name, chain, pool.submit(name, chain)) for name in agents for chain in chains]
        done = dict.fromkeys(agents, 0)
        for name, _, future in jobs:
            episode = future.result()
            runs[name].append(episode.trajectory, episode.images, episode.seconds)
            done[name] += 1
            if progress is not None:
                progress(name, done[name])
    finally:
        pool.close()
    return list(runs.values())


class _Pool:
    """Worker threads, each with an environment and agents of its own; browsers do the work in their processes."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._encoder = ScreenshotEncoder()
        self._jobs: queue.SimpleQueue[tuple[str, str, Future[Episode]] | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name=f"riskchain-run-{i}", daemon=True) for i in range(settings.workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, agent: str, chain: str) -> Future[Episode]:
        future: Future[Episode] = Future()
        self._jobs.put((agent, chain, future))
        return future

    def close(self) -> None:
        """Stop after the episodes that are running, and close browsers and agents."""
        self._stop.set()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        env: gym.Env[Any, Any] | None = None
        agents: dict[str, LoadedAgent] = {}
        try:
            while (job := self._jobs.get()) is not None and not self._stop.is_set():
                name, chain, future = job
                try:
                    if env is None:
                        env = gym.make(ENV_ID, disable_env_checker=True, **dict[str, Any](self._settings.env_kwargs()))
                    if name not in agents:
                        agents[name] = load_agent(name)
                    future.set_result(self._run(env, agents[name], chain))
                except BaseException as error:  # noqa: BLE001 - the caller of result() gets it, with its traceback
                    future.set_exception(error)
        finally:
            for loaded in agents.values():
                loaded.agent.close()
            if env is not None:
                env.close()  # type: ignore[no-untyped-call]

    def _run(self, env: gym.Env[Any, Any], loaded: LoadedAgent, chain: str) -> Episode:
        if loaded.spec.kind == "oracle":
            loaded.prepare(load_gold(self._settings.split)[chain])
        budget: int = env.unwrapped.config.max_steps  # type: ignore[attr-defined]
        return run_episode(env, loaded.agent, build_instructions(max_steps=budget), chain, self._encoder)


def _versions(backend: str) -> dict[str, str]:
    from importlib.metadata import version

    import riskchain_gym

    found = {"riskchain-gym": riskchain_gym.__version__, "gymnasium": version("gymnasium")}
    if backend == "chromium":
        from riskchain_gym.envs.browser.find import browser_version, find_chromium

        found["browser"] = browser_version(find_chromium())
        found["playwright"] = version("playwright")
    return found
