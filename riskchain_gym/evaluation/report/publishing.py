"""The folder of a report: readers find the old report or the new one, and nothing that is not ours is touched."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically

INDEX, DATA, MARKER = "index.html", "report.json", ".riskchain-report"
EPISODES, MEDIA = "episodes", "media"

_MARK = b"riskchain-report-folder/v1\nThis folder is written by `riskchain report`, which replaces what is in it.\n"
_OURS = {EPISODES: re.compile(r"\d{5,}-[0-9a-f]{16}\.js"), MEDIA: re.compile(r"[0-9a-f]{32}\.webp")}


class ReportFolder:
    """A folder that a report is written into.

    Data files are named by what is in them, so that writing them changes nothing for who reads the old index; the new
    index comes last, and only then do data files go that it does not name.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: dict[str, set[str]] = {name: set() for name in _OURS}

    @staticmethod
    def check(path: Path) -> None:
        """Refuse a path that no report can be written to.

        Raises:
            ConfigError: It is named like a file, or is a folder with something else in it.
            InputFileError: It is a file.
        """
        if path.suffix.lower() in (".html", ".htm"):
            raise ConfigError(
                f"{path} is the name of a file, and a report is a folder: give a folder, such as --out "
                f"{path.with_suffix('')}, and open {path.with_suffix('') / INDEX}."
            )
        if path.exists() and not path.is_dir():
            raise InputFileError(path, "", "is a file, and a report is a folder: choose another place")
        if path.is_dir() and not (path / MARKER).is_file() and any(path.iterdir()):
            raise ConfigError(
                f"{path} holds something that is no report of riskchain: choose an empty or a new folder; one with a "
                "report in it is replaced."
            )
        if odd := [name for name in _OURS if (path / name).is_symlink()]:
            raise ConfigError(f"{path / odd[0]} is a link, which is not written through: choose another folder.")

    def begin(self) -> None:
        """Mark the folder as a report's.

        Raises:
            ConfigError: As :meth:`check` does.
            InputFileError: Likewise.
            OSError: It cannot be written.
        """
        self.check(self.path)
        write_atomically(self.path / MARKER, _MARK)

    def add_episode(self, number: int, data: bytes) -> str:
        """Write the data of an episode and return the name of its file.

        Raises:
            OSError: It cannot be written.
        """
        return self._put(EPISODES, f"{number:05d}-{hashlib.sha256(data).hexdigest()[:16]}.js", data)

    def add_picture(self, name: str, data: bytes) -> None:
        """Write a screenshot.

        Args:
            name: Its name, which goes with its bytes.
            data: Its bytes.

        Raises:
            OSError: It cannot be written.
        """
        self._put(MEDIA, name, data)

    def finish(self, data: bytes, index: bytes) -> Path:
        """Write the figures for machines and then the index, and remove what an earlier report left.

        Returns:
            The index.

        Raises:
            OSError: They cannot be written.
        """
        write_atomically(self.path / DATA, data)
        write_atomically(self.path / INDEX, index)
        for name, written in self._written.items():
            folder = self.path / name
            for old in sorted(folder.iterdir()) if folder.is_dir() else []:
                if old.name not in written and _OURS[name].fullmatch(old.name):
                    old.unlink()
        return self.path / INDEX

    def _put(self, folder: str, name: str, data: bytes) -> str:
        path = self.path / folder / name
        self._written[folder].add(name)
        if not (path.is_file() and path.read_bytes() == data):
            write_atomically(path, data)
        return name
