"""A thread that owns what may only be touched from one thread, and a queue through which others use it."""

from __future__ import annotations

import ctypes
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

R = TypeVar("R")

_log = logging.getLogger(__name__)

IDLE_S = 0.03
"""How long nothing must have been asked for before the time counts as idle."""

IDLE_DEADLINE_S = 30.0
"""How long what is done in an idle time may take once somebody waits for it to end."""

QUEUE_S = 600.0
"""How long a job waits for its turn, while those before it keep within their own times."""

_LOOK_EVERY_S = 0.5
_GRACE_S = 0.5


class WorkerTimeoutError(RuntimeError):
    """What is running has not ended within its time; the thread may still be busy with it."""


class WorkerBusyError(RuntimeError):
    """A job's turn has not come; it will never run, and nothing is known to be wrong with the thread."""


class WorkerGoneError(RuntimeError):
    """The worker was stopped, or what it works with is no longer alive."""


class WorkerAbortedError(BaseException):
    """Raised inside a job to break it off."""


class _Turn:
    """Something that runs on the thread, or is going to.

    Attributes:
        job: What it is.
        deadline_s: How long it may run.
        future: What comes of it.
        began: When it began to run; ``None`` until then.
        is_watched: Whether somebody waits for its end and will see to it that it does end.
    """

    def __init__(self, job: Callable[[], Any], deadline_s: float, *, is_watched: bool) -> None:
        self.job = job
        self.deadline_s = deadline_s
        self.future: Future[Any] = Future()
        self.began: float | None = None
        self.is_watched = is_watched

    @property
    def left_s(self) -> float:
        """How long it may still run; the whole time until it has begun."""
        return self.deadline_s if self.began is None else self.began + self.deadline_s - time.monotonic()


class OwnerThread:
    """Runs jobs one after the other, all on one daemon thread of its own.

    Callers may be any thread, inside a running asyncio loop or not; each call blocks its caller only.

    Args:
        name: Name of the thread, as debuggers show it.
        idle: Run on the thread each time that it has had nothing to do for :data:`IDLE_S` since a job, and again, after
            the jobs that have come meanwhile, as long as it says that there is more to do. It is no job, and nobody
            waits for it. What it raises is logged.
    """

    def __init__(self, name: str, idle: Callable[[], bool] | None = None) -> None:
        self._jobs: queue.SimpleQueue[_Turn | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._stopped = False
        self._now = _Now()
        self._thread = threading.Thread(target=_serve, args=(self._jobs, self._now, idle), name=name, daemon=True)
        self._thread.start()

    def call(
        self,
        job: Callable[[], R],
        deadline_s: float,
        alive: Callable[[], bool] | None = None,
        *,
        queue_s: float = QUEUE_S,
    ) -> R:
        """Run a job on the thread and return its result, or raise what it raised.

        Args:
            job: What to run.
            deadline_s: How long it may run, in seconds, from when its turn has come.
            alive: Asked from time to time whether waiting still makes sense.
            queue_s: How long to wait for its turn, in seconds. Each job before it has its own deadline and its own
                caller, who acts on it.

        Raises:
            WorkerTimeoutError: It took longer; or its turn does not come because something hangs that nobody waits
                for, be it what is done in idle times or a job whose caller was interrupted.
            WorkerBusyError: Its turn has not come. It will never run.
            WorkerGoneError: The thread was stopped before the job's turn, or ``alive`` said no.
        """
        turn = _Turn(job, deadline_s, is_watched=True)
        done = threading.Event()
        turn.future.add_done_callback(lambda _: done.set())
        with self._gate:
            if self._stopped:
                raise WorkerGoneError("the worker thread was stopped")
            self._jobs.put(turn)
        queue_end = time.monotonic() + queue_s
        try:
            while not done.wait(min(_LOOK_EVERY_S, max(turn.left_s, 0))):
                if turn.began is not None:
                    if turn.left_s <= 0:
                        raise WorkerTimeoutError(f"no answer within {deadline_s:g} s")
                else:
                    self._look_at_queue(turn, queue_end, queue_s)
                if (not self._thread.is_alive() or (alive is not None and not alive())) and not done.wait(_GRACE_S):
                    raise WorkerGoneError("what the worker works with has ended")
        finally:
            turn.future.cancel()
            turn.is_watched = False
        result: R = turn.future.result()
        return result

    def _look_at_queue(self, turn: _Turn, queue_end: float, queue_s: float) -> None:
        """Give a job up that waits for its turn, if it waits in vain or for too long."""
        first = self._now.turn
        if first is not None and first is not turn and not first.is_watched and first.left_s <= 0:
            raise WorkerTimeoutError(f"what was begun before has not ended within {first.deadline_s:g} s")
        if time.monotonic() >= queue_end and turn.future.cancel():
            raise WorkerBusyError(f"its turn has not come within {queue_s:g} s")

    @property
    def is_current(self) -> bool:
        """Whether the caller is on the thread itself."""
        return threading.current_thread() is self._thread

    def abort(self) -> None:
        """Break off the running job, if it is running Python code; without effect on one that waits inside a call."""
        ident = self._thread.ident
        if ident is not None and self._thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(WorkerAbortedError))

    def stop(self, deadline_s: float) -> bool:
        """Let the thread end after the jobs already queued; return whether it has ended in time. Idempotent."""
        with self._gate:
            if not self._stopped:
                self._stopped = True
                self._jobs.put(None)
        if not self.is_current:
            self._thread.join(deadline_s)
        return not self._thread.is_alive()


class _Now:
    """What the thread is doing. Apart from :class:`OwnerThread`, which its thread must not keep alive."""

    def __init__(self) -> None:
        self.turn: _Turn | None = None

    def run(self, turn: _Turn) -> None:
        turn.began = time.monotonic()
        self.turn = turn
        try:
            result = turn.job()
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            turn.future.set_exception(error)
        else:
            turn.future.set_result(result)
        finally:
            self.turn = None


def _serve(jobs: queue.SimpleQueue[_Turn | None], now: _Now, idle: Callable[[], bool] | None) -> None:
    pause_s: float | None = None
    try:
        while True:
            try:
                turn = jobs.get(timeout=pause_s)
            except queue.Empty:
                pause_s = 0.0 if _rest(now, idle) else None
                continue
            if turn is None:
                return
            if turn.future.set_running_or_notify_cancel():
                now.run(turn)
            del turn
            pause_s = IDLE_S if idle is not None else None
    except WorkerAbortedError:
        # The job it was meant for had just ended by itself.
        return


def _rest(now: _Now, idle: Callable[[], bool] | None) -> bool:
    assert idle is not None, "only who has something to do for idle times looks for them"
    turn = _Turn(idle, IDLE_DEADLINE_S, is_watched=False)
    now.run(turn)
    error = turn.future.exception()
    if isinstance(error, WorkerAbortedError):
        raise error
    if error is not None:
        # No warning: only speed is lost, and whatever broke shows itself, with a caller to name it, in the next job.
        _log.debug("What was done in an idle time failed (%r).", error)
        return False
    return bool(turn.future.result())
