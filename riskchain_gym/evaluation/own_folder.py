"""Folders that are written whole and replaced by the next of their kind: a file marks them, and nothing else goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.places import check_folder, check_outside_runs
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import is_left_over


@dataclass(frozen=True)
class OwnFolder:
    """A kind of folder.

    Attributes:
        what: What is in it, with its article.
        page: Name of its page.
        marker: Name of the file that tells it from all others, written before anything else.
        inside: Names of the folders in it.
    """

    what: str
    page: str
    marker: str
    inside: tuple[str, ...]

    def check(self, path: Path) -> None:
        """Refuse a path that no folder of this kind can be written to.

        Raises:
            ConfigError: It is named like a file, lies in a run folder, or is a folder with something else in it.
            InputFileError: It is a file or a link to nothing, or it may not be written to.
        """
        if path.suffix.lower() in (".html", ".htm"):
            raise ConfigError(
                f"{path} is the name of a file, and {self.what} is a folder: give a folder, such as --out "
                f"{path.with_suffix('')}, and open {path.with_suffix('') / self.page}."
            )
        if path.exists() and not path.is_dir():
            raise InputFileError(path, "", f"is a file, and {self.what} is a folder: choose another place")
        check_outside_runs(path)
        check_folder(path)
        if not path.is_dir():
            return
        marker = path / self.marker
        if not marker.is_file() and any(not is_left_over(each, self.marker) for each in path.iterdir()):
            raise ConfigError(
                f"{path} holds something else than {self.what} of riskchain: choose an empty or a new folder; "
                f"{self.what} that is in it is replaced."
            )
        if linked := [name for name in (self.marker, *self.inside) if (path / name).is_symlink()]:
            raise ConfigError(f"{path / linked[0]} is a link, which is not written through: choose another folder.")
