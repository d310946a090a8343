"""Worker threads, each with an environment and agents of its own; browsers do the work in their processes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.calls import STOPPED
from riskchain_gym.evaluation.closing import AgentUnclosedError, close_agent
from riskchain_gym.evaluation.episode import Episode, EpisodeStoppedError, run_episode
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError
from riskchain_gym.protocol.errors import InfrastructureError
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


@dataclass(frozen=True)
class Loss:
    """Why there is no result: nothing is known of how the agent would have done.

    Attributes:
        cause: The cause in a word.
        detail: The same in a sentence.
    """

    cause: str
    detail: str = ""


@dataclass(frozen=True)
class Ended:
    """What became of a job.

    Attributes:
        job: The job.
        result: The episode, or why there is none.
        calls: What was asked of a model.
        asks_model: Whether the agent is one that asks a model at all.
        error: What ends the whole run.
    """

    job: Job
    result: Episode | Loss
    calls: tuple[CallRecord, ...] = ()
    asks_model: bool = False
    error: BaseException | None = None


class EpisodePool:
    """Runs episodes side by side, begun in the order given; starts at once, and stops when one raises.

    An agent whose model gives no answer loses its episode and no other, until its fuse blows or its budget is spent.

    Args:
        jobs: What to run.
        settings: How to run it.
        load: Makes an agent of its name, for each thread anew.
    """

    def __init__(
        self, jobs: Sequence[Job], settings: RunSettings, load: Callable[[str], LoadedAgent] = load_agent
    ) -> None:
        self._settings = settings
        self._load = load
        self._encoder = ScreenshotEncoder()
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._left = len(jobs)
        self._stop = threading.Event()
        self._unclosed: queue.SimpleQueue[AgentUnclosedError] = queue.SimpleQueue()
        for job in jobs:
            self._jobs.put(job)
        self._threads = [
            threading.Thread(target=self._work, name=f"riskchain-run-{i}", daemon=True)
            for i in range(min(settings.workers, len(jobs)))
        ]
        for thread in self._threads:
            thread.start()

    def finished(self) -> Iterator[Ended]:
        """Yield the jobs as they end, until all have.

        Raises:
            Exception: What ends the run, after the job was yielded that it happened in; what an agent or an environment
                raised carries a note of agent and chain.
        """
        while self._left:
            ended = self._done.get()
            self._left -= 1
            yield ended
            if ended.error is not None:
                raise ended.error

    def stop(self) -> None:
        """Begin nothing more, and break running episodes off at their next action."""
        self._stop.set()

    def leftovers(self) -> Iterator[Ended]:
        """Yield what has ended without being asked for since; to be called after :meth:`stop`.

        Episodes lost to infrastructure are not among it: an interrupt from the keyboard reaches the browsers too.
        """
        while not self._done.empty():
            ended = self._done.get()
            if isinstance(ended.result, Loss) or ended.result.trajectory.status is not EpisodeStatus.INFRA_ERROR:
                yield ended

    def join(self) -> None:
        """Wait until browsers and agents are closed; to be called after :meth:`stop`."""
        for thread in self._threads:
            thread.join()

    def check_closed(self) -> None:
        """Refuse what could not be closed; to be called after :meth:`join`.

        Raises:
            AgentUnclosedError: An agent raised when it was closed.
        """
        if not self._unclosed.empty():
            raise self._unclosed.get()

    def _work(self) -> None:
        env: gym.Env[Any, Any] | None = None
        agents: dict[str, LoadedAgent] = {}
        try:
            while not self._stop.is_set() and (job := self._next()) is not None:
                try:
                    env = env or self._settings.make_env()
                    if job.agent not in agents:
                        agents[job.agent] = self._load(job.agent)
                    ended = self._ended(env, agents[job.agent], job)
                except BaseException as error:  # noqa: BLE001 - whoever asks for the results gets it, with its traceback
                    ended = _broken(job, error)
                if ended.error is not None:
                    self._stop.set()
                self._done.put(ended)
        finally:
            for loaded in agents.values():
                try:
                    close_agent(loaded)
                except AgentUnclosedError as error:
                    self._unclosed.put(error)
            if env is not None:
                env.close()  # type: ignore[no-untyped-call]

    def _next(self) -> Job | None:
        try:
            return self._jobs.get_nowait()
        except queue.Empty:
            return None

    def _ended(self, env: gym.Env[Any, Any], loaded: LoadedAgent, job: Job) -> Ended:
        result: Episode | Loss
        fatal: BaseException | None = None
        try:
            result = self._run(env, loaded, job.chain)
        except EpisodeStoppedError:
            result = Loss(STOPPED)
        except InfrastructureError as error:
            result = Loss(error.cause, str(error.args[1]))
            fatal = error if isinstance(error, FuseBlownError) else None
        except BaseException as error:  # noqa: BLE001 - as above; what it has asked for until then was paid
            broken = _broken(job, error)
            result, fatal = broken.result, broken.error
        if isinstance(result, Loss) and self._stop.is_set():
            # Another episode has ended the run, or a signal has, and with it the calls in flight.
            result, fatal = Loss(STOPPED), None
        return Ended(job, result, loaded.calls, loaded.asks_model, fatal)

    def _run(self, env: gym.Env[Any, Any], loaded: LoadedAgent, chain: str) -> Episode:
        """Run an episode; one whose agent has lost a call has no result, whatever the agent made of that."""
        loaded.begin_episode()
        try:
            episode = self._played(env, loaded, chain)
        except Exception as error:
            if loaded.lost is not None and error is not loaded.lost:
                raise loaded.lost from error
            raise
        if loaded.lost is not None:
            raise loaded.lost
        return episode

    def _played(self, env: gym.Env[Any, Any], loaded: LoadedAgent, chain: str) -> Episode:
        if loaded.spec.kind == "oracle":
            loaded.prepare(load_gold(self._settings.split)[chain])
        budget: int = env.unwrapped.config.max_steps  # type: ignore[attr-defined]
        instructions = build_instructions(max_steps=budget)

        def stopped() -> bool:
            return self._stop.is_set() or loaded.lost is not None

        return run_episode(env, loaded.agent, instructions, chain, self._encoder, stopped)


def _broken(job: Job, error: BaseException) -> Ended:
    if not isinstance(error, Exception):
        # Signals come to the main thread only: here an agent has raised what would end the program without a word.
        ended = RuntimeError(f"the agent raised {type(error).__name__}({error}), which is not its to raise")
        ended.__cause__ = error
        error = ended
    error.add_note(f"(agent '{job.agent}' on chain '{job.chain}')")
    cause = str(error.reply.failure) if isinstance(error, ModelUnaskableError) else type(error).__name__
    return Ended(job, Loss(cause, str(error)), error=error)
