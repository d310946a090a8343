"""Reading a folder that a site was mirrored into, e.g. by a browser's "save as" or a mirroring tool."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.replay.capture import Budget, Capture, Notes

NOWHERE = "http://mirror.invalid/"
"""Address that the files of a folder are read as coming from, unless told otherwise."""

MAX_FILES = 20_000
"""Largest number of files of a folder."""

_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)
_INDEX = frozenset({"index.html", "index.htm"})


def read_folder(folder: Path, base: str, budget: Budget, notes: Notes) -> Iterator[Capture]:
    """Yield the files of a folder in order of name; no link is followed.

    Args:
        folder: The folder.
        base: Address that the folder stands for, ending in a slash.
        budget: How large files may be.
        notes: Where what is left out is listed.

    Raises:
        InputFileError: It has too many files, or one cannot be read.
    """
    for path in _files(folder, notes):
        inside = path.relative_to(folder).as_posix()
        name = _quoted(inside)
        try:
            size = path.stat().st_size
            if not budget.takes(inside, size, notes):
                continue
            body = path.read_bytes()
        except OSError as error:
            raise InputFileError(path, "", f"cannot be read ({error.strerror}), mend it or take it out") from error
        yield Capture(base + name, body=body, aliases=tuple(_aliases(name, base)))


def entry_of(folder: Path, base: str) -> str | None:
    """Return the address of the page that a folder most likely begins with, or ``None`` if that is not plain."""
    pages = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".html", ".htm") and path.is_file())
    named = [path for path in pages if path.name.lower() in _INDEX]
    chosen = named[:1] or (pages if len(pages) == 1 else [])
    return base + _quoted(chosen[0].name) if chosen else None


def _files(folder: Path, notes: Notes) -> list[Path]:
    found: list[Path] = []

    def refuse(error: OSError) -> None:
        where = error.filename or folder
        raise InputFileError(where, "", f"cannot be read ({error.strerror}), mend it or take it out") from error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        for name in (*folders, *names):
            path = Path(parent, name)
            if path.is_symlink():
                notes.skipped[path.relative_to(folder).as_posix()] = "is a link, which is not followed"
            elif name in names and not path.is_file():
                notes.skipped[path.relative_to(folder).as_posix()] = "is no regular file"
            elif name in names:
                found.append(path)
        if len(found) > MAX_FILES:
            raise InputFileError(folder, "", f"has more than {MAX_FILES:,} files, give the folder of one site")
    return sorted(found)


def _aliases(name: str, base: str) -> Iterator[str]:
    """Yield further addresses of a file: that of its folder, and its own below a folder that is named like a host."""
    names = [name]
    parent, _, last = name.rpartition("/")
    if last.lower() in _INDEX:
        names.append(f"{parent}/" if parent else "")
        yield base + names[-1]
    host, slash, _ = name.partition("/")
    if slash and _HOST.fullmatch(host):
        for each in names:
            yield f"http://{each}"


def _quoted(name: str) -> str:
    return quote(os.fsencode(name))
