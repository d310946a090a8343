"""The border of a site: what its pages try to reach beyond it is counted, and windows they open are closed."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from riskchain_gym.protocol.failures import FailureKind

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Dialog, Frame, Page, Request

NAVIGATION, FRAME, WINDOW, WEBSOCKET = "navigation", "frame", "window", "websocket"
"""Kinds of attempts that are not called by what was asked for (``fetch``, ``image``, ``script`` …)."""

_HARMLESS = frozenset({"about", "blob", "data", "javascript"})
_SOCKET_FAILED = "WebSocket connection to 'ws"


class Border:
    """Watches everything that the pages of one context ask for.

    The browser's flags let nothing out (:func:`~riskchain_gym.envs.browser.flags.browser_flags`), so whatever leads
    out fails, and only failures are listened to: a page that stays on its site costs nothing here. Not told of by the
    browser, and so not counted, are connections made ahead of need, WebRTC, WebTransport, and shared workers.

    Args:
        context: The context.
        page: Its one page; every other one is closed as soon as it is known.
        session: A protocol session of that page.
        host: The site's host name.

    Attributes:
        attempts: Attempts to reach anything outside so far, by kind: ``navigation`` of the page, ``frame`` for one of
            its frames, ``window`` for a new one, ``websocket``, else the type of what was asked for as the browser
            calls it. Every attempt counts; how many a page has made by the time it is looked at may depend on timing.
        has_left: Whether the page itself was somewhere else since this was last set to ``False``.
        lost: Likewise, what it wanted to show and was not let: another tab, a dialog, a download.
        refusal: Why the page's last failed document did not come, as the browser calls it, e.g.
            ``net::ERR_TOO_MANY_REDIRECTS``.
    """

    def __init__(self, context: BrowserContext, page: Page, session: CDPSession, host: str) -> None:
        self._page = page
        self._host = host
        self.attempts: Counter[str] = Counter()
        self.has_left = False
        self.lost: set[FailureKind] = set()
        self.refusal = ""
        context.on("page", self._close_window)
        page.on("dialog", self._dismiss)
        page.on("download", lambda _: self.lost.add(FailureKind.LOST_DOWNLOAD))
        context.on("requestfailed", self._count_request)
        page.on("framenavigated", self._note_navigation)
        session.on("Log.entryAdded", self._count_socket)
        session.send("Log.enable")

    def allows(self, url: str) -> bool:
        """Say whether an address belongs to the site; no scheme but ``http`` does."""
        parts = urlsplit(url)
        return parts.scheme == "http" and parts.netloc == self._host

    def _close_window(self, window: Page) -> None:
        if window != self._page:
            self.lost.add(FailureKind.LOST_TAB)
            self._count(WINDOW, window.url)
            window.close()

    def _dismiss(self, dialog: Dialog) -> None:
        from playwright.sync_api import Error

        # A page that is replaced takes its dialog with it, which then can no longer be answered.
        with suppress(Error):
            if dialog.type == "beforeunload":
                dialog.accept()
            else:
                self.lost.add(FailureKind.LOST_DIALOG)
                dialog.dismiss()

    def _note_navigation(self, frame: Frame) -> None:
        if frame == self._page.main_frame and not self.allows(frame.url):
            self.has_left = True

    def _count_request(self, request: Request) -> None:
        from playwright.sync_api import Error

        kind = request.resource_type
        try:
            if request.frame.page != self._page:
                return
            if request.is_navigation_request():
                kind = NAVIGATION if request.frame == self._page.main_frame else FRAME
        except Error:
            # A request of no frame, or of one that is not there yet.
            pass
        if kind == NAVIGATION:
            self.refusal = request.failure or ""
        self._count(kind, request.url)

    def _count_socket(self, event: dict[str, Any]) -> None:
        # Told in words only; the browser's own log is out of reach of the page's scripts.
        said = event["entry"]["text"]
        if event["entry"]["source"] in ("network", "worker") and said.startswith(_SOCKET_FAILED):
            self._count(WEBSOCKET, said.split("'")[1].replace("ws", "http", 1))

    def _count(self, kind: str, url: str) -> None:
        if not self.allows(url) and urlsplit(url).scheme not in _HARMLESS:
            self.attempts[kind] += 1
