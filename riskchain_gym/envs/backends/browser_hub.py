"""One browser with its sandbox server and owner thread, shared by all backends of a process that want the same one."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from riskchain_gym.envs.backends.worker import OwnerThread, WorkerGoneError, WorkerTimeoutError
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.sites.server import SandboxServer

if TYPE_CHECKING:
    from riskchain_gym.envs.browser.episode import Episode

R = TypeVar("R")

_log = logging.getLogger(__name__)

_WEIGHED_EVERY = 20
"""Memory is looked at once in so many sites: it takes as long as a tenth of showing one."""


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
        self._make_page: Callable[[], Episode] | None = None
        self._page_kind = ""
        self._spare: Episode | None = None
        self._retired: list[Episode] = []

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
        """Whether it has shown so many sites, or takes so much memory, that a new one is due."""
        if not self._is_worn:
            weighs = self._shown > 0 and self._shown % _WEIGHED_EVERY == 0
            self._is_worn = self._shown >= self._settings.recycle_episodes or (
                weighs and self.process.memory_mib() > self._settings.recycle_mib
            )
        return self._is_worn

    @property
    def is_shared(self) -> bool:
        """Whether it has more than one user."""
        return self._users > 1

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller is on the owner thread, which must not wait for itself."""
        return self._thread.is_current

    def start(self) -> None:
        """Start the browser, or wait until another backend has.

        Raises:
            BrowserUnavailableError: There is none, or it does not start.
            WorkerTimeoutError: It took too long.
        """
        with self._starting:
            if self._has_started:
                return
            try:
                self.call(self.process.start, self._settings.launch_deadline_s)
            except BaseException as error:
                self.close(is_stuck=isinstance(error, WorkerTimeoutError))
                raise
            self._has_started = True

    def new_page(self, kind: str, make: Callable[[], Episode], old: Episode | None) -> Episode:
        """Return a page for one more site in place of the last one; on the owner thread only.

        Making and ending pages takes longer than showing a site on one. A page is therefore made ahead, and an old one
        ended, while the browser has nothing else to do; who leaves it no such time waits for both.

        Args:
            kind: Name of what ``make`` makes.
            make: Makes a page.
            old: The page that is no longer needed.
        """
        self._shown += 1
        self._make_page = make
        spare, self._spare = self._spare, None
        if spare is not None and self._page_kind == kind:
            self._retired += [] if old is None else [old]
            return spare
        self._page_kind = kind
        for episode in (spare, old):
            if episode is not None:
                episode.close()
        return make()

    def _prepare(self) -> None:
        while self._retired:
            self._retired.pop().close()
        is_wanted = self._settings.spare_page and self._settings.headless  # a spare window would be seen
        if is_wanted and self._make_page is not None and self._spare is None:
            self._spare = self._make_page()

    def call(self, job: Callable[[], R], deadline_s: float) -> R:
        """Run a job on the owner thread, after those of other backends.

        Raises:
            WorkerTimeoutError: It has not ended in time.
            WorkerGoneError: The browser has ended, or the hub is closed.
        """
        return self._thread.call(job, deadline_s, self._is_well)

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
            is_last = self._users == 0
        if is_last:
            self.close()

    def close(self, *, is_stuck: bool = False) -> None:
        """End everything that was started here; idempotent, and without effect in a forked child.

        A browser that hangs is killed, a driver that does not end in time too.

        Args:
            is_stuck: Whether the owner thread hangs in a call.
        """
        with _lock:
            if self._closed or self.is_foreign:
                return
            self._closed = True
        if is_stuck:
            self.process.kill_browser()
        try:
            self._thread.call(self.process.close, self._settings.close_deadline_s, self.process.is_driver_running)
        except (WorkerTimeoutError, WorkerGoneError) as error:
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


# Re-entrant: what holds it may be interrupted by the collection of a backend, which leaves its hub.
_lock = threading.RLock()
_hubs: dict[BrowserSettings, BrowserHub] = {}


def _start_over() -> None:
    # A forked child has neither the parent's threads nor its browsers, and another thread may have held the lock.
    global _lock
    _lock = threading.RLock()
    _hubs.clear()


os.register_at_fork(after_in_child=_start_over)
