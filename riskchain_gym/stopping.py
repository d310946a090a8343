"""Signals that end a command: what is finished is kept, and the exit code says which signal it was."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from riskchain_gym.console import make_console, say

SIGTERM_EXIT = 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM came; whoever cleans up on Ctrl-C does so on it."""


@contextmanager
def sigterm_is_ctrl_c() -> Iterator[None]:
    """Have SIGTERM end what runs inside as Ctrl-C does, with exit code 143. Only in the main thread.

    Raises:
        typer.Exit: SIGTERM came, after everything inside has cleaned up.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except Terminated:
        say(make_console(stderr=True), "Terminated.")
        raise typer.Exit(SIGTERM_EXIT) from None
    finally:
        signal.signal(signal.SIGTERM, before)
