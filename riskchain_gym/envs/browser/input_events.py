"""Events of mouse and keyboard, sent to a page as if they came from a person."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

Device = Literal["Mouse", "Key"]
"""What an event comes from, as the browser calls it."""


class InputEvents:
    """Sends events and waits until the document has acknowledged them.

    Playwright's own mouse and keyboard wait for the browser to acknowledge each event, which Chromium never does for
    one that is on its way while another document takes the place of the one it was meant for (about one in a thousand,
    when the pointer leaves right after a link was clicked). Here, that the document is replaced ends the wait.

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
        session.on("Page.frameNavigated", self._forget)

    def send(self, device: Device, *events: dict[str, Any]) -> bool:
        """Send events in one go; return whether the document has acknowledged them all."""
        return bool(self._session._sync(self._until_settled(f"Input.dispatch{device}Event", events)))

    def post(self, device: Device, event: dict[str, Any]) -> None:
        """Send an event that nobody waits for: it is on its way before whatever is asked of the page next."""
        task = self._session._loop.create_task(self._session._impl_obj.send(f"Input.dispatch{device}Event", event))
        # It may be lost like any other; what is wrong with the page, its next answer tells.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._on_way = [task]

    async def _until_settled(self, method: str, events: tuple[dict[str, Any], ...]) -> bool:
        # Only the asynchronous session underneath can have several messages on their way, and give up on one.
        send = self._session._impl_obj.send
        self._on_way = [asyncio.ensure_future(send(method, event)) for event in events]
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
