"""What a browser says on stderr: kept in memory, for the sentence that tells why it ended."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

_READ_LIMIT = 64 * 2**10
_SIZE_LIMIT = 2**20
_WORDS_LIMIT = 300

_PREFIX = re.compile(r"\[[\w:/. -]*:(INFO|VERBOSE\d+|WARNING|ERROR|FATAL):[^\]]*\]\s*")
_SIGNS = re.compile(
    r"\bfatal\b|check failed|out of memory|received signal|\bcrash(?!pad)|exited unexpectedly|\baborted\b|"
    r"segmentation fault|no usable sandbox",
    re.IGNORECASE,
)
# Addresses of all kinds, host names, paths, and numbers that may be process ids or times.
_PRIVATE = re.compile(
    r"[\w-]+://\S+|\S*\.test\b\S*|(?<![\w.])~?(?:/[^\s/'\":,;()\[\]]+)+/?|\b(?:0x)?[0-9a-f]{8,}\b|"
    r"\b0x[0-9a-f]+\b|\b\d+(?:[.:]\d+)+\b|\b\d{4,}\b",
    re.IGNORECASE,
)


class BrowserLog:
    """The stderr of one browser, which is started through :attr:`executable`.

    Playwright tells what a browser has said only while it launches. So a small script takes the browser's place: it
    leads stderr here and then becomes the browser. Script and log are files in memory without a name, which end with
    this process; on a system without such files, or that runs none of them, the browser is started by itself, and
    nothing is known of what it says.

    Args:
        binary: The browser.

    Attributes:
        executable: What to start instead of it.
    """

    def __init__(self, binary: Path) -> None:
        self.executable = binary
        self._lock = threading.RLock()  # re-entrant: a backend may be collected, and closed, in the midst of a read
        self._kept = b""
        self._log: io.FileIO | None = None
        self._script: io.FileIO | None = None
        if sys.platform == "linux" and hasattr(os, "memfd_create") and os.access(binary, os.X_OK):
            with contextlib.suppress(OSError):
                self._log = log = io.FileIO(os.memfd_create("riskchain-stderr"), "r+")
                if _works(log):
                    self._script = _script(f'exec {shlex.quote(str(binary))} "$@" 2>>{_path(log)}')
                    self.executable = _path(self._script)
            if self._script is None:
                self.close()

    @property
    def files(self) -> tuple[io.FileIO, ...]:
        """The open files, which a forked child has to close."""
        return tuple(file for file in (self._log, self._script) if file is not None)

    def started(self) -> None:
        """Note that the browser runs, and let go of what is only needed to start it."""
        if self._script is not None:
            self._script.close()
            self._script = None

    def lines(self) -> list[str]:
        """Return the last lines as they are, with paths and host names: only who runs the program may see them."""
        text = self._read().decode("utf-8", "replace")
        return [line.strip() for line in text.splitlines() if line.strip()]

    def last_words(self) -> str:
        """Return what of the last lines tells of a crash, in at most 300 characters; ``""`` if nothing does.

        Host names, paths, addresses, process ids and times are left out.
        """
        told: list[str] = []
        for line in self.lines():
            prefix = _PREFIX.match(line)
            level, text = (prefix[1], line[prefix.end() :]) if prefix else ("", line)
            # What pages print to their console comes as INFO.
            if level == "FATAL" or (level != "INFO" and _SIGNS.search(text)):
                text = _PRIVATE.sub("…", text).strip()
                told.append(f"FATAL: {text}" if level == "FATAL" else text)
        words = ""
        for line in reversed(dict.fromkeys(told)):
            if words and len(line) + len(words) >= _WORDS_LIMIT:
                break
            words = f"{line} {words}".rstrip()
        return words[:_WORDS_LIMIT]

    def trim(self) -> None:
        """Begin anew if there is more than a mebibyte, which a page can bring about."""
        with self._lock:
            if self._log is not None and not self._log.closed and os.fstat(self._log.fileno()).st_size > _SIZE_LIMIT:
                self._log.truncate(0)

    def close(self) -> None:
        """Close the files; the last lines are kept. Idempotent."""
        with self._lock:
            self._kept = self._read()
            for file in self.files:
                file.close()
            self._log = self._script = None

    def _read(self) -> bytes:
        with self._lock:
            if self._log is None or self._log.closed:
                return self._kept
            descriptor = self._log.fileno()
            return os.pread(descriptor, _READ_LIMIT, max(os.fstat(descriptor).st_size - _READ_LIMIT, 0))


def _path(file: io.FileIO) -> Path:
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")


def _script(command: str) -> io.FileIO:
    file = io.FileIO(os.memfd_create("riskchain-browser"), "r+")
    file.write(f"#!/bin/sh\n{command}\n".encode())
    return file


def _works(log: io.FileIO) -> bool:
    """Say whether another process can run a script in memory that writes the log.

    It cannot where /proc is missing or guarded, nor where a policy forbids to execute what is in memory.

    Raises:
        OSError: The script is refused.
    """
    if not os.path.samestat(os.stat(_path(log)), os.fstat(log.fileno())):  # noqa: PTH116 - beside fstat
        return False  # /proc shows the processes of another namespace
    with _script(f"exec 2>>{_path(log)}") as trial:
        try:
            done = subprocess.run([_path(trial)], stderr=subprocess.DEVNULL, check=False, timeout=10)  # noqa: S603
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0
