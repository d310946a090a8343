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

_LOOK_EVERY_S = 0.5
_GRACE_S = 0.5


class WorkerTimeoutError(RuntimeError):
    """A job has not ended within its time; the thread may still be busy with it."""


class WorkerGoneError(RuntimeError):
    """The worker was stopped, or what it works with is no longer alive."""


class WorkerAbortedError(BaseException):
    """Raised inside a job to break it off."""


class OwnerThread:
    """Runs jobs one after the other, all on one daemon thread of its own.

    Callers may be any thread, inside a running asyncio loop or not; each call blocks its caller only.

    Args:
        name: Name of the thread, as debuggers show it.
        idle: Run on the thread each time that it has had nothing to do for :data:`IDLE_S` since a job; it is no job,
            and nobody waits for it. What it raises is logged.
    """

    def __init__(self, name: str, idle: Callable[[], None] | None = None) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=_serve, args=(self._jobs, idle), name=name, daemon=True)
        self._thread.start()

    def call(self, job: Callable[[], R], deadline_s: float, alive: Callable[[], bool] | None = None) -> R:
        """Run a job on the thread and return its result, or raise what it raised.

        Args:
            job: What to run.
            deadline_s: How long to wait for it, in seconds, jobs queued before it included.
            alive: Asked from time to time whether waiting still makes sense.

        Raises:
            WorkerTimeoutError: It took longer.
            WorkerGoneError: The thread was stopped before the job's turn, or ``alive`` said no.
        """
        future: Future[R] = Future()
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        with self._gate:
            if self._stopped:
                raise WorkerGoneError("the worker thread was stopped")
            self._jobs.put((future, job))
        end = time.monotonic() + deadline_s
        while not done.wait(min(_LOOK_EVERY_S, max(end - time.monotonic(), 0))):
            if time.monotonic() >= end:
                future.cancel()
                raise WorkerTimeoutError(f"no answer within {deadline_s:g} s")
            if alive is not None and not alive() and not done.wait(_GRACE_S):
                future.cancel()
                raise WorkerGoneError("what the worker works with has ended")
        return future.result()

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


def _serve(
    jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None], idle: Callable[[], None] | None
) -> None:
    pause_s: float | None = None
    try:
        while True:
            try:
                item = jobs.get(timeout=pause_s)
            except queue.Empty:
                pause_s = None
                _rest(idle)
                continue
            if item is None:
                return
            future, job = item
            if future.set_running_or_notify_cancel():
                _run(future, job)
            del item, future, job
            pause_s = IDLE_S if idle is not None else None
    except WorkerAbortedError:
        # The job it was meant for had just ended by itself.
        return


def _rest(idle: Callable[[], None] | None) -> None:
    assert idle is not None, "only who has something to do for idle times looks for them"
    try:
        idle()
    except Exception as error:  # noqa: BLE001 - whatever broke shows itself in the next job, which somebody waits for
        _log.debug("What was done in an idle time failed (%r).", error)


def _run(future: Future[Any], job: Callable[[], Any]) -> None:
    try:
        result = job()
    except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
        future.set_exception(error)
    else:
        future.set_result(result)
