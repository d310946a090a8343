"""The desk: one person's work on one project, as the page asks for it; nothing here knows of HTTP."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from riskchain_gym.annotation.adjudicating import answered_form, shown_answers
from riskchain_gym.annotation.forms import FormError, PairForm, SiteForm, pair_answer, site_answer
from riskchain_gym.annotation.pictures import PICTURE_TYPE
from riskchain_gym.annotation.refusals import RefusedError, gone, told
from riskchain_gym.annotation.requests import Act, MakePin, OnTask, SaveDraft, Submit, Undo
from riskchain_gym.annotation.shelf import Shelf
from riskchain_gym.annotation.visit import Visit
from riskchain_gym.annotation.visit_errors import PinRefusedError, VisitClosedError
from riskchain_gym.annotation.visiting import VisitDesk
from riskchain_gym.benchmark.labels.answers import Answer
from riskchain_gym.benchmark.labels.drafts import Draft, StaleDraftError
from riskchain_gym.benchmark.labels.events import Event, VisitFile
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Task, Worker
from riskchain_gym.benchmark.labels.progress import page_counts
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.state import NOTHING_TO_TAKE_BACK, can_withdraw
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.scoring.calibration.pairs import PairItem, shown
from riskchain_gym.sites.replay.model import AnySite

MOST_SECONDS = 86_400.0
"""Longest time that a task counts as having been in use."""

_THUMBNAIL = re.compile(r"[0-9a-f]{32}\.webp")


class Desk:
    """One worker at one project; a context manager that holds the worker's log, safe to call from any thread.

    Two tabs see one another's work and never cross it: what is meant for another task, another revision of the form or
    another step of the visit than the current one is refused with what is current. Two locks see to that. One is for
    browsing, which a site can hold up; the other, for forms and log, is only held for moments, so that a form is kept
    whatever the site does. Who needs both takes the one for browsing first. Answering and taking back hold both, so
    within either lock the current task stays the current one.

    Everything that is asked for and told is JSON; every method may raise
    :class:`~riskchain_gym.annotation.refusals.RefusedError`.

    Args:
        project: The project.
        worker: Whose desk it is.
        visits: Shows sites; ``None`` where pairs are labelled.
        sites: The sites by item.
        pairs: The pairs by item.

    Raises:
        UnknownNameError: The plan has no such worker.
    """

    def __init__(
        self,
        project: Project,
        worker: str,
        *,
        visits: VisitDesk | None = None,
        sites: Mapping[str, AnySite] | None = None,
        pairs: Mapping[str, PairItem] | None = None,
    ) -> None:
        self._project = project
        self._worker = find_worker(project, worker)
        self._visits = visits
        self._sites = sites or {}
        self._pairs = pairs or {}
        self._shelf = Shelf(project.folder, worker, project.draft(worker))
        self._writer = project.writer(worker)
        self._browsing = threading.RLock()
        self._lock = threading.RLock()
        self._pinned: set[str] = set()
        self._shown: tuple[str, set[str]] = ("", set())

    def __enter__(self) -> Self:
        self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._browsing, self._lock:
            self._writer.__exit__(kind, error, trace)

    def state(self) -> dict[str, Any]:
        """Return how far the worker is, and the current task with its form."""
        with self._lock, told():
            return self._state()

    def save_draft(self, sent: SaveDraft) -> dict[str, Any]:
        """Keep a form that is not sent yet."""
        with self._lock, told():
            self._current(sent.task_id)
            try:
                draft = self._shelf.save(sent.task_id, sent.form, revision=sent.revision, tab=sent.tab)
            except StaleDraftError as error:
                raise _stale(error.current) from error
            return {"revision": draft.revision}

    def submit(self, sent: Submit) -> dict[str, Any]:
        """Answer the current task; the answer is in the log when this returns.

        The visit is written first, then the event, then the form is forgotten. Whatever breaks off in between, the same
        can be sent again, and is one event.
        """
        with self._browsing, told():
            with self._lock:
                event = self._standing(sent.task_id)
                task = self._current(sent.task_id) if event is None else None
            pages = {} if task is None else self._pages(task)
            with self._lock:
                if event is not None:
                    self._again(event, sent)
                elif task is not None:
                    self._answer(task, sent, pages)
                return {"state": self._state()}

    def undo(self, sent: Undo) -> dict[str, Any]:
        """Take the last answer back, and open its task again as it was.

        Form and visit are laid out first, then the event is written; until then they stand beside the answer unseen.
        """
        with self._browsing, self._lock, told():
            finished, _ = page_counts(self._project.plan, self._project.events(), self._worker)
            if sent.done not in (None, finished):
                raise RefusedError(409, "An answer was taken back or given meanwhile: load the page anew.")
            task = can_withdraw(self._project.plan, self._project.events(), self._worker.name)
            event = self._standing(task.task_id) if task is not None else None
            if task is None or event is None:
                raise RefusedError(409, NOTHING_TO_TAKE_BACK)
            if event.visit_file is not None and self._visits is not None:
                self._visits.reopen(task.task_id, event.visit_file)
            self._shelf.lay_out(task.task_id, answered_form(self._project.folder, event))
            try:
                self._writer.append(unsealed(self._project.plan, task, None))
            except ConfigError as error:
                raise RefusedError(409, str(error)) from error
            return {"state": self._state()}

    def view(self) -> dict[str, Any]:
        """Return the current view of the current task's visit, which begins here if it has not."""
        with self._browsing, told():
            return self._visit(self._task()).view().model_dump(mode="json")

    def act(self, sent: Act) -> dict[str, Any]:
        """Carry out an action on the page and return the view then."""
        with self._browsing, told():
            return self._visit(self._task(sent.task_id)).act(sent.action, sent.step).model_dump(mode="json")

    def restart(self, sent: OnTask) -> dict[str, Any]:
        """Begin the visit anew."""
        with self._browsing, told():
            task = self._task(sent.task_id)
            visit = self._sight.restart(task.task_id, task.item_id, self._sites[task.item_id])
            return visit.view().model_dump(mode="json")

    def pin(self, sent: MakePin) -> dict[str, Any]:
        """Return a pin on a place of the page, with its words and its thumbnail."""
        with self._browsing, told():
            visit = self._visit(self._task(sent.task_id))
            pin = visit.pin(sent.step, element_id=sent.element_id, region=sent.region, line=sent.line)
            with self._lock:
                self._pinned.add(pin.thumbnail)
            return {"pin": pin.model_dump(mode="json")}

    def picture(self, task_id: str, step: int) -> tuple[bytes, str]:
        """Return the picture of a step of the current task's visit, and its media type."""
        with told():
            task = self._task(task_id)
            try:
                if (visit := self._sight.shown(task.task_id)) is not None:
                    return visit.picture(step), PICTURE_TYPE
                with self._browsing:
                    return self._visit(self._task(task_id)).picture(step), PICTURE_TYPE
            except PinRefusedError as error:
                raise RefusedError(404, str(error)) from error

    def thumbnail(self, name: str) -> tuple[bytes, str]:
        """Return a thumbnail that this worker was given, and its media type."""
        with self._lock, told():
            if not _THUMBNAIL.fullmatch(name) or name not in self._may_see():
                raise RefusedError(404, "There is no such thumbnail here.")
            return self._sight.pictures.read(name), PICTURE_TYPE

    @property
    def _sight(self) -> VisitDesk:
        if self._visits is None:
            raise RefusedError(404, "This project has no sites to look at.")
        return self._visits

    def _visit(self, task: Task) -> Visit:
        return self._sight.visit(task.task_id, task.item_id, self._sites[task.item_id])

    def _task(self, task_id: str | None = None) -> Task:
        """Return the current task to who browses and has no need of the lock for forms and log."""
        with self._lock:
            return self._current(task_id)

    def _current(self, task_id: str | None = None) -> Task:
        """Return the current task; refused where another one is meant."""
        task = self._project.current(self._worker.name)
        if task is None or task_id not in (None, task.task_id):
            raise gone()
        return task

    def _standing(self, task_id: str) -> Event | None:
        """Return the worker's own answer to a task, if it was not taken back."""
        last = None
        for event in self._project.events():
            if (event.worker, event.task_id) == (self._worker.name, task_id):
                last = event
        return last if last is not None and last.kind == "answered" else None

    def _answer(self, task: Task, sent: Submit, pages: Mapping[int, ObservedPage]) -> None:
        draft = self._shelf.form(task.task_id)
        if draft is not None and draft.revision != sent.revision and draft.form != sent.form:
            raise _stale(draft)
        seconds = None if sent.seconds is None else min(max(sent.seconds, 0.0), MOST_SECONDS)
        answer, visit = self._written(task, sent.form, pages, seconds)
        try:
            self._writer.append(unsealed(self._project.plan, task, answer, visit=visit, seconds=seconds))
        except ConfigError as error:
            raise RefusedError(410, str(error)) from error
        self._forget(task.task_id)

    def _written(
        self, task: Task, form: Mapping[str, Any], pages: Mapping[int, ObservedPage], seconds: float | None
    ) -> tuple[Answer, VisitFile | None]:
        """Return the answer of a form, and the file that its visit was written to, ``None`` where there was none."""
        with _problems():
            if self._project.plan.subject == "pairs":
                return pair_answer(form), None
            answer = site_answer(form, pages)
        return answer, self._sight.keep(task.task_id, answer.report(), seconds) if pages else None

    def _pages(self, task: Task) -> Mapping[int, ObservedPage]:
        if self._project.plan.subject == "pairs" or self._sight.is_shut(task.task_id):
            return {}
        try:
            return self._visit(task).pages
        except VisitClosedError:
            return {}  # A site that cannot be opened can still be called INACCESSIBLE.

    def _again(self, event: Event, sent: Submit) -> None:
        """Grant what was granted already, and clear away what a crash may have left; refuse another answer."""
        try:
            if event.site_answer is not None:
                kept = event.visit_file
                seen = {} if kept is None else self._sight.store.read(kept).trajectory.browse_steps()
                same = site_answer(sent.form, seen) == event.site_answer
            else:
                same = pair_answer(sent.form) == event.pair_answer
        except FormError:
            same = False
        if not same:
            raise gone()
        self._forget(event.task_id)

    def _forget(self, task_id: str) -> None:
        if self._visits is not None:
            self._visits.settle(task_id)
        self._shelf.clear(task_id)

    def _state(self) -> dict[str, Any]:
        plan, events, name = self._project.plan, self._project.events(), self._worker.name
        finished, total = page_counts(plan, events, self._worker)
        task = self._project.current(name)
        return {
            "worker": name,
            "role": self._worker.role,
            "subject": plan.subject,
            "done": finished,
            "total": total,
            "complete": self._is_complete(),
            "task": None if task is None else self._task_view(task, finished + 1),
            "can_undo": can_withdraw(plan, events, name) is not None,
        }

    def _is_complete(self) -> bool:
        """Whether every item has its label; told to nobody who could learn from it what others have answered."""
        if self._worker.role != "coordinator" and len(self._project.plan.workers) > 1:
            return False
        return all(state.status == "settled" for state in self._project.states().values())

    def _task_view(self, task: Task, number: int) -> dict[str, Any]:
        draft = self._shelf.form(task.task_id) or Draft(task_id=task.task_id, revision=0)
        pair = self._pairs.get(task.item_id)
        blank = SiteForm() if pair is None else PairForm()
        what = "label" if pair is None else "pair"
        settles = task.layer == "adjudication"
        return {
            "task_id": task.task_id,
            "kind": what if not settles else "adjudicate" if pair is None else "adjudicate_pair",
            "number": number,
            "draft": {
                "revision": draft.revision,
                "tab": draft.tab,
                "form": {**blank.model_dump(mode="json"), **draft.form},
            },
            "answers": self._answers(task) if settles else None,
            "pair": None if pair is None else shown(pair),
        }

    def _answers(self, task: Task) -> list[dict[str, Any]]:
        answers = shown_answers(self._project.folder, task, self._project.states()[task.item_id])
        self._shown = task.task_id, {pin["thumbnail"] for each in answers for pin in each["form"].get("pins", ())}
        return answers

    def _may_see(self) -> Collection[str]:
        """Return the thumbnails that this worker has pinned, or is shown with the answers of the current task."""
        task = self._project.current(self._worker.name)
        if task is None:
            return self._pinned
        if task.layer == "adjudication" and self._shown[0] != task.task_id:
            self._answers(task)
        draft = self._shelf.form(task.task_id)
        own = draft.form.get("pins") if draft is not None else None
        # Drafts are kept as they come.
        kept = {str(pin.get("thumbnail")) for pin in own if isinstance(pin, dict)} if isinstance(own, list) else set()
        return self._pinned | kept | (self._shown[1] if self._shown[0] == task.task_id else set())


def find_worker(project: Project, name: str) -> Worker:
    """Return a worker of a project.

    Raises:
        UnknownNameError: The plan has none of that name; the message names those that it has.
    """
    workers = {worker.name: worker for worker in project.plan.workers}
    if name not in workers:
        known = ", ".join(f"{worker.name} ({worker.role})" for worker in workers.values())
        raise UnknownNameError(f"The plan of {project.folder} has no '{name}'. It has: {known}.")
    return workers[name]


@contextmanager
def _problems() -> Iterator[None]:
    try:
        yield
    except FormError as error:
        raise RefusedError(422, "The form is not complete yet.", problems=error.problems) from error


def _stale(current: Draft) -> RefusedError:
    said = "Another tab has saved this form meanwhile: take its form, or keep yours."
    return RefusedError(409, said, **current.model_dump(mode="json", include={"revision", "tab", "form"}))
