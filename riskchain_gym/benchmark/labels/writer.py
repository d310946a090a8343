"""Appending to the log of one worker: one writer at a time, and nothing that the layers forbid."""

from __future__ import annotations

import os
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
from riskchain_gym.protocol.errors import ConfigError, RiskChainError
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import canonical_json


class LogReplacedError(RiskChainError, RuntimeError):
    """The file of a log was replaced, changed or taken away by other hands while a writer held it."""

    def __init__(self, worker: str) -> None:
        super().__init__(
            f"The log of '{worker}' was replaced while the workbench ran, so the answer was not saved: end the "
            "workbench and start it again. The form is kept."
        )


class LogWriter:
    """A context manager that holds the log of a worker; its threads take turns.

    Args:
        folder: Folder of the project.
        plan: Its plan.
        worker: Whose log it is.

    Raises:
        ConfigError: The plan has no such worker; on entering: another program holds the log.
        InputFileError: On entering: the log is damaged, of another plan, or a link.
    """

    def __init__(self, folder: Path, plan: Plan, worker: str) -> None:
        names = [each.name for each in plan.workers]
        if worker not in names:
            raise ConfigError(f"The plan has no '{worker}', it has: {', '.join(names)}.")
        self._lines = LineFile(log_path(folder, worker))
        self._plan = plan
        self._worker = worker
        self._logs = Logs(folder, plan)
        self._held = ExitStack()
        self._turn = Lock()
        self._file: FileIO | None = None
        self._log = Log(plan, worker)
        self._size = 0
        self._last_line: bytes | None = None

    def __enter__(self) -> Self:
        with ExitStack() as held:
            try:
                file = held.enter_context(self._lines.locked(wait=False))
            except BlockingIOError as error:
                raise ConfigError(
                    f"Another program holds the answers of '{self._worker}', such as a workbench: close it first."
                ) from error
            self._log = Log(self._plan, self._worker)
            for event in read_log(self._lines.path, self._plan):
                self._log.add(event)
            self._lines.mend(file, finish=len(self._log.events) > sum(1 for _ in self._lines.lines()))
            self._size, self._last_line = self._lines.size, self._lines.last()
            self._file, self._held = file, held.pop_all()
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
            LogReplacedError: The file is not the one that is held, or not as this writer has left it.
            OSError: The disk does not take it.
        """
        with self._turn:
            assert self._file is not None, "a log is written inside the writer's context"
            self._check_own(self._file)
            sealed = self._log.seal(event)
            if fault := self._log.fault(sealed):
                raise ConfigError(f"The answer was not taken: it {fault}.")
            events = (*self._logs.events(without=self._worker), *self._log.events)
            if problem := refusal(self._plan, events, event):
                raise ConfigError(problem)
            line = canonical_json(sealed).encode() + b"\n"
            write_line(self._file, line)
            self._size, self._last_line = self._size + len(line), line
            self._log.add(sealed)
            # It may have been replaced in the meantime; then the event went into a file that nobody will read.
            self._check_own(self._file)
        return sealed

    def _check_own(self, file: FileIO) -> None:
        """Refuse to go on in a log that others have touched: tools that copy and synchronise replace files as they run.

        Raises:
            LogReplacedError: They have.
        """
        size = file.seek(0, os.SEEK_END)
        if not self._lines.is_held(file) or size != self._size or self._lines.last() != self._last_line:
            raise LogReplacedError(self._worker)
