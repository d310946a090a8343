"""A labelling project on disk.

::

    DIR/
      plan.json             who labels what, written once
      items.jsonl           the pairs, where pairs are labelled
      logs/NAME.jsonl       what that worker answered, append-only, hash-chained
      drafts/NAME.json      what that worker has not sent yet
      visits/, media/       browsing and thumbnails, which the workbench keeps
"""

from __future__ import annotations

from pathlib import Path

from riskchain_gym.benchmark.labels.drafts import DraftBox
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.logs import Logs
from riskchain_gym.benchmark.labels.plan import Plan, Task
from riskchain_gym.benchmark.labels.state import ItemState, queue, states
from riskchain_gym.benchmark.labels.writer import LogWriter
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.invalid import read_model
from riskchain_gym.protocol.model import canonical_json

PLAN, ITEMS = "plan.json", "items.jsonl"


class Project:
    """A project folder, opened. Several programs may have one open; each log has one writer at a time.

    Attributes:
        folder: The folder.
        plan: Its plan.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self._logs = Logs(folder, plan)
        self._drafts = {worker.name: DraftBox(folder, worker.name) for worker in plan.workers}

    @classmethod
    def open(cls, folder: Path) -> Project:
        """Open a project.

        Raises:
            InputFileError: There is none, or its plan is malformed.
        """
        return cls(folder, read_model(folder / PLAN, Plan, "give the folder of `riskchain labels plan`"))

    def events(self) -> tuple[Event, ...]:
        """Return the events of all logs, in the plan's order of workers; read again where a log has grown.

        Raises:
            InputFileError: A log is damaged or of another plan, or is of nobody in the plan.
        """
        return self._logs.events()

    def states(self) -> dict[str, ItemState]:
        """Return the state of every item, in order of id.

        Raises:
            InputFileError: See :meth:`events`.
        """
        return states(self.plan, self.events())

    def current(self, worker: str) -> Task | None:
        """Return what a worker is to answer now: the task of the unsent form while it is due, else the queue's first.

        So a review that becomes due does not push a form aside that is being filled in.

        Raises:
            ConfigError: The plan has no such worker.
            InputFileError: A log or the unsent form is damaged.
        """
        due, draft = queue(self.plan, self.events(), worker), self.draft(worker).read()
        begun = [task for task in due if draft is not None and task.task_id == draft.task_id]
        return next(iter(begun or due), None)

    def writer(self, worker: str) -> LogWriter:
        """Return a writer of a worker's log, to be used as a context manager.

        Raises:
            ConfigError: The plan has no such worker.
        """
        return LogWriter(self.folder, self.plan, worker)

    def draft(self, worker: str) -> DraftBox:
        """Return the place of a worker's unsent form, the same object each time.

        Raises:
            ConfigError: The plan has no such worker.
        """
        if worker not in self._drafts:
            raise ConfigError(f"The plan has no '{worker}', it has: {', '.join(self._drafts)}.")
        return self._drafts[worker]


def create_project(folder: Path, plan: Plan, items_jsonl: bytes | None = None) -> Project:
    """Make a project; one of the very same plan that is there already is opened.

    Args:
        folder: Its folder; made if missing.
        plan: Its plan.
        items_jsonl: The pairs, a line each, where pairs are labelled.

    Raises:
        ConfigError: The folder holds another project, or anything else.
        InputFileError: The plan of the project there is malformed.
        OSError: A file cannot be written.
    """
    if (folder / PLAN).exists():
        project = Project.open(folder)
        if project.plan != plan:
            raise ConfigError(
                f"{folder} holds a project with another plan, and a plan is never changed: give another folder."
            )
        return project
    if held := _foreign(folder):
        raise ConfigError(f"{folder} holds '{held[0]}' and no project: give an empty folder or a new one.")
    if items_jsonl is not None:
        write_atomically(folder / ITEMS, items_jsonl)
    write_atomically(folder / PLAN, f"{canonical_json(plan)}\n".encode())
    return Project(folder, plan)


def _foreign(folder: Path) -> list[str]:
    """Return what is in a folder; what a crash has left of an earlier attempt to make a project does not count."""
    held = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    return [name for name in held if name != ITEMS and not name.startswith((f".{ITEMS}.", f".{PLAN}."))]
