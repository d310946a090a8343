"""What a page has asked for and not yet been answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

_ENDLESS = frozenset({"EventSource", "Media", "Ping", "WebSocket"})
"""Kinds of requests that stay open as long as the page, or whose answer no page can read."""


class Requests:
    """Follows the requests of a page through the browser's events.

    Left out are the page's own document, whose loading is told otherwise, event streams, media, pings and WebSockets.
    What workers ask for is not told to their page, and not known here. Requests to another site count too: they fail
    soon, and the page may say so.

    Args:
        session: A protocol session of the page; its ``Network`` domain is enabled.
        frame: Id of the page's main frame.

    Attributes:
        known: How many beginnings and ends of requests are known so far.
    """

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._frame = frame
        self._open: set[str] = set()
        self.known = 0
        session.on("Network.requestWillBeSent", self._begin)
        for end in ("Network.loadingFinished", "Network.loadingFailed"):
            session.on(end, self._end)
        session.on("Page.frameNavigated", self._start_over)
        session.send("Network.enable")

    @property
    def in_flight(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._open)

    def give_up(self) -> None:
        """Expect no answer any more to what was asked so far."""
        self._open.clear()

    def _begin(self, event: dict[str, Any]) -> None:
        # A redirect begins anew, under the same id.
        kind = event.get("type", "")
        is_page = kind == "Document" and event.get("frameId") == self._frame
        if kind not in _ENDLESS and not is_page:
            self._open.add(event["requestId"])
            self.known += 1

    def _end(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._open:
            self._open.remove(event["requestId"])
            self.known += 1

    def _start_over(self, event: dict[str, Any]) -> None:
        # Nobody is left to read the answers; those of another process may not even be told of any more.
        if event["frame"]["id"] == self._frame:
            self._open.clear()
