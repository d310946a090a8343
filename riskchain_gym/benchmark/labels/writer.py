"""Appending to the log of one worker: one writer at a time, and nothing that the layers forbid."""

from __future__ import annotations

from contextlib import ExitStack
from io import FileIO
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import Log, log_path, read_log
from riskchain_gym.benchmark.labels.logs import Logs
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.state import refusal
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import canonical_json


class LogWriter:
    """A context manager that holds the log of a worker; its threads take turns.

    Args:
        folder: Folder of the project.
        plan: Its plan.
        worker: Whose log it is.

    Raises:
        ConfigError: The plan has no such worker; on entering: another program holds the log.
        InputFileError: On entering: the log is damaged or of another plan.
    """

    def __init__(self, folder: Path, plan: Plan, worker: str) -> None:
        names = [each.name for each in plan.workers]
        if worker not in names:
            raise ConfigError(f"The plan has no '{worker}', it has: {', '.join(names)}.")
        self._path = log_path(folder, worker)
        self._plan = plan
        self._worker = worker
        self._logs = Logs(folder, plan)
        self._held = ExitStack()
        self._turn = Lock()
        self._file: FileIO | None = None
        self._log = Log(plan, worker)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            try:
                self._file = held.enter_context(LineFile(self._path).locked(wait=False))
            except BlockingIOError as error:
                raise ConfigError(
                    f"Another program holds the answers of '{self._worker}', such as a workbench: close it first."
                ) from error
            self._log = Log(self._plan, self._worker)
            for event in read_log(self._path, self._plan):
                self._log.add(event)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file = None
        self._held.close()

    def append(self, event: Event) -> Event:
        """Write an event, synced to the disk; it is whole in the log or not there.

        Args:
            event: What :func:`~riskchain_gym.benchmark.labels.log.unsealed` made.

        Returns:
            The event with its place and hashes.

        Raises:
            ConfigError: It may not be written now: its task is another worker's, was answered already or is not due;
                or what it takes back is not the worker's last answer, or a later layer was built on it.
            InputFileError: Another worker's log is damaged.
            OSError: The disk does not take it.
        """
        with self._turn:
            assert self._file is not None, "a log is written inside the writer's context"
            sealed = self._log.seal(event)
            if fault := self._log.fault(sealed):
                raise ConfigError(f"The answer was not taken: it {fault}.")
            events = (*self._logs.events(without=self._worker), *self._log.events)
            if problem := refusal(self._plan, events, event):
                raise ConfigError(problem)
            write_line(self._file, canonical_json(sealed).encode() + b"\n")
            self._log.add(sealed)
        return sealed
