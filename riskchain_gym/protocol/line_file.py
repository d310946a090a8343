"""An append-only file of lines: a crash in the middle of a line costs that line only, two writers take turns."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import make_folder, sync_folder

TORN = ".torn"
"""What is added to the name of a file for the place of lines that were never finished."""

_BLOCK = 1 << 16
_log = logging.getLogger(__name__)


class LineFile:
    """A file of lines that is only ever appended to; what stands behind its last newline was never finished.

    Who appends holds the file (:meth:`locked`), checks what stands there, mends its end (:meth:`mend`), and then writes
    (:func:`write_line`).

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

    def lines(self, *, unfinished: bool = False) -> Iterator[bytes]:
        """Yield the finished lines in order, newline included.

        Args:
            unfinished: Whether to yield what stands behind the last newline, too.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if unfinished or line.endswith(b"\n"):
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
        """Hold the file exclusively, as it is; it is made if missing, and readers do not wait.

        Args:
            wait: Whether to wait while another writer holds it.

        Raises:
            BlockingIOError: Another writer holds it, and ``wait`` is off.
            InputFileError: The path is a link: what it leads to is not ours to write.
        """
        make_folder(self.path.parent)
        while True:
            with _appendable(self.path) as file:
                fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Another file may have been put in its place before the lock was there: the lock says nothing of that.
                if self.is_held(file):
                    yield file
                    return

    def is_held(self, file: FileIO) -> bool:
        """Return whether a file that :meth:`locked` gave is still the one at the path."""
        try:
            there = self.path.lstat()
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(file.fileno()), there)

    def mend(self, file: FileIO, *, finish: bool = False) -> None:
        """Give a held file a whole line at its end; nothing of it is lost.

        What stands behind the last newline is moved to the end of ``NAME.torn`` beside the file, which is logged.

        Args:
            file: What :meth:`locked` gave.
            finish: Whether it was found to be whole, and lacks its newline only; then it gets that.

        Raises:
            InputFileError: ``NAME.torn`` is a link.
        """
        end = file.seek(0, os.SEEK_END)
        start = _line_start(file, end)
        if start == end:
            return
        if finish:
            write_line(file, b"\n")
            return
        file.seek(start)
        torn = self.path.with_name(f"{self.path.name}{TORN}")
        with _appendable(torn) as aside:
            write_line(aside, file.read(end - start) + b"\n")
        file.truncate(start)
        _log.warning("%s ended in no whole line: its last %d bytes are in %s now.", self.path, end - start, torn.name)


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


def _appendable(path: Path) -> FileIO:
    is_new = not path.exists()
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputFileError(path, "", "is a link, which is not written to: put the file itself there") from error
        raise
    file = FileIO(descriptor, "a+b")
    if is_new:
        sync_folder(path.parent)
    return file


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
