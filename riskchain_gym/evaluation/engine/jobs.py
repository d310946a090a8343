"""The episodes that are to be run, and what became of them."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.engine.play import Episode


@dataclass(frozen=True)
class Job:
    """One episode to run.

    Attributes:
        agent: The agent, as it was asked for.
        chain: The chain.
        variant: Variant of its message that is restored on its own, ``""`` for the whole chain.
        alone: Whether no other may run beside it.
    """

    agent: str
    chain: str
    variant: str = ""
    alone: bool = False


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
class Setback:
    """What machines did wrong, so that the episode is run again.

    Attributes:
        cause: The cause in a word.
        detail: The same in a sentence.
        counted: Whether it counts as an attempt.
        alone: Whether the episode is to be run again with no other beside it.
    """

    cause: str
    detail: str
    counted: bool
    alone: bool


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
    result: Episode | Loss | Setback
    calls: tuple[CallRecord, ...] = ()
    asks_model: bool = False
    error: BaseException | None = None


class JobQueue:
    """Hands jobs out in the order they came in; one that is to be alone waits until nothing else runs."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._running = 0
        self._alone = False
        self._closed = False
        self._changed = threading.Condition()

    def put(self, job: Job) -> None:
        """Add a job at the end."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify_all()

    def next(self) -> Job | None:
        """Return the next job once it may run, ``None`` when there is nothing more to do."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._may_run())
            if self._closed:
                return None
            job = self._jobs.popleft()
            self._running += 1
            self._alone = job.alone
            return job

    def done(self) -> None:
        """Note that a job that was handed out has ended."""
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Hand nothing more out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _may_run(self) -> bool:
        if not self._jobs or (self._running and self._alone):
            return False
        return not (self._jobs[0].alone and self._running)
