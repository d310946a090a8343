"""Files that are never half written."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)
"""What file systems say that can bring files to disk, but no folders."""


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file atomically, unless it holds just that: then it is left alone, and may be read-only."""
    if not (path.is_file() and path.read_bytes() == data):
        write_atomically(path, data)


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    It is on disk when this returns, and so is its name. The folder is made if missing. After a crash a stray
    ``.NAME.*`` file may be left beside it, the target is whole.

    Args:
        path: The file to replace or create.
        data: Its new content.
        private: Whether only its owner may read it; otherwise whoever the process's umask lets.
    """
    with written_atomically(path, private=private) as file:
        file.write(data)


@contextmanager
def written_atomically(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to bit by bit, which takes its place at the end of the block, as :func:`write_atomically`.

    If the block raises, nothing of it is left.

    Args:
        path: The file to replace or create.
        private: As there.
    """
    with _beside(path, private=private) as (file, temporary):
        yield file
    _take_places({path: temporary})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files so that all are replaced, in their order, or none is, such as on a full disk.

    Each is written whole beside its target before the first takes its place; only a crash in between leaves some of
    the old ones.

    Args:
        files: The new content by path.
    """
    staged: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            with _beside(path) as (file, temporary):
                file.write(data)
            staged[path] = temporary
    except BaseException:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
        raise
    _take_places(staged)


def make_folder(path: Path) -> None:
    """Make a folder if it is missing, and those above it; their names are on disk when this returns."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for each in reversed(missing):
        sync_folder(each.parent)


def sync_folder(path: Path) -> None:
    """Bring to disk which files are in a folder, where the system can do that for a folder.

    Raises:
        OSError: It could not be brought to disk.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # of who may write to it but not read it
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_FOLDERS:
            raise
    finally:
        os.close(folder)


def is_left_over(path: Path, name: str) -> bool:
    """Say whether a file is what a crash left of one that was being written.

    Args:
        path: The file.
        name: Name of the file that was being written.
    """
    return re.fullmatch(rf"\.{re.escape(name)}\.[0-9a-f]{{12}}", path.name) is not None


@contextmanager
def _beside(path: Path, *, private: bool = False) -> Iterator[tuple[BinaryIO, Path]]:
    """Give a file beside a path to write to, which is on the disk at the end of the block, or gone if that raises."""
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    # The mode is given to the system when the file is made: it applies the umask, and the bytes were never open to all.
    mode = 0o600 if private else 0o666
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file, temporary
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        # What a full disk refuses names no file.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            error.filename = str(path)
        raise


def _take_places(staged: Mapping[Path, Path]) -> None:
    try:
        for path, temporary in staged.items():
            temporary.replace(path)
    except BaseException:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
        raise
    for folder in dict.fromkeys(path.parent for path in staged):
        sync_folder(folder)
