"""The form that a worker has not sent yet, kept so that neither a crash nor a second tab loses it."""

from __future__ import annotations

import json
import logging
import time
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import Field

from riskchain_gym.benchmark.labels.plan import TaskId
from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen

DRAFTS = "drafts"

_log = logging.getLogger(__name__)


class Draft(Frozen):
    """A form that was not sent yet.

    Attributes:
        task_id: The task.
        revision: Goes up with each save, and never comes again; 0 where nothing was saved yet.
        tab: The tab that saved it, as it calls itself.
        form: What was filled in, as JSON.
    """

    task_id: TaskId
    revision: Annotated[int, Field(ge=0)]
    tab: str = ""
    form: dict[str, Any] = Field(default_factory=dict)


class StaleDraftError(RiskChainError):
    """A form was made from another than the stored one: another tab has saved meanwhile.

    Attributes:
        current: What is stored.
    """

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__(f"The form was saved by another tab meanwhile (revision {current.revision}): take that one.")


class _Kept(Frozen):
    """What the file holds; ``last`` outlives the drafts, so that a tab of long ago is never taken for a current one."""

    last: Annotated[int, Field(ge=0)] = 0
    draft: Draft | None = None


class DraftBox:
    """The place of one worker's unsent form.

    Threads take turns; of two programs only the one that holds the worker's log may write. A file that cannot be read
    is set aside as ``NAME.json.damaged``, which is logged, and there is no form then.

    Args:
        folder: Folder of the project.
        worker: Whose it is.
    """

    def __init__(self, folder: Path, worker: str) -> None:
        self._path = folder / DRAFTS / f"{worker}.json"
        self._turn = Lock()

    def read(self) -> Draft | None:
        """Return the unsent form, of whichever task it is."""
        with self._turn:
            return self._kept().draft

    def save(self, task_id: str, form: dict[str, Any], *, revision: int, tab: str) -> Draft:
        """Store a form; one of another task gives way.

        Args:
            task_id: The task.
            form: What was filled in, as JSON.
            revision: That of the form it was made from, 0 where the task had none.
            tab: The tab that saves.

        Returns:
            What is stored now, with its revision.

        Raises:
            StaleDraftError: The stored form of the task has another revision.
        """
        with self._turn:
            kept = self._kept()
            stored = kept.draft if kept.draft is not None and kept.draft.task_id == task_id else None
            if stored is not None and stored.revision != revision:
                raise StaleDraftError(stored)
            draft = Draft(task_id=task_id, revision=kept.last + 1, tab=tab, form=form)
            self._write(_Kept(last=draft.revision, draft=draft))
        return draft

    def clear(self, task_id: str) -> None:
        """Forget the form of a task because it was sent; one of another task stays."""
        with self._turn:
            kept = self._kept()
            if kept.draft is not None and kept.draft.task_id == task_id:
                self._write(_Kept(last=kept.last))

    def _kept(self) -> _Kept:
        try:
            return _Kept.model_validate(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            return _Kept()
        except (ValueError, RecursionError):
            set_aside(self._path)
        # Seconds count higher than saves, so no revision from before comes again.
        kept = _Kept(last=int(time.time()))
        self._write(kept)
        return kept

    def _write(self, kept: _Kept) -> None:
        # ASCII: a form may hold half a character, which no UTF-8 file can.
        write_atomically(self._path, json.dumps(kept.model_dump(), sort_keys=True).encode("ascii"))


def set_aside(path: Path) -> None:
    """Rename a form that cannot be read to ``NAME.damaged`` and log it: its worker can go on, and nothing is lost."""
    places = (path.with_name(f"{path.name}.damaged{f'.{n}' if n else ''}") for n in count())
    place = next(place for place in places if not place.exists())
    path.rename(place)
    _log.warning("The unsent form %s cannot be read: it is %s now, and the form begins empty.", path, place.name)
