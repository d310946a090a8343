"""One browser with its sandbox server and owner thread, shared by all backends of a process that want the same one."""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from riskchain_gym.envs.backends.worker import (
    QUEUE_S,
    OwnerThread,
    WorkerBusyError,
    WorkerGoneError,
    WorkerTimeoutError,
)
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.host_name import opaque_host
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.sites.server import SandboxServer

R = TypeVar("R")

_log = logging.getLogger(__name__)

_WEIGHED_EVERY = 20
"""Memory is looked at once in so many sites: it takes as long as a tenth of showing one."""


@dataclass(frozen=True)
class PageKind:
    """What is read with every page, and so how the page is set up.

    Attributes:
        with_axtree: Whether the accessibility tree is read.
        with_browsergym: Whether all is read that observations of browsergym-core hold.
    """

    with_axtree: bool
    with_browsergym: bool


class BrowserHub:
    """A browser that several backends use, one call at a time; it ends when the last of them has left.

    A browser that fails is lost for all of them: each learns it at its next call. Made by :func:`enter_hub`.

    Args:
        settings: Flags, binary and time limits.
        server: The sandbox server; it belongs to the hub from here on.

    Attributes:
        server: That server.
        process: The browser's processes.
    """

    def __init__(self, settings: BrowserSettings, server: SandboxServer) -> None:
        self.server = server
        self.process = BrowserProcess(server.port, settings)
        self._settings = settings
        self._thread = OwnerThread("riskchain-browser", self._prepare)
        self._owner_pid = os.getpid()
        self._starting = threading.Lock()
        self._has_started = False
        self._shown = 0
        self._is_worn = False
        self._users = 0
        self._closed = False
        # These belong to the owner thread.
        self._in_use: Counter[PageKind] = Counter()
        self._spares: dict[PageKind, Episode] = {}
        self._retired: list[Episode] = []
        self._left_over: list[Callable[[], None]] = []

    @property
    def is_foreign(self) -> bool:
        """Whether this process was forked off after the hub was made: thread and browser stayed with the parent."""
        return os.getpid() != self._owner_pid

    @property
    def is_closed(self) -> bool:
        """Whether it has ended."""
        return self._closed

    @property
    def is_worn(self) -> bool:
        """Whether it has shown so many sites and messages, or takes so much memory, that a new one is due."""
        if not self._is_worn:
            weighs = self._shown > 0 and self._shown % _WEIGHED_EVERY == 0
            self._is_worn = self._shown >= self._settings.recycle_episodes or (
                weighs and self.process.memory_mib() > self._settings.recycle_mib
            )
        return self._is_worn

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller is on the owner thread, which must not wait for itself."""
        return self._thread.is_current

    def start(self) -> bool:
        """Start the browser, or wait until another backend has; return whether it was started by this call.

        Raises:
            BrowserUnavailableError: There is none, or it does not start.
            WorkerTimeoutError: It took too long.
        """
        with self._starting:
            if self._has_started:
                return False
            try:
                self.call(self.process.start, self._settings.launch_deadline_s)
            except BaseException as error:
                self.close(is_stuck=isinstance(error, WorkerTimeoutError))
                raise
            self._has_started = True
            return True

    def new_page(self, kind: PageKind, old: Episode | None) -> Episode:
        """Return a page for one more site in place of the last one; on the owner thread only.

        Making and ending pages takes longer than showing a site on one. A page of every kind in use is therefore made
        ahead, and old ones are ended, while the browser has nothing else to do; who leaves it no such time waits for
        both.

        Args:
            kind: What the page is set up for.
            old: The page that is no longer needed, of the same kind.
        """
        self.count_shown()
        spare = self._spares.pop(kind, None)
        if spare is not None and not spare.is_alive():
            self._retired.append(spare)
            spare = None
        if spare is None and old is not None:
            self._in_use[kind] -= 1
            old.close()
            old = None
        page = self._make(kind) if spare is None else spare
        if old is None:
            self._in_use[kind] += 1
        else:
            self._retired.append(old)
        return page

    def end_page(self, kind: PageKind, page: Episode) -> None:
        """End a page without another in its place; on the owner thread only."""
        self._in_use[kind] -= 1
        if self._in_use[kind] <= 0 and kind in self._spares:
            self._retired.append(self._spares.pop(kind))
        page.close()

    def count_shown(self) -> None:
        """Count something shown in the browser, a site or a message; on the owner thread only."""
        self._shown += 1

    def end_later(self, job: Callable[[], None]) -> None:
        """Leave a job to the owner thread's next idle time, after the call that it is busy with, or the next.

        Nobody learns what comes of it.
        """
        self._left_over.append(job)

    def _make(self, kind: PageKind) -> Episode:
        return Episode(
            self.process.browser,
            opaque_host(),
            self._settings,
            with_axtree=kind.with_axtree,
            with_browsergym=kind.with_browsergym,
        )

    def _prepare(self) -> bool:
        """Do one thing that saves time later, if there is one, and say so: a call that comes meanwhile waits for it."""
        if self._closed:
            return False
        if self._left_over:
            self._left_over.pop()()
            return True
        if self._retired:
            self._retired.pop().close()
            return True
        is_wanted = self._settings.spare_page and self._settings.headless  # a spare window would be seen
        for kind in [kind for kind, users in self._in_use.items() if users > 0 and kind not in self._spares]:
            if is_wanted:
                self._spares[kind] = self._make(kind)
                return True
        return False

    def call(self, job: Callable[[], R], deadline_s: float, *, queue_s: float = QUEUE_S) -> R:
        """Run a job on the owner thread, after those of other backends.

        Args:
            job: What to run.
            deadline_s: How long it may run, in seconds, from when its turn has come.
            queue_s: How long to wait for its turn.

        Raises:
            WorkerTimeoutError: It has not ended in time.
            WorkerBusyError: Its turn has not come; the browser is in use, and as well as before.
            WorkerGoneError: The browser has ended, or the hub is closed.
        """
        return self._thread.call(job, deadline_s, self._is_well, queue_s=queue_s)

    def _is_well(self) -> bool:
        self.process.kill_gluttons(self._settings.page_memory_mib)
        return self.process.is_running()

    def enter(self) -> None:
        """Note one more user."""
        with _lock:
            self._users += 1

    def leave(self) -> None:
        """Note that a user has gone; the last one ends the browser."""
        with _lock:
            self._users -= 1
            # Decided and noted at once: whoever enters later finds it closed, and whoever entered before keeps it open.
            is_last = self._users == 0 and self._mark_closed()
        if is_last:
            self._end(is_stuck=False)

    def close(self, *, is_stuck: bool = False) -> None:
        """End everything that was started here; idempotent, and without effect in a forked child.

        A browser that hangs is killed, a driver that does not end in time too.

        Args:
            is_stuck: Whether the owner thread hangs in a call.
        """
        with _lock:
            is_due = self._mark_closed()
        if is_due:
            self._end(is_stuck=is_stuck)

    def _mark_closed(self) -> bool:
        if self._closed or self.is_foreign:
            return False
        self._closed = True
        return True

    def _end(self, *, is_stuck: bool) -> None:
        if is_stuck:
            self.process.kill_browser()
        try:
            limit_s = self._settings.close_deadline_s
            self._thread.call(self.process.close, limit_s, self.process.is_driver_running, queue_s=limit_s)
        except (WorkerTimeoutError, WorkerBusyError, WorkerGoneError) as error:
            _log.debug("The browser does not end (%r) and is killed.", error)
            self.process.kill()
            self._thread.abort()
        except Exception as error:  # noqa: BLE001 - Playwright raises plain exceptions too; what follows kills it
            _log.debug("The browser did not end by itself (%r) and is killed.", error)
        self._thread.stop(self._settings.close_deadline_s)
        self.process.kill()
        self.server.close()


def enter_hub(settings: BrowserSettings, server: Callable[[], SandboxServer]) -> BrowserHub:
    """Return the hub of this process for some settings, made now if there is none; the caller has to leave it.

    Args:
        settings: Flags, binary and time limits.
        server: Starts the sandbox server. A hub with another than the usual one is not shared.
    """
    if server is not SandboxServer:
        hub = BrowserHub(settings, server())
        hub.enter()
        return hub
    with _lock:
        shared = _hubs.get(settings)
        if shared is None or shared.is_closed or shared.is_worn:
            shared = _hubs[settings] = BrowserHub(settings, server())
        shared.enter()
        return shared


def kill_browsers() -> None:
    """Kill every browser of this process, which is about to end, and remove what they leave behind."""
    for hub in list(_hubs.values()):
        hub.process.kill()


# Re-entrant: what holds it may be interrupted by the collection of a backend, which leaves its hub.
_lock = threading.RLock()
_hubs: dict[BrowserSettings, BrowserHub] = {}


def _start_over() -> None:
    # A forked child has neither the parent's threads nor its browsers, and another thread may have held the lock.
    global _lock
    _lock = threading.RLock()
    _hubs.clear()


os.register_at_fork(after_in_child=_start_over)
