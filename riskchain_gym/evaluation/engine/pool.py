"""Seats at which episodes are played side by side, each a thread that switches between the two sides."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from riskchain_gym.agents.base import Instructions
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import STOPPED
from riskchain_gym.evaluation.closing import AgentUnclosedError
from riskchain_gym.evaluation.engine.jobs import Ended, Job, JobQueue, Loss, Setback
from riskchain_gym.evaluation.engine.play import Episode, play
from riskchain_gym.evaluation.engine.referee import referee_of
from riskchain_gym.evaluation.engine.sides import AgentSide, EpisodeStoppedError, SideLostError
from riskchain_gym.evaluation.engine.staff import Staff
from riskchain_gym.evaluation.engine.told import RaisedElsewhereError, text_of
from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import GoldChain

_STOPPING_S = 2.0
"""Seconds that sides may take to end by themselves when a run is stopped."""


class EpisodePool:
    """Runs episodes side by side, begun in the order given; starts at once, and stops when one raises.

    An agent whose model gives no answer loses its episode and no other, until its fuse blows or its budget is spent.

    Args:
        jobs: What to run.
        seats: How many episodes side by side.
        staff: Plays them.
        instructions: What agents are told.
        gold: Gives the gold of a chain, for oracles and where episodes are refereed.
        refereed: Whether environments are told of each commit whether its entry is right.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        seats: int,
        staff: Staff,
        instructions: Instructions,
        gold: Callable[[str], GoldChain],
        *,
        refereed: bool = False,
    ) -> None:
        self._staff = staff
        self._instructions = instructions
        self._gold = gold
        self._refereed = refereed
        self._jobs = JobQueue()
        self._done: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._left = len(jobs)
        self._stop = threading.Event()
        self._unclosed: queue.SimpleQueue[AgentUnclosedError] = queue.SimpleQueue()
        for job in jobs:
            self._jobs.put(job)
        self._threads = [
            threading.Thread(target=self._work, args=(seat,), name=f"riskchain-run-{seat}", daemon=True)
            for seat in range(min(seats, len(jobs)))
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

    def again(self, job: Job) -> None:
        """Run a job again after all others; to be called where :meth:`finished` has just yielded it."""
        self._left += 1
        self._jobs.put(job)

    def finish(self) -> None:
        """Close environments and agents once every job has ended, and wait until that is done.

        Raises:
            AgentUnclosedError: An agent raised when it was closed.
        """
        self._jobs.close()
        for thread in self._threads:
            thread.join()
        if not self._unclosed.empty():
            raise self._unclosed.get()

    def stop(self) -> None:
        """Begin nothing more, break running episodes off, end both sides, and wait until that is done; idempotent."""
        self._stop.set()
        self._jobs.close()
        self._staff.stop()
        end = time.monotonic() + _STOPPING_S
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0))
        self._staff.kill()
        for thread in self._threads:
            thread.join()

    def leftovers(self) -> Iterator[Ended]:
        """Yield what has ended without being asked for since; to be called after :meth:`stop`.

        What was lost to machines is not among it.
        """
        while not self._done.empty():
            ended = self._done.get()
            if not is_setback(ended):
                yield ended

    def _work(self, seat: int) -> None:
        try:
            while (job := self._jobs.next()) is not None:
                try:
                    ended = self._ended(seat, job)
                    if ended.error is not None:
                        self._stop.set()
                        self._jobs.close()
                finally:
                    self._jobs.done()
                self._done.put(ended)
        finally:
            try:
                self._staff.leave(seat)
            except AgentUnclosedError as error:
                self._unclosed.put(error)

    def _ended(self, seat: int, job: Job) -> Ended:
        """Play a job to its end. Every job has one, whatever is raised on the way: somebody waits for it."""
        try:
            return self._played(seat, job)
        except BaseException as error:  # noqa: BLE001 - the boundary of a seat: whoever asks for the results gets it
            return Ended(job, Loss(type(error).__name__, text_of(error)), error=error)

    def _played(self, seat: int, job: Job) -> Ended:
        result: Episode | Loss | Setback
        fatal: BaseException | None = None
        agent: AgentSide | None = None
        try:
            environment = self._staff.environment(seat)
            agent = self._agent(job, seat)
            agent.begin(self._gold(job.chain) if agent.is_oracle else None)
            referee = referee_of(self._gold(job.chain)) if self._refereed and not job.variant else None
            result = play(environment, agent, self._instructions, job.chain, job.variant, self._stop.is_set, referee)
        except EpisodeStoppedError:
            result = Loss(STOPPED)
        except SideLostError as lost:
            result = Setback(lost.cause, lost.detail, lost.counted, lost.alone)
        except InfrastructureError as error:
            result = Loss(error.cause, str(error.args[1]))
            fatal = error if isinstance(error, FuseBlownError) else None
        except BaseException as error:  # noqa: BLE001 - whoever asks for the results gets it, with its traceback
            result, fatal = _broken(job, error)
        if isinstance(result, Loss | Setback) and self._stop.is_set():
            # Another episode has ended the run, or a signal has, and with it the calls in flight.
            result, fatal = Loss(STOPPED), None
        asks_model = agent is not None and agent.asks_model
        return Ended(job, result, _asked(agent), asks_model, fatal)

    def _agent(self, job: Job, seat: int) -> AgentSide:
        while True:
            try:
                return self._staff.agent(job.agent, seat)
            except AgentUnclosedError as error:  # of the one before
                self._unclosed.put(error)


def is_setback(ended: Ended) -> bool:
    """Say whether machines kept an episode from its end."""
    if isinstance(ended.result, Setback):
        return True
    return isinstance(ended.result, Episode) and ended.result.trajectory.status is EpisodeStatus.INFRA_ERROR


def _asked(agent: AgentSide | None) -> tuple[CallRecord, ...]:
    try:
        return agent.asked() if agent is not None else ()
    except SideLostError:
        return ()  # what it was answered is in the cache, and counts when it is found there


def _broken(job: Job, error: BaseException) -> tuple[Loss, BaseException]:
    kind = error.kind if isinstance(error, RaisedElsewhereError) else type(error).__name__
    if not isinstance(error, Exception) or (isinstance(error, RaisedElsewhereError) and error.ends_program):
        # Signals come to the main thread only: here an agent has raised what would end the program without a word.
        said = text_of(error) if isinstance(error, RaisedElsewhereError) else f"{kind}({text_of(error)})"
        ended = RuntimeError(f"the agent raised {said}, which is not its to raise")
        ended.__cause__ = error
        error, kind = ended, "RuntimeError"
    error.add_note(f"(agent '{job.agent}' on chain '{job.chain}')")
    cause = str(error.reply.failure) if isinstance(error, ModelUnaskableError) else kind
    return Loss(cause, text_of(error)), error
