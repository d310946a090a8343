"""Knowing when a page has come to rest."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from riskchain_gym.protocol.errors import InfrastructureError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

_REPLACED = ("Promise was collected", "navigated or closed", "context was destroyed", "Cannot find context")
_TWO_TASKS = "new Promise(done => setTimeout(() => setTimeout(done)))"


class LoadWatch:
    """Follows the loading of a page's main frame through the browser's own events.

    The settling rule: an action is over once the page's script thread has run what the action queued and the main
    frame is not loading. A navigation that was started counts as loading until the new document and all its resources
    are there, or until it came to nothing (a download, an empty answer, a refusal). No time is waited for its own sake.

    Args:
        page: The page.
        session: A protocol session of that page.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page = page
        self._session = session
        self._loading = False
        session.on("Page.frameStartedLoading", lambda event: self._set(event, loading=True))
        session.on("Page.frameStoppedLoading", lambda event: self._set(event, loading=False))
        session.send("Page.enable")
        self._frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]

    def _set(self, event: dict[str, Any], *, loading: bool) -> None:
        if event["frameId"] == self._frame:
            self._loading = loading

    def settle(self, timeout_ms: int, poll_ms: int) -> None:
        """Return once the page is at rest.

        Args:
            timeout_ms: How long that may take.
            poll_ms: Interval at which a pending navigation is looked at.

        Raises:
            InfrastructureError: It took longer (cause ``deadline``).
        """
        end = time.monotonic() + timeout_ms / 1000
        self._run_queued_tasks()
        while self._loading:
            if time.monotonic() > end:
                raise InfrastructureError("deadline", f"The page did not finish loading within {timeout_ms} ms.")
            self._page.wait_for_timeout(poll_ms)
            if not self._loading:
                self._run_queued_tasks()

    def _run_queued_tasks(self) -> None:
        from playwright.sync_api import Error

        try:
            self._session.send("Runtime.evaluate", {"expression": _TWO_TASKS, "awaitPromise": True})
        except Error as error:
            # A document that is replaced meanwhile takes the promise with it; the events say that it was.
            if not document_replaced(str(error)):
                raise


def document_replaced(message: str) -> bool:
    """Say whether a failed evaluation failed because another document has taken the place of the old one."""
    return any(sign in message for sign in _REPLACED)
