"""Places that output will go to, looked at before the work begins and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from riskchain_gym.protocol.errors import ConfigError, InputFileError


def check_file(path: Path) -> None:
    """Refuse a path that no file can be written to.

    Raises:
        InputFileError: It is a folder or a device, or its folder is none or may not be written to.
    """
    if path.exists() and not path.is_file():
        raise InputFileError(path, "", "is a folder or a device, give the path of a file to write")
    _check_parent(path, path)


def check_folder(path: Path) -> None:
    """Refuse a path that no folder can be made or filled at.

    Raises:
        InputFileError: It is a file or a link to nothing, or it or the folder it would be made in is none or may not be
            written to.
    """
    if path.exists() and not path.is_dir():
        raise InputFileError(path, "", "is a file, give the path of a folder")
    _check_parent(path / "file", path)


def check_outside_runs(path: Path) -> None:
    """Refuse a path in a run folder: what is frozen there is never written over, and nothing is put beside it.

    Raises:
        ConfigError: The path, links followed, is a run folder or lies in one.
    """
    from riskchain_gym.evaluation.store import MANIFEST

    place = path.resolve()
    for folder in (place, *place.parents):
        if (folder / MANIFEST).is_file():
            where = f"{path} is" if folder == place else f"{path} lies in {folder}, which is"
            raise ConfigError(f"{where} a run folder, whose files are frozen: choose a place outside of it.")


def _check_parent(path: Path, named: Path) -> None:
    for parent in path.absolute().parents:
        if parent.is_symlink() and not parent.exists():
            raise InputFileError(named, "", f"cannot be written because {parent} is a link to nothing, remove it")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise InputFileError(named, "", f"cannot be written because {folder} is a file, choose another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputFileError(named, "", f"cannot be written because {folder} is closed to you, choose another place")
