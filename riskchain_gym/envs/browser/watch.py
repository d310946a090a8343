"""Knowing when a page has come to rest."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from riskchain_gym.envs.browser.world import DocumentReplacedError, ObserverWorld
from riskchain_gym.protocol.errors import InfrastructureError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page


class LoadWatch:
    """Follows the loading of a page's main frame through the browser's own events.

    The settling rule: an action is over once the page's script thread has run what the action queued, the main frame is
    not loading, and, on a page with scripts, the DOM has stood still for a frame or changes for longer than a cap. A
    navigation that was started counts as loading until the new document and all its resources are there, or until it
    came to nothing (a download, an empty answer, a refusal). No time is waited for its own sake.

    Args:
        page: The page.
        session: A protocol session of that page.
        frame: Id of its main frame.
        world: Where the page is asked whether it is at rest.
    """

    def __init__(self, page: Page, session: CDPSession, frame: str, world: ObserverWorld) -> None:
        self._page = page
        self._frame = frame
        self._world = world
        self._loading = False
        session.on("Page.frameStartedLoading", lambda event: self._set(event, loading=True))
        session.on("Page.frameStoppedLoading", lambda event: self._set(event, loading=False))

    def _set(self, event: dict[str, Any], *, loading: bool) -> None:
        if event["frameId"] == self._frame:
            self._loading = loading

    def settle(self, timeout_ms: int, quiet_cap_ms: int, poll_ms: int) -> None:
        """Return once the page is at rest.

        Args:
            timeout_ms: How long loading may take.
            quiet_cap_ms: How long a page may go on changing before it is taken as it is.
            poll_ms: Interval at which a pending navigation is looked at.

        Raises:
            InfrastructureError: Loading took longer (cause ``deadline``).
        """
        end = time.monotonic() + timeout_ms / 1000
        self._let_run(quiet_cap_ms)
        while self._loading:
            if time.monotonic() > end:
                raise InfrastructureError("deadline", f"The page did not finish loading within {timeout_ms} ms.")
            self._page.wait_for_timeout(poll_ms)
            if not self._loading:
                self._let_run(quiet_cap_ms)

    def _let_run(self, quiet_cap_ms: int) -> None:
        try:
            self._world.call("rest", quiet_cap_ms)
        except DocumentReplacedError:
            # A document that is replaced meanwhile takes the promise with it; the events say that it was.
            return
