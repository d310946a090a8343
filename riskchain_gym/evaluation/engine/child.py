"""What a child process of a run is: it serves one side of episodes, and ends with the process that started it.

Started as ``python -c BOOT``, see :mod:`riskchain_gym.evaluation.engine.process`, so that scripts without a main guard,
notebooks and threads can start it.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

from riskchain_gym.evaluation.engine.channel import Channel, unpacked

END_CALLS = b"c"
"""What the parent writes to the lifeline to end calls to a model that are in flight."""

_TIDY_S = 2.5
_log = logging.getLogger(__name__)


def main() -> None:
    """Serve one side; the arguments are its name, the lifeline and the connections, as file descriptors."""
    side, *numbers = sys.argv[1:]
    line, *connections = (socket.socket(fileno=int(number)) for number in numbers)
    for each in (line, *connections):
        each.set_inheritable(False)  # what this process starts must not hold them open
    channels = [Channel(connection) for connection in connections]
    lifeline = Lifeline(line)
    given = unpacked(channels[0].receive())
    if side == "environment":
        from riskchain_gym.evaluation.engine.environment_process import serve_environments

        serve_environments(channels[0], given, lifeline)
    else:
        from riskchain_gym.evaluation.engine.agent_process import serve_agents

        serve_agents(channels, given, lifeline)


class Lifeline:
    """Watches the parent: when it is gone, or lets go, this process and all of its group end at once.

    Args:
        line: A socket that only the parent holds the other end of.

    Attributes:
        on_end: Called first when it is over, for what does not end with this process; it gets some seconds.
        on_end_calls: Called when calls in flight are to be ended.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self.on_end: Callable[[], None] | None = None
        self.on_end_calls: Callable[[], None] | None = None
        threading.Thread(target=self._watch, name="riskchain-lifeline", daemon=True).start()

    def _watch(self) -> None:
        while True:
            try:
                said = self._line.recv(1)
            except OSError:
                said = b""
            if not said:
                break
            if said == END_CALLS and self.on_end_calls is not None:
                try:
                    self.on_end_calls()
                except BaseException:  # noqa: BLE001 - the boundary of who watches: this process must not outlive its parent
                    _log.warning("Calls in flight could not be ended.", exc_info=True)
        if self.on_end is not None:
            last = threading.Timer(_TIDY_S, end_group)
            last.daemon = True
            last.start()
            try:
                self.on_end()
            finally:
                end_group()
        end_group()


def end_group() -> None:
    """Kill this process and all of its group."""
    os.killpg(os.getpgrp(), signal.SIGKILL)
