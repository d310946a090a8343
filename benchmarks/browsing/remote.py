"""A subject in a process of its own, so that none shares an interpreter, a driver or a browser with another."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def serve(pipe: Connection, make: Callable[..., Any], options: dict[str, Any]) -> None:
    """Make a subject and do as told, answering with the seconds it took and what came of it, or with a traceback."""
    subject = None
    while True:
        try:
            name, arguments = pipe.recv()
        except EOFError:
            break
        try:
            start = time.perf_counter()
            if subject is None:
                subject = make(**options)
            done = getattr(subject, name)(*arguments) if name else None
            answer: tuple[float, Any, str] = (time.perf_counter() - start, done, "")
        except Exception:  # noqa: BLE001 - the boundary of the process; the caller raises it
            answer = (0.0, None, traceback.format_exc())
        pipe.send(answer)
    if subject is not None:
        subject.close()


class Remote:
    """A subject elsewhere.

    Args:
        make: What makes it, there.
        options: With which arguments.
    """

    def __init__(self, make: Callable[..., Any], **options: Any) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, there = spawn.Pipe()
        self._process = spawn.Process(target=serve, args=(there, make, options))
        self._process.start()
        there.close()
        try:
            self.call("")
        except BaseException:
            self.close()
            raise

    def send(self, name: str, *arguments: Any) -> None:
        """Begin a call."""
        self._pipe.send((name, arguments))

    def receive(self) -> tuple[float, Any]:
        """Return how many seconds the call has taken, and its value."""
        seconds, value, problem = self._pipe.recv()
        if problem:
            raise RuntimeError(f"A subject failed:\n{problem}")
        return seconds, value

    def call(self, name: str, *arguments: Any) -> tuple[float, Any]:
        """Do a call and wait for its end."""
        self.send(name, *arguments)
        return self.receive()

    def close(self) -> None:
        """End the subject and its process."""
        self._pipe.close()
        self._process.join(30)
        self._process.kill()
