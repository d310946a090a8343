"""Replacing a folder as a whole: what is new is written beside it and takes its place at the end."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from riskchain_gym.protocol.errors import InputFileError

Removable = Callable[[Path], Iterable[Path]]
"""Returns the files of an existing folder that may be removed, and raises when anything else lies in it."""


def check_place(folder: Path) -> None:
    """Refuse a folder that no other can take the place of.

    Raises:
        InputFileError: It is a mount point, the current folder or one around it, or the folder above is closed.
    """
    whole = folder.resolve()
    if not whole.exists():
        return
    if os.path.ismount(whole) or Path.cwd().is_relative_to(whole):
        what = "a mount point" if os.path.ismount(whole) else "the current folder or around it"
        raise InputFileError(folder, "", f"is {what} and cannot be replaced as a whole: give a folder inside it")
    if not os.access(whole.parent, os.W_OK | os.X_OK):
        raise InputFileError(folder, "", f"cannot be replaced because {whole.parent} is closed to you: give another")


@contextmanager
def replacing(folder: Path, removable: Removable) -> Iterator[Path]:
    """Yield an empty folder to fill; when the block ends well it takes the place of ``folder``, else it is removed.

    Builds into one folder at the same time wait for each other there, and each leaves a whole folder. What stood there
    is looked at again once it is out of reach, and put back when it holds anything that may not be removed. (A process
    that is killed right then may leave old and new beside the place, both whole, as ``.NAME.*``.)

    Args:
        folder: The folder to make or to replace.
        removable: Says which files of an earlier folder may be removed; only those are.

    Raises:
        InputFileError: An earlier folder may not be replaced.
        OSError: A file cannot be written.
    """
    whole = folder.resolve()
    whole.parent.mkdir(parents=True, exist_ok=True)
    new = whole.with_name(f".{whole.name}.{secrets.token_hex(6)}")
    new.mkdir()
    try:
        yield new
        with _alone_in(whole.parent):
            _put(new, whole, removable)
    finally:
        if new.exists():
            shutil.rmtree(new)


def _put(new: Path, folder: Path, removable: Removable) -> None:
    if not folder.exists():
        new.rename(folder)
        return
    removable(folder)
    old = new.with_name(f"{new.name}.old")
    folder.rename(old)
    try:
        files = tuple(removable(old))
        new.rename(folder)
    except BaseException:
        if not folder.exists():
            old.rename(folder)
        raise
    for file in files:
        file.unlink()
    for inside in (*{file.parent for file in files} - {old}, old):
        # What somebody wrote there in this very moment is kept, and its folder with it.
        with suppress(OSError):
            inside.rmdir()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems lock no folders: there, two builds that end together may make one of them fail.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
