"""The mouse of a page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

_OUTSIDE = (-1.0, -1.0)


class Pointer:
    """Clicks, and leaves the page again.

    Playwright's own mouse waits for the browser to acknowledge each event, which Chromium never does for one that is on
    its way while another document takes the place of the one it was meant for (about one in a thousand, when the
    pointer leaves right after a link was clicked). Here, that the document is replaced ends the wait.

    Args:
        session: A protocol session of the page, its ``Page`` domain enabled.
        frame: Id of the page's main frame.
        timeout_ms: How long a document that stays may take to acknowledge.
    """

    def __init__(self, session: CDPSession, frame: str, timeout_ms: int) -> None:
        self._session = session
        self._frame = frame
        self._timeout_ms = timeout_ms
        self._on_way: list[asyncio.Task[Any]] = []
        self._is_inside = False
        session.on("Page.frameNavigated", self._forget)

    def click(self, x: float, y: float) -> None:
        """Move to a point of the viewport, in CSS pixels, click there, and leave the page.

        Left there, the pointer would light up what comes to lie under it, at a moment of the browser's choosing.
        """
        self._is_inside = True
        self._send(_event("mouseMoved", x, y), _event("mousePressed", x, y), _event("mouseReleased", x, y))
        self.leave()

    def leave(self) -> None:
        """Leave the page, if the pointer is not known to have left it since the last click."""
        if self._is_inside:
            self._is_inside = not self._send(_event("mouseMoved", *_OUTSIDE))

    def _send(self, *events: dict[str, Any]) -> bool:
        """Send events in one go; return whether the document has acknowledged them all."""
        return bool(self._session._sync(self._until_settled(events)))

    async def _until_settled(self, events: tuple[dict[str, Any], ...]) -> bool:
        # Only the asynchronous session underneath can have several messages on their way, and give up on one.
        send = self._session._impl_obj.send
        self._on_way = [asyncio.ensure_future(send("Input.dispatchMouseEvent", event)) for event in events]
        settled, unsettled = await asyncio.wait(self._on_way, timeout=self._timeout_ms / 1000)
        for task in unsettled:
            task.cancel()
        answered = [task.exception() for task in settled if not task.cancelled()]
        for refusal in answered:
            if refusal is not None:
                raise refusal
        return len(answered) == len(events)

    def _forget(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._frame:
            for task in self._on_way:
                task.cancel()


def _event(kind: str, x: float, y: float) -> dict[str, Any]:
    is_moved = kind == "mouseMoved"
    return {
        "type": kind,
        "x": x,
        "y": y,
        "button": "none" if is_moved else "left",
        "buttons": 1 if kind == "mousePressed" else 0,
        "clickCount": 0 if is_moved else 1,
    }
