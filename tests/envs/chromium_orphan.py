"""Run as a program: opens a browser, says which processes it started, and waits to be killed.

With ``fork`` as argument a child is forked off first and lives on; its process id comes last.
"""

from __future__ import annotations

import os
import signal
import sys

import psutil
from chromium_stub import show, stub_backend


def wait_to_be_killed() -> None:
    signal.alarm(300)  # an end, should nobody come
    signal.pause()


def main() -> None:
    # Whoever runs the tests in the background of a shell has interrupts ignored, and with it everything they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    backend = stub_backend()
    show(backend)
    started = [process.pid for process in psutil.Process().children(recursive=True)]
    if sys.argv[1:] == ["fork"]:
        child = os.fork()
        if child == 0:
            os.close(sys.stdout.fileno())
            wait_to_be_killed()
        started.append(child)
    sys.stdout.write(" ".join(map(str, started)) + "\n")
    sys.stdout.flush()
    wait_to_be_killed()


if __name__ == "__main__":
    main()
