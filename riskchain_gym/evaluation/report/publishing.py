"""The folder of a report: readers find the old report or the new one, and nothing that is not ours is touched."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from riskchain_gym.evaluation.own_folder import OwnFolder
from riskchain_gym.protocol.files import write_atomically, write_if_changed, write_together

INDEX, DATA, MARKER = "index.html", "report.json", ".riskchain-report"
EPISODES, MEDIA = "episodes", "media"

_MARK = b"riskchain-report-folder/v1\nThis folder is written by `riskchain report`, which replaces what is in it.\n"
_OURS = {EPISODES: re.compile(r"\d{5,}-[0-9a-f]{16}\.js"), MEDIA: re.compile(r"[0-9a-f]{32}\.webp")}
_REPORT = OwnFolder("a report", INDEX, MARKER, tuple(_OURS))


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
            ConfigError: It is named like a file, lies in a run folder, or is a folder with something else in it.
            InputFileError: It is a file or a link to nothing, or it may not be written to.
        """
        _REPORT.check(path)

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
        write_together({self.path / DATA: data, self.path / INDEX: index})
        for name, written in self._written.items():
            folder = self.path / name
            for old in sorted(folder.iterdir()) if folder.is_dir() else []:
                if old.name not in written and _OURS[name].fullmatch(old.name):
                    old.unlink()
        return self.path / INDEX

    def _put(self, folder: str, name: str, data: bytes) -> str:
        path = self.path / folder / name
        self._written[folder].add(name)
        write_if_changed(path, data)
        return name
