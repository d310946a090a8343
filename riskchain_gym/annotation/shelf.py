"""Forms that had to make way for another task: they are put aside, and taken up again with their own task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from riskchain_gym.benchmark.labels.drafts import Draft, DraftBox, set_aside
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import canonical_json


class Shelf:
    """The unsent forms of one worker: the one in the box, and those put aside.

    A form makes way when its worker takes an answer back, or when a task is no longer due because somebody else took an
    answer back. The files are ``drafts/NAME.aside/TASK.json``.

    Args:
        project: Folder of the labelling project.
        worker: Whose forms.
        box: The place of the current form.
    """

    def __init__(self, project: Path, worker: str, box: DraftBox) -> None:
        self._folder = project / "drafts" / f"{worker}.aside"
        self._box = box

    def form(self, task_id: str) -> Draft | None:
        """Return the unsent form of a task, taken from the shelf where it was put aside; ``None`` if it is damaged."""
        draft = self._box.read()
        if draft is not None and draft.task_id == task_id:
            return draft
        try:
            aside = Draft.model_validate_json(self._path(task_id).read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError:
            set_aside(self._path(task_id))
            return None
        draft = self._put(task_id, aside.form, revision=0, tab=aside.tab)
        self._path(task_id).unlink()
        return draft

    def save(self, task_id: str, form: dict[str, Any], *, revision: int, tab: str) -> Draft:
        """Store a form in the box; one of another task that is there is put aside first.

        Raises:
            StaleDraftError: The stored form of the task has another revision.
        """
        self.form(task_id)
        return self._put(task_id, form, revision=revision, tab=tab)

    def lay_out(self, task_id: str, form: dict[str, Any]) -> Draft:
        """Store the form of an answer that is taken back, whatever is stored of its task."""
        draft = self.form(task_id)
        return self._put(task_id, form, revision=0 if draft is None else draft.revision, tab="")

    def clear(self, task_id: str) -> None:
        """Forget the form of a task, for its answer is in the log."""
        self._box.clear(task_id)
        self._path(task_id).unlink(missing_ok=True)

    def _put(self, task_id: str, form: dict[str, Any], *, revision: int, tab: str) -> Draft:
        draft = self._box.read()
        if draft is not None and draft.task_id != task_id and draft.form:
            write_atomically(self._path(draft.task_id), canonical_json(draft).encode())
        return self._box.save(task_id, form, revision=revision, tab=tab)

    def _path(self, task_id: str) -> Path:
        return self._folder / f"{task_id}.json"
