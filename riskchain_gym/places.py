"""Places that output will go to, looked at before the work begins and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from riskchain_gym.protocol.errors import InputFileError


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
        InputFileError: It is a file, or it or the folder it would be made in is none or may not be written to.
    """
    if path.exists() and not path.is_dir():
        raise InputFileError(path, "", "is a file, give the path of a folder")
    _check_parent(path / "file", path)


def _check_parent(path: Path, named: Path) -> None:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise InputFileError(named, "", f"cannot be written because {folder} is a file, choose another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputFileError(named, "", f"cannot be written because {folder} is closed to you, choose another place")
