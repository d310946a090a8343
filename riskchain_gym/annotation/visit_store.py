"""A person's visits on disk: the one that goes on, and each that has ended, in ``visits/NAME/`` of a project."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.annotation.human_visit import HumanVisit, OpenVisit
from riskchain_gym.benchmark.labels.events import VisitFile
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.invalid import invalid, read_model
from riskchain_gym.protocol.model import canonical_json

VISITS = "visits"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_ADVICE = "restore it from a copy of the project"


class VisitStore:
    """The visits of one worker; only that worker's server writes here.

    ``TASK_ID.open`` is the visit that goes on. ``TASK_ID.N.json`` are those that have ended, counted from 1 and never
    written again; ``TASK_ID.N.damaged`` what could not be read.

    Args:
        project: Folder of the labelling project.
        worker: Whose visits.
    """

    def __init__(self, project: Path, worker: str) -> None:
        self._folder = project / VISITS / _checked(worker)

    def save(self, visit: OpenVisit) -> None:
        """Write the visit that goes on in place of what was written of it before.

        Raises:
            OSError: It cannot be written; what was there before is whole.
        """
        write_atomically(self._open(visit.task_id), _encoded(visit))

    def load(self, task_id: str) -> OpenVisit | None:
        """Return the visit that goes on, or ``None`` if there is none.

        Raises:
            InputFileError: It is malformed.
        """
        path = self._open(task_id)
        return read_model(path, OpenVisit, _ADVICE) if path.exists() else None

    def drop(self, task_id: str) -> None:
        """Remove the visit that goes on, because it has ended and what it ended as is kept."""
        self._open(task_id).unlink(missing_ok=True)

    def set_aside(self, task_id: str) -> None:
        """Rename a visit that goes on and cannot be read, so that a new one can begin; nothing of it is lost."""
        number = len(list(self._folder.glob(f"{_checked(task_id)}.*.damaged"))) + 1
        self._open(task_id).rename(self._folder / f"{task_id}.{number}.damaged")

    def keep(self, visit: HumanVisit) -> VisitFile:
        """Write a visit that has ended and return its file, named ``TASK_ID.N.json``.

        Raises:
            OSError: It cannot be written.
        """
        task_id = _checked(visit.task_id)
        taken = [int(path.name.split(".")[-2]) for path in self._folder.glob(f"{task_id}.*.json")]
        name = f"{task_id}.{max(taken, default=0) + 1}.json"
        data = _encoded(visit)
        write_atomically(self._folder / name, data)
        return VisitFile(name, hashlib.sha256(data).hexdigest())

    def read(self, kept: VisitFile) -> HumanVisit:
        """Return a visit that has ended, which must be the very one that was kept.

        Args:
            kept: Its file, as an event gives it.

        Raises:
            InputFileError: It is missing, was changed, or is malformed.
        """
        path = self._folder / _checked(kept.name)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputFileError(path, "", f"cannot be read ({error.strerror}), {_ADVICE}") from error
        if hashlib.sha256(data).hexdigest() != kept.sha256:
            raise InputFileError(path, "", f"is not the visit that the answer in the log rests on, {_ADVICE}")
        try:
            return HumanVisit.model_validate_json(data)
        except ValidationError as error:
            raise invalid(path, error) from error

    def _open(self, task_id: str) -> Path:
        return self._folder / f"{_checked(task_id)}.open"


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name[:80]!r} cannot name a file of a visit: give letters, digits, '.', '_' and '-'.")
    return name


def _encoded(visit: OpenVisit | HumanVisit) -> bytes:
    return canonical_json(visit).encode() + b"\n"
