"""The log of one worker: what was answered and taken back, a line each, chained by hashes.

Every line names the plan, its place and the hash of the line before it, so that no line can be changed, moved or taken
out unseen while a later one stands. Lines taken off the end are missed by nobody until a freeze names the hash of the
last one. A last line that was cut by a crash was never answered for, and is left out; one that is whole and lacks its
newline only was, and counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.benchmark.labels.answers import Answer, PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.events import Event, VisitFile
from riskchain_gym.benchmark.labels.plan import Plan, Task
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.line_file import LineFile
from riskchain_gym.protocol.model import canonical_json

LOGS = "logs"


def log_path(folder: Path, worker: str) -> Path:
    """Return where the log of a worker is kept in the folder of a project."""
    return folder / LOGS / f"{worker}.jsonl"


def unsealed(
    plan: Plan,
    task: Task,
    answer: Answer | None,
    *,
    at: str = "",
    visit: VisitFile | None = None,
    seconds: float | None = None,
) -> Event:
    """Return an event that has no place in a log yet.

    Args:
        plan: The plan.
        task: The task that it is about.
        answer: The answer; ``None`` where the last one is taken back.
        at: UTC time; now by default.
        visit: The file of the person's browsing; ``None`` where nobody browsed.
        seconds: How long the task was open and in use.
    """
    return Event(
        seq=0,
        at=at or f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        worker=task.worker,
        kind="withdrawn" if answer is None else "answered",
        task_id=task.task_id,
        item_id=task.item_id,
        layer=task.layer,
        site_answer=answer if isinstance(answer, SiteAnswer) else None,
        pair_answer=answer if isinstance(answer, PairAnswer) else None,
        visit=visit.name if visit else "",
        visit_sha256=visit.sha256 if visit else "",
        seconds=seconds,
        plan=plan.sha256,
        previous="",
    )


class Log:
    """The events of one worker, in order, and what may come next.

    Args:
        plan: The plan that they answer.
        worker: Whose they are.

    Attributes:
        events: The events so far.
    """

    def __init__(self, plan: Plan, worker: str) -> None:
        self.events: list[Event] = []
        self._plan = plan.sha256
        self._subject = plan.subject
        self._worker = worker
        self._tasks = plan.tasks_by_worker.get(worker, {})
        self._everybodys = plan.tasks
        self._answered = set[str]()

    @property
    def last_hash(self) -> str:
        """Hash of the last event, the plan's before the first."""
        return self.events[-1].hash if self.events else self._plan

    def seal(self, event: Event) -> Event:
        """Return an event with its place, the hash before it and its own."""
        return event.model_copy(update={"seq": len(self.events), "previous": self.last_hash}).sealed()

    def add(self, event: Event) -> None:
        """Take an event that has no fault."""
        self.events.append(event)
        if event.kind == "answered":
            self._answered.add(event.task_id)
        else:
            self._answered.remove(event.task_id)

    def fault(self, event: Event) -> str:
        """Return why a sealed event cannot come next; nothing where it can."""
        return self._misplaced(event) or self._foreign(event) or self._out_of_turn(event)

    def _misplaced(self, event: Event) -> str:
        if event.plan != self._plan:
            return f"belongs to another plan ({event.plan[:12]}…, not {self._plan[:12]}…): put it back where it is from"
        if event.worker != self._worker:
            return f"is by '{event.worker}' and stands in the log of '{self._worker}'"
        if event.hash != event.expected_hash():
            return "breaks the chain of hashes: it was changed after it was written"
        if (event.seq, event.previous) != (len(self.events), self.last_hash):
            before = "the line before it" if self.events else "the plan"
            return f"breaks the chain of hashes: it or {before} was changed, moved or taken out"
        return ""

    def _foreign(self, event: Event) -> str:
        task = self._tasks.get(event.task_id)
        if task is None:
            known = any(task.task_id == event.task_id for task in self._everybodys)
            why = f"is not a task of '{self._worker}'" if known else "the plan does not have"
            return f"is about the task '{event.task_id}', which {why}"
        if (event.item_id, event.layer) != (task.item_id, task.layer):
            given, planned = f"{event.layer} of '{event.item_id}'", f"{task.layer} of '{task.item_id}'"
            return f"gives the task '{event.task_id}' as {given}, the plan as {planned}"
        holds = {"sites": event.site_answer is not None, "pairs": event.pair_answer is not None}
        if holds != {subject: event.kind == "answered" and subject == self._subject for subject in holds}:
            return "holds no answer, or one of another kind than the project asks for"
        return ""

    def _out_of_turn(self, event: Event) -> str:
        if (event.kind == "withdrawn") == (event.task_id in self._answered):
            return ""
        what = "answers it again" if event.kind == "answered" else "takes an answer back that is not there"
        return f"is about the task '{event.task_id}' and {what}"


def read_log(path: Path, plan: Plan) -> tuple[Event, ...]:
    """Return the events of a log, in order.

    Args:
        path: The log, named by its worker; one that is not there is empty.
        plan: The plan that it must belong to.

    Raises:
        InputFileError: A line with its newline is malformed, was changed, or does not belong; the message names it.
    """
    log = Log(plan, path.stem)
    for number, line in enumerate(LineFile(path).lines(unfinished=True), 1):
        try:
            log.add(_next(log, path, number, line))
        except InputFileError:
            if line.endswith(b"\n"):
                raise
    return tuple(log.events)


def _next(log: Log, path: Path, number: int, line: bytes) -> Event:
    where = f"line {number}"
    try:
        event = Event.model_validate_json(line)
    except ValidationError as error:
        raise invalid(path, error, where) from error
    if fault := log.fault(event):
        raise InputFileError(path, where, fault)
    return event


def write_log(folder: Path, plan: Plan, worker: str, events: Iterable[Event]) -> tuple[Event, ...]:
    """Write the whole log of a worker who has none yet: of answers that were imported or simulated.

    Args:
        folder: Folder of the project.
        plan: Its plan.
        worker: Whose log it is.
        events: What :func:`unsealed` made, in order.

    Returns:
        The events as they were written.

    Raises:
        ConfigError: There is a log already, or an event does not belong in it; nothing is written.
    """
    path, log = log_path(folder, worker), Log(plan, worker)
    if path.exists():
        raise ConfigError(f"{path} is there already: a log is never written anew.")
    for unplaced in events:
        event = log.seal(unplaced)
        if fault := log.fault(event):
            raise ConfigError(f"Event {event.seq + 1} of '{worker}' {fault}.")
        log.add(event)
    write_atomically(path, "".join(f"{canonical_json(event)}\n" for event in log.events).encode())
    return tuple(log.events)
