"""An append-only file of lines: a crash in the middle of a line costs that line only, two writers take turns."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

_BLOCK = 1 << 16


class LineFile:
    """A file of lines that is only ever appended to; what stands behind its last newline was never finished.

    Args:
        path: The file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def size(self) -> int:
        """Bytes of the finished lines."""
        if not self.path.exists():
            return 0
        with self.path.open("rb", buffering=0) as file:
            return _line_start(file, file.seek(0, os.SEEK_END))

    @property
    def torn(self) -> bool:
        """Whether the file ends in the middle of a line: a writer crashed there, or is writing right now."""
        return self.path.exists() and self.path.stat().st_size > self.size

    def lines(self) -> Iterator[bytes]:
        """Yield the finished lines in order, newline included."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line

    def last(self) -> bytes | None:
        """Return the last finished line, or ``None`` if there is none."""
        if not self.path.exists():
            return None
        with self.path.open("rb", buffering=0) as file:
            end = _line_start(file, file.seek(0, os.SEEK_END))
            if end == 0:
                return None
            start = _line_start(file, end - 1)
            file.seek(start)
            return file.read(end - start)

    @contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[FileIO]:
        """Hold the file exclusively, an unfinished last line cut off; readers do not wait.

        Args:
            wait: Whether to wait while another writer holds it.

        Raises:
            BlockingIOError: Another writer holds it, and ``wait`` is off.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(_line_start(file, file.seek(0, os.SEEK_END)))
            file.seek(0, os.SEEK_END)
            yield file


def write_line(file: FileIO, line: bytes) -> None:
    """Append one line to a locked file and sync it; if that fails, nothing of it is left.

    Args:
        file: What :meth:`LineFile.locked` gave.
        line: The line with its newline.
    """
    start = file.seek(0, os.SEEK_END)
    try:
        rest = memoryview(line)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except BaseException:
        file.truncate(start)
        raise


def _line_start(file: FileIO, before: int) -> int:
    """Return the offset just behind the last newline of the first ``before`` bytes, 0 without one."""
    while before:
        start = max(before - _BLOCK, 0)
        file.seek(start)
        found = file.read(before - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        before = start
    return 0
