"""All that is alive for one browser backend: sandbox server, owner thread, browser and the current episode."""

from __future__ import annotations

import logging
import os
import re
import secrets
import string
from collections.abc import Callable
from typing import TypeVar

from riskchain_gym.envs.backends.worker import OwnerThread, WorkerGoneError, WorkerTimeoutError
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.inventory import SeenPage
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.message_page import MessagePage
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX
from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.sessions import AnySession

R = TypeVar("R")

_log = logging.getLogger(__name__)

_HOST_LENGTH = 20
_DETAIL_LIMIT = 500
_HOST = re.compile(rf"[a-z][a-z0-9]{{{_HOST_LENGTH - 1}}}\.test")


class ChromiumHost:
    """A started browser with its server and thread; after an :class:`InfrastructureError` it is good for nothing.

    Args:
        settings: Flags and time limits.
        server: The sandbox server; it belongs to the host from here on.
        with_axtree: Whether the accessibility tree is read with every page.
    """

    def __init__(self, settings: BrowserSettings, server: SandboxServer, *, with_axtree: bool) -> None:
        self._settings = settings
        self._with_axtree = with_axtree
        self._server = server
        self._owner_pid = os.getpid()
        self._process = BrowserProcess(server.port, settings)
        self._thread = OwnerThread("riskchain-browser")
        self._episode: Episode | None = None
        self._session: AnySession | None = None
        self._message_page: MessagePage | None = None
        self._closed = False
        self._stuck = False

    @property
    def is_foreign(self) -> bool:
        """Whether this process was forked off after the host was made: thread and browser stayed with the parent."""
        return os.getpid() != self._owner_pid

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the driver and of the browser's main process."""
        return self._process.pids

    def start(self) -> None:
        """Start the browser.

        Raises:
            BrowserUnavailableError: There is none, or it does not start.
            InfrastructureError: It took too long.
        """
        self._call(self._process.start, self._settings.launch_deadline_s, "starting")

    def open(self, session: AnySession, path: str) -> SeenPage:
        """Show a path of a session's site on a new host name, in a new context."""
        return self._call(lambda: self._open(session, path), self._settings.open_deadline_s, "opening a site")

    def use(self, job: Callable[[Episode], R], deadline_s: float, what: str) -> R:
        """Run a job with the current episode on the owner thread.

        Raises:
            InfrastructureError: Browser, page or server failed, or the deadline passed.
        """
        return self._call(lambda: job(self._current()), deadline_s, what)

    def draw(self, document: str) -> str:
        """Return the picture of a message's document as a PNG in base64; a site that is shown stays as it is."""
        return self._call(lambda: self._draw(document), self._settings.capture_deadline_s, "drawing a message")

    def close(self) -> None:
        """End everything that was started here; idempotent, and without effect in a forked child.

        A browser that hangs is killed, a driver that does not end in time too.
        """
        if self._closed or self.is_foreign:
            return
        self._closed = True
        if self._stuck:
            self._process.kill_browser()
        try:
            self._thread.call(self._end, self._settings.close_deadline_s, self._process.is_driver_running)
        except (WorkerTimeoutError, WorkerGoneError) as error:
            _log.debug("The browser does not end (%r) and is killed.", error)
            self._process.kill()
            self._thread.abort()
        except Exception as error:  # noqa: BLE001 - Playwright raises plain exceptions too; what follows kills it
            _log.debug("The browser did not end by itself (%r) and is killed.", error)
        self._thread.stop(self._settings.close_deadline_s)
        self._process.kill()
        self._server.close()

    def _open(self, session: AnySession, path: str) -> SeenPage:
        if self._episode is not None:
            self._server.unregister(self._episode.host)
            self._episode.close()
            self._episode = None
        host = opaque_host()
        self._session = session
        self._server.register(host, session)
        self._episode = Episode(self._process.browser, host, self._settings, with_axtree=self._with_axtree)
        return self._episode.show(path)

    def _draw(self, document: str) -> str:
        if self._message_page is None:
            self._message_page = MessagePage(self._process.browser, self._settings, VIEW_WIDTH_PX, VIEW_HEIGHT_PX)
        return self._message_page.draw(document)

    def _current(self) -> Episode:
        if self._episode is None:
            raise InfrastructureError("not_open", "Nothing can be done with the browser, no site is open: call open().")
        return self._episode

    def _end(self) -> None:
        self._episode = self._message_page = None
        self._process.close()

    def _call(self, job: Callable[[], R], deadline_s: float, what: str) -> R:
        from playwright.sync_api import Error
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        try:
            return self._thread.call(job, deadline_s, self._process.is_running)
        except WorkerTimeoutError as error:
            self._stuck = True
            raise InfrastructureError("deadline", f"The browser was {what} for over {deadline_s:g} s.") from error
        except WorkerGoneError as error:
            self._stuck = True
            raise InfrastructureError("browser_lost", f"The browser ended while {what}.") from error
        except PlaywrightTimeout as error:
            raise InfrastructureError("deadline", f"A page took too long while {what}: {_first_line(error)}") from error
        except Error as error:
            raise InfrastructureError(
                "browser_lost", f"The browser failed while {what}: {_first_line(error)}"
            ) from error
        except InfrastructureError as error:
            # A page that the site could not make reaches the browser as a dropped connection: name the cause.
            if self._session is not None and self._session.failure is not None:
                raise self._session.failure from error
            raise
        except RiskChainError:
            raise
        except Exception as error:
            # Playwright raises plain exceptions when its driver is gone; with a live driver it is an error of our own.
            if self._process.is_running():
                raise
            raise InfrastructureError(
                "browser_lost", f"The browser ended while {what}: {_first_line(error)}"
            ) from error


def opaque_host() -> str:
    """Return a host name that nothing can be read off and no earlier episode has used."""
    letters = string.ascii_lowercase
    first = secrets.choice(letters)
    rest = "".join(secrets.choice(letters + string.digits) for _ in range(_HOST_LENGTH - 1))
    return f"{first}{rest}.test"


def _first_line(error: Exception) -> str:
    return _HOST.sub("the site", str(error).strip().partition("\n")[0])[:_DETAIL_LIMIT]
