"""The port of a workbench, the same each time: a browser keeps what was not saved by address and port."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from riskchain_gym.benchmark.labels.drafts import DRAFTS
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import write_atomically

_T = TypeVar("_T")
_MAX_PORT = 65_535


class PortMemory:
    """Which port a worker's workbench of a project had last, in ``drafts/NAME.port``.

    Args:
        project: Folder of the project.
        worker: Whose workbench.
    """

    def __init__(self, project: Path, worker: str) -> None:
        self._path = project / DRAFTS / f"{worker}.port"

    @property
    def last(self) -> int | None:
        """The port, ``None`` where none is known; a file that says no port is as good as none."""
        try:
            said = self._path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return (
            int(said) if said.isdecimal() and len(said) <= len(str(_MAX_PORT)) and 0 < int(said) <= _MAX_PORT else None
        )

    def keep(self, port: int) -> None:
        """Remember a port for the next time."""
        if port != self.last:
            write_atomically(self._path, f"{port}\n".encode("ascii"))

    def serve(self, start: Callable[[int], _T], given: int | None = None) -> _T:
        """Return what ``start`` makes at the port that is given, else at the last one, else at any that is free.

        Args:
            start: Starts to listen on a port, 0 for any that is free; raises ``ConfigError`` where it cannot be had.
            given: The port that must be had, ``None`` for no wish.

        Raises:
            ConfigError: The given port cannot be had.
        """
        if given is None and self.last is not None:
            try:
                return start(self.last)
            except ConfigError:
                return start(0)
        return start(given or 0)
