"""Run as a program: opens a browser, says which processes it started, and waits to be killed.

With ``fork`` as argument a child is forked off first and lives on; its process id comes last.
"""

from __future__ import annotations

import os
import sys
import time

import psutil
from chromium_stub import show, stub_backend


def main() -> None:
    backend = stub_backend()
    show(backend)
    started = [process.pid for process in psutil.Process().children(recursive=True)]
    if sys.argv[1:] == ["fork"]:
        child = os.fork()
        if child == 0:
            os.close(sys.stdout.fileno())
            time.sleep(300)
        started.append(child)
    sys.stdout.write(" ".join(map(str, started)) + "\n")
    sys.stdout.flush()
    time.sleep(300)


if __name__ == "__main__":
    main()
