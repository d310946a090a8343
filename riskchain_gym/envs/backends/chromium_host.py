"""What is alive for one browser backend: its place in a browser, and the current episode."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from riskchain_gym.envs.backends.browser_hub import PageKind, enter_hub
from riskchain_gym.envs.backends.worker import QUEUE_S, WorkerBusyError, WorkerGoneError, WorkerTimeoutError
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.host_name import HOST_NAME
from riskchain_gym.envs.browser.inventory import SeenPage
from riskchain_gym.envs.browser.message_page import MessagePage
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.world import DocumentReplacedError, ScriptError
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX
from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.sessions import AnySession

R = TypeVar("R")

_log = logging.getLogger(__name__)

_DETAIL_LIMIT = 500


class ChromiumHost:
    """A started browser and the episode that it shows; after an :class:`InfrastructureError` it is good for nothing.

    Args:
        settings: Flags and time limits.
        server: Starts the sandbox server.
        kind: What is read with every page.

    Attributes:
        queued_s: How long calls have waited for others' calls to end, and for what the browser does in between, in
            seconds.
    """

    def __init__(self, settings: BrowserSettings, server: Callable[[], SandboxServer], kind: PageKind) -> None:
        self._settings = settings
        self._kind = kind
        self.queued_s = 0.0
        self._hub = enter_hub(settings, server)
        self._episode: Episode | None = None
        self._session: AnySession | None = None
        self._message_page: MessagePage | None = None
        self._closed = False
        self._is_broken = False
        self._is_stuck = False

    @property
    def is_foreign(self) -> bool:
        """Whether this process was forked off after the host was made: thread and browser stayed with the parent."""
        return self._hub.is_foreign

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the driver and of the browser's main process."""
        return self._hub.process.pids

    @property
    def is_worn(self) -> bool:
        """Whether the browser has served so long, or takes so much memory, that a new one is due."""
        return self._hub.is_worn

    @property
    def shows_site(self) -> bool:
        """Whether a site is open."""
        return self._episode is not None

    def start(self) -> bool:
        """Start the browser, unless another backend has; return whether it was started by this call.

        Raises:
            BrowserUnavailableError: There is none, or it does not start.
            InfrastructureError: It took too long.
        """
        return self._named(self._hub.start, "starting")

    def open(self, session: AnySession, path: str) -> SeenPage:
        """Show a path of a session's site on a new host name, in a new context."""
        return self._call(lambda: self._open(session, path), self._settings.open_deadline_s, "opening a site")

    def use(self, job: Callable[[Episode], R], deadline_s: float, what: str) -> R:
        """Run a job with the current episode on the owner thread.

        Raises:
            InfrastructureError: Browser, page or server failed, or the deadline passed, or the job's turn did not come
                (``deadline`` too; the browser, which others use, stays as it is).
        """
        return self._call(lambda: job(self._current()), deadline_s, what)

    def draw(self, document: str) -> str:
        """Return the picture of a message's document as a PNG in base64; a site that is shown stays as it is."""
        return self._call(lambda: self._draw(document), self._settings.capture_deadline_s, "drawing a message")

    def egress(self) -> dict[str, int]:
        """Return the attempts to reach anything outside of the site that is shown, by kind."""
        return dict(self._episode.border.attempts) if self._episode is not None else {}

    def close(self) -> None:
        """End the episode, and the browser if it is broken or nobody else uses it; idempotent.

        Without effect in a forked child.
        """
        if self._closed or self.is_foreign:
            return
        self._closed = True
        if self._hub.is_own_thread:
            # A backend may be collected there, in the midst of another one's call.
            threading.Thread(target=self._leave, name="riskchain-leave").start()
        else:
            self._leave()

    def _leave(self) -> None:
        if self._is_broken:
            self._hub.close(is_stuck=self._is_stuck)
        else:
            # Whether others use the browser or not: one may come to while this one leaves.
            self._leave_nothing()
        self._hub.leave()

    def _leave_nothing(self) -> None:
        limit_s = self._settings.close_deadline_s
        try:
            self._hub.call(self._end, limit_s, queue_s=limit_s)
        except WorkerBusyError:
            self._hub.end_later(self._end)
        except Exception as error:  # noqa: BLE001 - Playwright raises plain exceptions too; it ends the browser
            _log.debug("The page did not end by itself (%r), and the browser is ended.", error)
            self._hub.close(is_stuck=isinstance(error, WorkerTimeoutError))

    def _open(self, session: AnySession, path: str) -> SeenPage:
        old, self._episode = self._episode, None
        if old is not None:
            self._hub.server.unregister(old.host)
        self._session = session
        self._episode = episode = self._hub.new_page(self._kind, old)
        self._hub.server.register(episode.host, session)
        if session.has_scripts:
            episode.follow_requests()
        return episode.show(path)

    def _end_episode(self) -> None:
        if self._episode is not None:
            episode, self._episode = self._episode, None
            self._hub.server.unregister(episode.host)
            self._hub.end_page(self._kind, episode)

    def _end(self) -> None:
        self._end_episode()
        if self._message_page is not None:
            self._message_page.close()
            self._message_page = None

    def _draw(self, document: str) -> str:
        if self._message_page is None:
            self._message_page = MessagePage(self._hub.process.browser, self._settings, VIEW_WIDTH_PX, VIEW_HEIGHT_PX)
        self._hub.count_shown()
        return self._message_page.draw(document)

    def _current(self) -> Episode:
        if self._episode is None:
            raise InfrastructureError("not_open", "Nothing can be done with the browser, no site is open: call open().")
        return self._episode

    def _call(self, job: Callable[[], R], deadline_s: float, what: str) -> R:
        asked = time.monotonic()

        def in_turn() -> R:
            self.queued_s += time.monotonic() - asked
            return job()

        return self._named(lambda: self._hub.call(in_turn, deadline_s), what)

    def _named(self, call: Callable[[], R], what: str) -> R:
        """Do a call that uses the browser, and name what goes wrong with it."""
        from playwright.sync_api import Error
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        try:
            return call()
        except WorkerTimeoutError as error:
            self._is_broken = self._is_stuck = True
            raise InfrastructureError("deadline", f"The browser failed while {what}: {error}.") from error
        except WorkerBusyError as error:
            raise InfrastructureError(
                "deadline", f"The browser was busy with others' calls for {QUEUE_S:g} s, and did not come to {what}."
            ) from error
        except WorkerGoneError as error:
            self._is_broken = self._is_stuck = True
            raise InfrastructureError("browser_lost", f"The browser ended while {what}{self._last_words()}.") from error
        except PlaywrightTimeout as error:
            self._blame_browser()
            raise InfrastructureError("deadline", f"A page took too long while {what}: {_first_line(error)}") from error
        except (Error, DocumentReplacedError, ScriptError) as error:
            self._blame_browser()
            raise InfrastructureError(
                "browser_lost", f"The browser failed while {what}{self._last_words()}: {_first_line(error)}"
            ) from error
        except InfrastructureError as error:
            self._blame_browser()
            # A page that the site could not make reaches the browser as a dropped connection: name the cause.
            if self._session is not None and self._session.failure is not None:
                raise self._session.failure from error
            raise
        except RiskChainError:
            self._blame_browser()
            raise
        except Exception as error:
            self._blame_browser()
            # Playwright raises plain exceptions when its driver is gone; with a live driver it is an error of our own.
            if self._hub.process.is_running():
                raise
            raise InfrastructureError(
                "browser_lost", f"The browser ended while {what}{self._last_words()}: {_first_line(error)}"
            ) from error

    def _last_words(self) -> str:
        process = self._hub.process
        words = "" if process.is_running() else process.last_words()
        return f" (it said: {words})" if words else ""

    def _blame_browser(self) -> None:
        """Give a browser that is gone up; one that is alive, after a fault that may be the page's own, is left.

        It ends with that if nobody else uses it, which is known for certain only then.
        """
        self._is_broken = self._is_broken or not self._hub.process.is_running()


def _first_line(error: Exception) -> str:
    return HOST_NAME.sub("the site", str(error).strip().partition("\n")[0])[:_DETAIL_LIMIT]
