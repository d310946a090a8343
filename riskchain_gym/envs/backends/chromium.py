"""The browser backend: a real Chromium on a thread of its own, a fresh host and context for each episode."""

from __future__ import annotations

import importlib.util
import logging
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import ActResult, BrowsergymPage, RawPage
from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.config import BACKENDS, Modality
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX, render_message
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.errors import BrowserUnavailableError, ConfigError, InfrastructureError, MissingExtraError
from riskchain_gym.protocol.message import Message
from riskchain_gym.sites.replay.model import AnySite
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.sessions import AnySession, open_session

if TYPE_CHECKING:
    from riskchain_gym.envs.backends.chromium_host import ChromiumHost
    from riskchain_gym.envs.browser.episode import Episode

R = TypeVar("R")

_log = logging.getLogger(__name__)

_NEEDS = ("playwright", "browsergym", "PIL", "psutil")


class ChromiumBackend:
    """Shows sites in Chromium; usable from any thread, one call at a time, inside a running asyncio loop or not.

    The browser starts at the first :meth:`open` or :meth:`message_image` and serves all later episodes. After an
    :class:`~riskchain_gym.protocol.errors.InfrastructureError` nothing of it is kept, and these two start anew; so they
    do in a forked child. Nothing is left running when the backend is closed or collected, or when Python ends.
    A lost episode is taken up again by who calls, or by a
    :class:`~riskchain_gym.envs.backends.recovering.RecoveringBackend` around this one. A browser that has served long,
    or takes much memory, is replaced between two sites (``recycle_episodes`` and ``recycle_mib`` of the settings).
    Requests that lead out of the site go nowhere, and are counted (:meth:`egress`).

    Args:
        settings: Binary, language and time limits.
        viewport: Width and height in CSS pixels; overrides that of ``settings``.
        modalities: What will be asked for with every page; the accessibility tree costs time.
        session: Makes the session that serves a site.
        server: Starts the sandbox server.

    Raises:
        ConfigError: A modality that no browser has.
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: No Chromium is to be found.

    Attributes:
        restarts: How often this backend started a browser in place of an earlier one, by what had become of that: the
            cause of the error that lost it, ``recycled``, ``closed`` or ``forked``. Joining one that is there, the old
            one or one that another backend has started, is none.
    """

    def __init__(
        self,
        settings: BrowserSettings | None = None,
        *,
        viewport: tuple[int, int] | None = None,
        modalities: frozenset[Modality] = BACKENDS["chromium"],
        session: Callable[[AnySite], AnySession] = open_session,
        server: Callable[[], SandboxServer] = SandboxServer,
    ) -> None:
        if not modalities <= BACKENDS["chromium"]:
            raise ConfigError(
                f"The browser has no modality {sorted(modalities - BACKENDS['chromium'])}: "
                f"it has {sorted(BACKENDS['chromium'])}."
            )
        if any(importlib.util.find_spec(module) is None for module in _NEEDS):
            raise MissingExtraError("browser", "The browser backend")
        self._with_axtree = "axtree" in modalities
        self._with_browsergym = "browsergym" in modalities
        self._queued_before_s = 0.0
        self.settings = settings or BrowserSettings()
        if viewport is not None:
            self.settings = replace(self.settings, viewport_width_px=viewport[0], viewport_height_px=viewport[1])
        if self.settings.executable is None:
            find_chromium(headless=self.settings.headless)
        self._new_session = session
        self._new_server = server
        self._session: AnySession | None = None
        self._host: ChromiumHost | None = None
        self._end: weakref.finalize[..., ChromiumBackend] | None = None
        self.restarts: Counter[str] = Counter()
        self._has_started = False
        self._fate = ""
        self._lost = "no site is open: call open() first"

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the driver and of the browser's main process; empty while nothing runs."""
        return self._host.pids if self._host is not None and not self._host.is_foreign else ()

    def queued_s(self) -> float:
        """Return how long calls have waited for other backends of the same browser since this one was made, in seconds.

        What the browser does between two calls counts as well. Time budgets leave it out
        (:meth:`~riskchain_gym.envs.backends.recovering.RecoveringBackend.clock`).
        """
        return self._queued_before_s + (self._host.queued_s if self._host is not None else 0.0)

    def open(self, site: AnySite) -> RawPage:
        """Forget the last episode and show the site's landing page in its initial state.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            InfrastructureError: Browser or server failed, a fresh browser included.
        """

        def show(host: ChromiumHost) -> RawPage:
            self._session = self._new_session(site)
            return host.open(self._session, site.home).page

        self._recycle()
        return self._begin(show)

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action (never ``stop``) and look at the page afterwards.

        Raises:
            InfrastructureError: Browser or server failed, or nothing is open.
        """
        from riskchain_gym.envs.browser.actions import perform

        def job(episode: Episode) -> ActResult:
            assert self._session is not None, "open() makes a session"
            self._session.tick()
            return perform(episode, action, key, self._session.fixture)

        return self._use(job, self.settings.act_deadline_s, f"carrying out '{action.action}'")

    def screenshot(self) -> NDArray[np.uint8]:
        """Return the viewport, uint8 of shape (height, width, 3).

        Raises:
            InfrastructureError: Browser or server failed, or nothing is open.
        """
        from riskchain_gym.envs.browser.capture import pixels

        width, height = self.settings.viewport_width_px, self.settings.viewport_height_px
        return self._use(
            lambda episode: pixels(episode.screenshot(), width, height),
            self.settings.capture_deadline_s,
            "taking a screenshot",
        )

    def axtree(self, ids: dict[str, str]) -> str:
        """Return the accessibility tree as text, elements marked by their id.

        Args:
            ids: Element ids by element key, for the current page.

        Raises:
            ConfigError: The backend was made without modality ``axtree``.
            InfrastructureError: Browser or server failed, or nothing is open.
        """
        if not self._with_axtree:
            raise ConfigError("This browser backend was made without 'axtree': name it in modalities=.")
        return self._use(
            lambda episode: episode.axtree(ids), self.settings.capture_deadline_s, "reading the accessibility tree"
        )

    def dom(self, ids: dict[str, str]) -> str:
        """Return the page as readable HTML, elements marked by their id.

        Args:
            ids: Element ids by element key, for the current page.

        Raises:
            InfrastructureError: Browser or server failed, or nothing is open.
        """
        return self._use(lambda episode: episode.dom(ids), self.settings.capture_deadline_s, "reading the document")

    def browsergym(self) -> BrowsergymPage:
        """Return what browsergym-core says of the page as it was looked at last.

        Raises:
            ConfigError: The backend was made without modality ``browsergym``.
            InfrastructureError: Browser or server failed, or nothing is open.
        """
        if not self._with_browsergym:
            raise ConfigError("This browser backend was made without 'browsergym': name it in modalities=.")
        return self._use(lambda episode: episode.browsergym(), self.settings.capture_deadline_s, "reading the marks")

    def message_image(self, message: Message, theme: Theme) -> NDArray[np.uint8]:
        """Return a message as it looks on its platform's surface, uint8 of shape (600, 390, 3).

        It is drawn in a context of its own; a site that is open stays as it is.

        Args:
            message: The message.
            theme: Colours.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            InfrastructureError: The browser failed, a fresh one included.
        """
        from riskchain_gym.envs.browser.capture import pixels

        document = render_message(message, theme=theme)
        if self._host is None or not self._host.shows_site:
            self._recycle()
        return self._begin(lambda host: pixels(host.draw(document), VIEW_WIDTH_PX, VIEW_HEIGHT_PX))

    def egress(self) -> dict[str, int]:
        """Return how often pages of the open site tried to reach anything outside of it, by kind.

        The kinds, and what no browser tells, are those of :class:`~riskchain_gym.envs.browser.egress.Border`. Empty
        when no site is open. The count is as of the last action: what a page does by itself later shows at the next.
        """
        return self._host.egress() if self._host is not None and not self._host.is_foreign else {}

    def close(self) -> None:
        """Release browser, server and thread; idempotent."""
        if self._end is not None:
            self._end()
        self._keep_count()
        self._host = None
        self._lost, self._fate = "the backend is closed: call open() first", "closed"

    def _begin(self, job: Callable[[ChromiumHost], R]) -> R:
        """Do a job that needs nothing of what was there before, in a fresh browser if the one there is fails."""
        reused = self._host
        if reused is not None and not reused.is_foreign:
            try:
                return job(reused)
            except InfrastructureError as error:
                self._discard(str(error), error.cause)
        host = self._start()
        try:
            return job(host)
        except InfrastructureError as error:
            self._discard(str(error), error.cause)
            raise

    def _use(self, job: Callable[[Episode], R], deadline_s: float, what: str) -> R:
        if self._host is None:
            raise InfrastructureError("not_open", f"Nothing can be done with the browser, {self._lost}.")
        if self._host.is_foreign:
            raise InfrastructureError(
                "forked", "The browser stayed with the parent process: call open() to start one here."
            )
        try:
            return self._host.use(job, deadline_s, what)
        except InfrastructureError as error:
            self._discard(str(error), error.cause)
            raise

    def _recycle(self) -> None:
        if self._host is not None and not self._host.is_foreign and self._host.is_worn:
            _log.info("The browser has served its time and is replaced by a new one.")
            self._discard("its time was up", "recycled")

    def _start(self) -> ChromiumHost:
        from riskchain_gym.envs.backends.browser_hub import PageKind
        from riskchain_gym.envs.backends.chromium_host import ChromiumHost

        fate = "forked" if self._host is not None else self._fate
        kind = PageKind(with_axtree=self._with_axtree, with_browsergym=self._with_browsergym)
        host = ChromiumHost(self.settings, self._new_server, kind)
        # Known before it starts: an interrupt while it does must leave nothing that close() cannot reach.
        self._keep_count()
        self._host, self._end = host, weakref.finalize(self, host.close)
        try:
            is_new = host.start()
        except BaseException as error:
            self._discard(str(error) or type(error).__name__, "launch")
            if self._has_started and isinstance(error, BrowserUnavailableError):
                raise InfrastructureError("launch", f"The browser did not start again: {error}") from error
            raise
        if self._has_started and is_new:
            self.restarts[fate] += 1
        self._has_started = True
        return host

    def _keep_count(self) -> None:
        if self._host is not None:
            self._queued_before_s += self._host.queued_s

    def _discard(self, why: str, cause: str) -> None:
        if self._host is not None:
            self._host.close()
        self.close()
        self._lost, self._fate = f"it was lost earlier ({why}): call open() to start it again", cause
