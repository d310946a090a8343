"""The visits of one worker: one browser, one site at a time, and what an earlier server had on is taken up again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from riskchain_gym.annotation.human_visit import OpenVisit
from riskchain_gym.annotation.pictures import MEDIA, Pictures
from riskchain_gym.annotation.site_chain import SiteChain
from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.visit import Visit, VisitSetup
from riskchain_gym.annotation.visit_errors import VisitClosedError
from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.benchmark.labels.events import VisitFile
from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.factory import make_backend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.report import Report
from riskchain_gym.sites.replay.model import AnySite

ACT_DEADLINE_S, OPEN_DEADLINE_S, CAPTURE_DEADLINE_S, LOAD_TIMEOUT_MS = 20.0, 20.0, 10.0, 15_000
"""How long one action, one opening, one picture and one document may take: less than agents are given, because a person
waits before it. What has hung once is not tried again in the same place."""

BackendFactory = Callable[[EnvConfig, TypedValues], BrowseBackend]
"""Makes the browser of a workbench."""


def human_config() -> EnvConfig:
    """Return the settings of a person's visit, ``envs/human.toml``: no reward, and so no gold."""
    return resolve_config("browse", "human", {"reward": "none"})


def human_backend(config: EnvConfig, typed: TypedValues) -> BrowseBackend:
    """Return the agents' own browser, which tells what it types by length and hash; it starts with the first site.

    Args:
        config: Names the backend and the viewport; one without a browser types nothing that is known here.
        typed: What it tells of typed values.

    Raises:
        MissingExtraError: A package it needs is not installed.
        BrowserUnavailableError: No Chromium was found.
    """
    if config.backend != "chromium":
        return make_backend(config, config.observe)
    from riskchain_gym.envs.backends.chromium import ChromiumBackend
    from riskchain_gym.envs.browser.settings import BrowserSettings

    chromium = ChromiumBackend(
        BrowserSettings(
            screenshot_format=config.screenshot_format,
            act_deadline_s=ACT_DEADLINE_S,
            open_deadline_s=OPEN_DEADLINE_S,
            capture_deadline_s=CAPTURE_DEADLINE_S,
            load_timeout_ms=LOAD_TIMEOUT_MS,
        ),
        viewport=config.viewport,
        modalities=frozenset(config.observe),
        session=typed.session,
    )
    return RecoveringBackend(chromium, queued=chromium.queued_s, retry_deadlines=False)


class VisitDesk:
    """Shows one site at a time to one worker; safe to call from any thread.

    The order of an answer: :meth:`keep` the visit, append the event that names its file, then :meth:`settle`. Whatever
    breaks off in between, the answer can be sent again, and a visit that no event names counts for nothing.

    Args:
        project: Folder of the labelling project.
        worker: Whose visits.
        config: The settings of visits.
        backend: Makes the browser.
    """

    def __init__(
        self,
        project: Path,
        worker: str,
        config: EnvConfig | None = None,
        backend: BackendFactory = human_backend,
    ) -> None:
        self.worker = worker
        self.config = config or human_config()
        self.store = VisitStore(project, worker)
        self.pictures = Pictures(project / MEDIA)
        self._typed = TypedValues()
        self._backend = backend(self.config, self._typed)
        self._visit: Visit | None = None
        self._shut = ""
        self._lock = threading.RLock()

    def visit(self, task_id: str, item_id: str, site: AnySite) -> Visit:
        """Return the visit of a task: the one that is on, the one that an earlier server had on, or a new one.

        Args:
            task_id: The task.
            item_id: Id of its item.
            site: The site of the item.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            VisitClosedError: The site could not be opened; ask again, or restart.
            DamagedRecordError: What an earlier server wrote was changed since: restart.
            InputFileError: It cannot be read.
        """
        with self._lock:
            if self._visit is None or self._visit.task_id != task_id:
                # The browser is about to show another site, whatever comes of it.
                self._visit = None
                earlier = self.store.load(task_id)
                self._visit = self._begin(task_id, item_id, site) if earlier is None else self._resume(earlier, site)
            return self._visit

    def shown(self, task_id: str) -> Visit | None:
        """Return the visit of a task if it is on; never waits for the browser."""
        visit = self._visit
        return visit if visit is not None and visit.task_id == task_id else None

    def is_shut(self, task_id: str) -> bool:
        """Return whether the site of a task could not be opened when it was last tried."""
        return self._shut == task_id

    def restart(self, task_id: str, item_id: str, site: AnySite) -> Visit:
        """Begin the visit of a task anew; the old one is kept as ``ABORTED``, and pins of it are void.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            VisitClosedError: The site could not be opened; restart again.
        """
        with self._lock:
            old = self._earlier(task_id)
            self._visit = None
            if old is not None:
                self.store.keep(old.aborted(_versions()))
                self.store.drop(task_id)
            self._visit = self._begin(task_id, item_id, site)
            return self._visit

    def keep(self, task_id: str, report: Report, seconds: float | None = None) -> VisitFile:
        """Write the visit of a task with its report and return its file for the event; the visit stays open.

        Args:
            task_id: The task, whose visit is on.
            report: The person's answer as a report.
            seconds: Wall time of the task while it was in use.

        Raises:
            LookupError: The visit of another task is on.
            ReportRefusedError: The report cites what was not shown.
            OSError: It cannot be written.
        """
        with self._lock:
            if self._visit is None or not self._is_on(task_id):
                raise LookupError(f"The visit of task '{task_id}' is not on: look at it first.")
            ended = self._visit.ended(report, seconds)
            return self.store.keep(ended.model_copy(update={"versions": _versions()}))

    def settle(self, task_id: str) -> None:
        """Forget the open visit of a task, for its answer is in the log."""
        with self._lock:
            if self._is_on(task_id):
                self._visit = None
            self.store.drop(task_id)

    def reopen(self, task_id: str, kept: VisitFile) -> None:
        """Open a visit that has ended again, for an answer that was taken back; :meth:`visit` goes on with it.

        Args:
            task_id: The task.
            kept: File of the visit, as the event gave it.

        Raises:
            InputFileError: It cannot be read, or was changed.
        """
        with self._lock:
            if self._is_on(task_id):
                self._visit = None
            self.store.save(self.store.read(kept).reopened())

    def close(self) -> None:
        """Release the browser; idempotent. Visits stay on disk and are taken up by whoever comes next."""
        with self._lock:
            self._visit = None
            self._backend.close()

    def _is_on(self, task_id: str) -> bool:
        return self._visit is not None and self._visit.task_id == task_id

    def _earlier(self, task_id: str) -> OpenVisit | None:
        """Return the visit that a restart breaks off; one that cannot be read is set aside."""
        if self._visit is not None and self._visit.task_id == task_id:
            return self._visit.snapshot()
        try:
            return self.store.load(task_id)
        except InputFileError:
            self.store.set_aside(task_id)
            return None

    def _begin(self, task_id: str, item_id: str, site: AnySite) -> Visit:
        try:
            begun = Visit.begin(self.worker, task_id, SiteChain(item_id, site), self._setup())
        except VisitClosedError:
            self._shut = task_id
            raise
        self._shut = ""
        return begun

    def _resume(self, earlier: OpenVisit, site: AnySite) -> Visit:
        return Visit.resume(earlier, SiteChain(earlier.item_id, site), self._setup())

    def _setup(self) -> VisitSetup:
        return VisitSetup(self._backend, self.store, self.pictures, self.config, self._typed)


def _versions() -> dict[str, str]:
    import riskchain_gym

    found = {"riskchain-gym": riskchain_gym.__version__}
    for package in ("gymnasium", "playwright", "pillow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
