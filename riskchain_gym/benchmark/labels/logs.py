"""The logs of all workers of a project, read again only where one has grown or was replaced."""

from __future__ import annotations

from pathlib import Path

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import LOGS, log_path, read_log
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.protocol.errors import InputFileError


class Logs:
    """The logs in the folder of a project.

    Args:
        folder: The folder.
        plan: Its plan.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self._read: dict[str, tuple[tuple[int, int, int], tuple[Event, ...]]] = {}

    def events(self, *, without: str | None = None) -> tuple[Event, ...]:
        """Return the events of the logs, each log's in order, the logs in the plan's order of workers.

        Args:
            without: A worker whose log is left out.

        Raises:
            InputFileError: A log is damaged or of another plan, or is of nobody in the plan.
        """
        names = [worker.name for worker in self._plan.workers]
        for path in sorted((self._folder / LOGS).glob("[!.]*.jsonl")):
            if path.stem not in names:
                raise InputFileError(path, "", "is the log of nobody in the plan: take it out of the folder")
        return tuple(event for name in names if name != without for event in self._of(name))

    def _of(self, worker: str) -> tuple[Event, ...]:
        path = log_path(self._folder, worker)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return ()
        # The size is taken before the file is read: what is appended between the two is read again next time.
        mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        known = self._read.get(worker)
        if known is None or known[0] != mark:
            known = self._read[worker] = (mark, read_log(path, self._plan))
        return known[1]
