"""A visit: one person on one site, as an episode of the environment that agents play, without gold or reward."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from riskchain_gym.annotation.deed import deed_of
from riskchain_gym.annotation.human_visit import Completion, HumanVisit, OpenVisit, TypedInput
from riskchain_gym.annotation.pictures import Pictures
from riskchain_gym.annotation.pins import Pin, place_pin
from riskchain_gym.annotation.playback import DamagedRecordError, episode_on, play
from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.view import View, VisitState, view_of
from riskchain_gym.annotation.visit_errors import (
    ActionRefusedError,
    PageHungError,
    PinRefusedError,
    ReportRefusedError,
    StaleStepError,
    VisitClosedError,
)
from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.cases import Chain
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.protocol.action import ActionKind, ActionStatus, BrowserAction
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Region, Report
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.citations import citation_problem

SEEN_BY_PEOPLE = ("screenshot",)
"""The modalities of a person's trajectory: they are shown the viewport and nothing else of a page."""

_TYPED = frozenset({ActionStatus.EXECUTED, ActionStatus.NO_STATE_CHANGE})
_RESTART = "What was seen until then can be cited; restart the visit to look further."


@dataclass(frozen=True)
class VisitSetup:
    """What visits are made with.

    Attributes:
        backend: The browser.
        store: Where visits are written.
        pictures: Where their pictures are.
        config: The settings, :func:`~riskchain_gym.annotation.visiting.human_config` in a workbench.
        typed: What ``backend`` tells of typed values.
    """

    backend: BrowseBackend
    store: VisitStore
    pictures: Pictures
    config: EnvConfig
    typed: TypedValues


class Visit:
    """One person's browsing of one site; made by :meth:`begin` or :meth:`resume`, safe to call from any thread.

    The backend shows one site at a time: it must not be used for another visit while this one goes on. After every
    action the visit so far is on disk, so whatever becomes of browser or server, no step and no pin is lost.

    Args:
        open_visit: Whose visit to what, and what is known of it.
        chain: The site.
        setup: What it is browsed with, and where it is kept.

    Attributes:
        task_id: The task.
        state: Whether browsing goes on.
    """

    def __init__(self, open_visit: OpenVisit, chain: Chain, setup: VisitSetup) -> None:
        self.task_id = open_visit.task_id
        self.state: VisitState = "open"
        self._notice = ""
        self._record = open_visit
        self._chain = chain
        self._backend = setup.backend
        self._store = setup.store
        self._pictures = setup.pictures
        self._config = setup.config
        self._typed = setup.typed
        self._lock = threading.RLock()
        self._machine = self._landed()

    @classmethod
    def begin(cls, worker: str, task_id: str, chain: Chain, setup: VisitSetup) -> Visit:
        """Open a site for the first time, or anew.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            VisitClosedError: The site could not be opened or the visit not written; nothing is lost, try again.
        """
        blank = OpenVisit(
            worker=worker,
            task_id=task_id,
            item_id=chain.chain_id,
            trajectory=Trajectory(
                chain_id=chain.chain_id, variant="", protocol=setup.config.protocol, status=EpisodeStatus.RUNNING
            ),
        )
        visit = cls(blank, chain, setup)
        if not visit._machine.valid:
            cause = visit._machine.recorder.infra_cause
            raise VisitClosedError(cause, f"The site could not be opened ({cause}): try again, or restart the visit.")
        visit._write_down(None)
        return visit

    @classmethod
    def resume(cls, snapshot: OpenVisit, chain: Chain, setup: VisitSetup) -> Visit:
        """Go on with a visit of an earlier server: every action is done again, and every page compared with the record.

        Where a page is another one than before, or the browser fails, browsing is closed and the record stays: see
        :attr:`state`.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            DamagedRecordError: The record was changed after it was written.
        """
        visit = cls(snapshot, chain, setup)
        visit._catch_up()
        return visit

    @property
    def step(self) -> int:
        """Number of the current observation."""
        return len(self._record.media) - 1

    @property
    def pages(self) -> Mapping[int, ObservedPage]:
        """Observed pages by browse step, as they were."""
        with self._lock:
            return dict(self._machine.recorder.pages)

    def snapshot(self) -> OpenVisit:
        """Return the visit so far; it is what is on disk."""
        return self._record

    def view(self) -> View:
        """Return the current view."""
        with self._lock:
            steps, pages = self._record.trajectory.steps, self._machine.recorder.pages
            return view_of(
                pages[self.step],
                task_id=self.task_id,
                step=self.step,
                viewport=self._config.viewport,
                feedback=steps[-1].feedback if steps else "",
                last=deed_of(steps[-1], pages) if steps else None,
                state=self.state,
                notice=self._notice,
            )

    def act(self, action: BrowserAction, step: int) -> View:
        """Carry out one action and return what is seen then.

        Args:
            action: Any but ``stop``, which belongs to the answer; a person's own words in it are not kept.
            step: Number of the view that the person has acted on.

        Raises:
            StaleStepError: Another tab has gone on; nothing was done.
            ActionRefusedError: The page does not take it; nothing was done and nothing is written down.
            PageHungError: The page has not answered in time; the action is undone, and nothing of it is written down.
            VisitClosedError: Browsing is closed, or has just been by a failure; what was seen stays.
        """
        with self._lock:
            if self.state != "open":
                raise VisitClosedError(self.state, self._notice)
            if step != self.step:
                raise StaleStepError(self.view(), step)
            self._refuse_unfit(action)
            bare = action.model_copy(update={"reason": "", "visual_observations": ()})
            try:
                self._machine.act(bare.model_dump_json(exclude_defaults=True))
                if hung := self._machine.recorder.infra_cause == "deadline":
                    # Another try would hang as well: go back to where the record ends.
                    self._machine = self._landed()
                    self._catch_up()
            except BaseException:
                # Half a step may be done, so nothing can be built on it.
                self._close("lost", "interrupted", "The action was broken off.")
                raise
            if self.state != "open":
                raise VisitClosedError(self.state, self._notice)
            if hung:
                raise PageHungError(
                    f"The page did not answer '{action.action}' in time, so that was not done, and the page before is "
                    "shown again: do something else there, or restart the visit."
                )
            if not self._machine.valid:
                cause = self._machine.recorder.infra_cause
                self._close("lost", cause, f"The browser failed and could not be brought back ({cause}).")
                raise VisitClosedError(cause, self._notice)
            self._write_down(action)
            return self.view()

    def picture(self, step: int) -> bytes:
        """Return the viewport at a browse step, WebP (:data:`~riskchain_gym.annotation.pictures.PICTURE_TYPE`).

        Raises:
            PinRefusedError: There is no such step.
            InputFileError: Its file is missing or was changed.
        """
        # No lock: it is there while an action is under way, too.
        return self._pictures.read(self._picture_name(step))

    def pin(
        self, step: int, *, element_id: str | None = None, region: Region | None = None, line: int | None = None
    ) -> Pin:
        """Return a pin on one thing that was in view, quoted from the page, with a thumbnail.

        Args:
            step: Browse step at which it was seen, the current one or an earlier one.
            element_id: An element of that step, or the key of a picture.
            region: A part of the document, in CSS pixels.
            line: A line of that step, counted from 0.

        Raises:
            PinRefusedError: There is no such place, or it was not in view.
            InputFileError: The picture of that step is missing.
        """
        with self._lock:
            pin, box = place_pin(
                self._machine.recorder.pages,
                self._config.viewport,
                step,
                element_id=element_id,
                region=region,
                line=line,
            )
            if box is None:
                return pin
            thumbnail = self._pictures.thumbnail(self._picture_name(step), box)
            return pin.model_copy(update={"thumbnail": thumbnail})

    def finish(self, report: Report) -> Trajectory:
        """Return the trajectory of the visit with its end: ``stop``, then the report.

        Where browsing was closed by a failure, the stop says ABSTAIN and is nobody's early one.

        The visit itself stays as it is, so an answer that cannot be stored after all costs nothing.

        Raises:
            ReportRefusedError: The report cites what was not shown.
        """
        with self._lock:
            pages = self._machine.recorder.pages
            for name, cited in (("evidence", report.evidence), ("counterevidence", report.counterevidence)):
                for i, citation in enumerate(cited):
                    if (problem := citation_problem(citation, pages)) is not None:
                        raise ReportRefusedError(f"{name}.{i}: {problem}: pin it again.")
            machine = play(self._record.trajectory, self._chain, self._config)
            whole = self.state == "open"
            machine.act(f'{{"action":"stop","stop_status":"{"COMPLETE" if whole else "ABSTAIN"}"}}')
            machine.act(report.model_dump_json(exclude_defaults=True))
            ended = machine.recorder.trajectory()
            if ended.status is not EpisodeStatus.REPORTED:
                raise ReportRefusedError(f"The report was not taken: {machine.feedback}")
            # Whose browsing was cut off has not stopped too early.
            failures = [each for each in ended.failures if whole or each.kind is not FailureKind.EARLY_STOP]
            return ended.model_copy(update={"modalities": SEEN_BY_PEOPLE, "failures": tuple(failures)})

    def abort(self) -> Trajectory:
        """Return the trajectory of a visit that is broken off: what there is, still ``running``."""
        return self._record.trajectory

    def ended(self, report: Report, seconds: float | None = None) -> HumanVisit:
        """Return the visit as it is kept with an answer.

        Args:
            report: The person's report.
            seconds: Wall time of the task while it was in use.

        Raises:
            ReportRefusedError: The report cites what was not shown.
        """
        with self._lock:
            completion: Completion = "COMPLETE" if self.state == "open" else "PARTIAL"
            return self._record.ended(self.finish(report), completion, seconds=seconds)

    def _landed(self) -> Machine:
        clock = self._backend.clock if isinstance(self._backend, RecoveringBackend) else time.monotonic
        return Machine("browse", self._config, episode_on(self._chain, self._config), self._backend, clock)

    def _catch_up(self) -> None:
        """Play the record in the browser; where they part, go on with the record alone."""
        recorded = self._record.trajectory
        machine = self._machine
        if machine.valid and machine.recorder.trajectory().landing != recorded.landing:
            self._close("diverged", "diverged", "The site's landing page is not the one it was.")
            return
        for step in recorded.steps:
            if not machine.valid:
                break
            machine.act(step.action)
            if machine.valid and (machine.recorder.last is None or machine.recorder.last.hash != step.hash):
                self._close("diverged", "diverged", f"Done again, step {step.browse_step} shows another page.")
                return
        if not machine.valid:
            cause = machine.recorder.infra_cause
            self._close("lost", cause, f"The browser failed while the visit was taken up again ({cause}).")

    def _refuse_unfit(self, action: BrowserAction) -> None:
        if action.action is ActionKind.STOP:
            raise ActionRefusedError("A visit ends with the answer: send that.")
        if self._machine.steps_left <= 1:
            raise ActionRefusedError(f"The visit has used its {self.step} actions: answer now, or restart it.")
        assert self._machine.browsing is not None
        try:
            self._machine.browsing.check(action)
        except InvalidActionError as error:
            raise ActionRefusedError(error.sentence) from error

    def _write_down(self, action: BrowserAction | None) -> None:
        """Put the last step on disk, picture first; without that it has not happened."""
        machine, record = self._machine, self._record
        assert machine.browsing is not None
        assert machine.browsing.screenshot is not None
        step = max(machine.recorder.pages)
        inputs, last = record.inputs, machine.recorder.last
        typed = self._typed.last if action is not None and action.action is ActionKind.FILL else None
        # A fill that went wrong typed nothing, though a replay before it may have.
        if typed is not None and last is not None and last.result.status in _TYPED:
            inputs = (*inputs, TypedInput(step=step, **typed.model_dump()))
        try:
            name = self._pictures.keep(machine.browsing.screenshot)
            seen = {"modalities": SEEN_BY_PEOPLE, "egress": self._backend.egress()}
            trajectory = machine.recorder.trajectory().model_copy(update=seen)
            update = {"trajectory": trajectory, "inputs": inputs, "media": {**record.media, str(step): name}}
            written = record.model_copy(update=update)
            self._store.save(written)
        except (OSError, UnicodeEncodeError) as error:
            problem = "The visit could not be written: the page holds text that no file can hold."
            if isinstance(error, OSError):
                problem = f"The visit could not be written ({error.strerror}): make room on the disk."
            if action is not None:
                self._close("lost", "storage", problem)
            raise VisitClosedError("storage", self._notice or problem) from error
        self._record = written

    def _close(self, state: VisitState, cause: str, problem: str) -> None:
        """Go on without the browser, from the record, as if nothing had been done since."""
        self.state, self._notice = state, f"{problem} {_RESTART}"
        try:
            self._machine = play(self._record.trajectory, self._chain, self._config)
        except DamagedRecordError:
            self._notice = f"{problem} Its record ({cause}) is damaged: restart the visit."
            raise

    def _picture_name(self, step: int) -> str:
        name = self._record.media.get(str(step))
        if name is None:
            raise PinRefusedError(f"There is no step {step} in this visit, its steps are 0 to {self.step}.")
        return name
