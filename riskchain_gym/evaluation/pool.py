"""Worker threads, each with an environment and agents of its own; browsers do the work in their processes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.episode import Episode, EpisodeStoppedError, run_episode
from riskchain_gym.evaluation.images import ScreenshotEncoder
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.failures import EpisodeStatus


@dataclass(frozen=True)
class Job:
    """One episode to run.

    Attributes:
        agent: The agent, as it was asked for.
        position: Place of the episode in its run.
        chain: The chain.
    """

    agent: str
    position: int
    chain: str


Finished = tuple[Job, Episode]


class EpisodePool:
    """Runs episodes side by side, begun in the order given; starts at once, and stops when one raises.

    Args:
        jobs: What to run.
        settings: How to run it.
    """

    def __init__(self, jobs: Sequence[Job], settings: RunSettings) -> None:
        self._settings = settings
        self._encoder = ScreenshotEncoder()
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Job, Episode | BaseException]] = queue.SimpleQueue()
        self._left = len(jobs)
        self._stop = threading.Event()
        for job in jobs:
            self._jobs.put(job)
        self._threads = [
            threading.Thread(target=self._work, name=f"riskchain-run-{i}", daemon=True)
            for i in range(min(settings.workers, len(jobs)))
        ]
        for thread in self._threads:
            thread.start()

    def finished(self) -> Iterator[Finished]:
        """Yield the episodes as they end, until all have.

        Raises:
            Exception: What an agent or an environment raised; it carries a note of agent and chain.
        """
        while self._left:
            job, result = self._done.get()
            self._left -= 1
            if isinstance(result, BaseException):
                raise result
            yield job, result

    def stop(self) -> None:
        """Begin nothing more, and break running episodes off at their next action."""
        self._stop.set()

    def leftovers(self) -> Iterator[Finished]:
        """Yield what has ended without being asked for since; to be called after :meth:`stop`.

        Episodes lost to infrastructure are not among it: an interrupt from the keyboard reaches the browsers too.
        """
        while not self._done.empty():
            job, result = self._done.get()
            if isinstance(result, Episode) and result.trajectory.status is not EpisodeStatus.INFRA_ERROR:
                yield job, result

    def join(self) -> None:
        """Wait until browsers and agents are closed; to be called after :meth:`stop`."""
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        env: gym.Env[Any, Any] | None = None
        agents: dict[str, LoadedAgent] = {}
        try:
            while not self._stop.is_set() and (job := self._next()) is not None:
                try:
                    env = env or self._settings.make_env()
                    if job.agent not in agents:
                        agents[job.agent] = load_agent(job.agent)
                    self._done.put((job, self._run(env, agents[job.agent], job.chain)))
                except EpisodeStoppedError:
                    return
                except BaseException as error:  # noqa: BLE001 - whoever asks for the results gets it, with its traceback
                    error.add_note(f"(agent '{job.agent}' on chain '{job.chain}')")
                    self._done.put((job, error))
                    self._stop.set()
        finally:
            for loaded in agents.values():
                loaded.agent.close()
            if env is not None:
                env.close()  # type: ignore[no-untyped-call]

    def _next(self) -> Job | None:
        try:
            return self._jobs.get_nowait()
        except queue.Empty:
            return None

    def _run(self, env: gym.Env[Any, Any], loaded: LoadedAgent, chain: str) -> Episode:
        if loaded.spec.kind == "oracle":
            loaded.prepare(load_gold(self._settings.split)[chain])
        budget: int = env.unwrapped.config.max_steps  # type: ignore[attr-defined]
        instructions = build_instructions(max_steps=budget)
        return run_episode(env, loaded.agent, instructions, chain, self._encoder, self._stop.is_set)
