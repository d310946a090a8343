"""Knowing when a page has come to rest."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from riskchain_gym.envs.browser.in_flight import Requests
from riskchain_gym.envs.browser.world import DocumentReplacedError, ObserverWorld
from riskchain_gym.protocol.errors import InfrastructureError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page


class LoadWatch:
    """Follows the loading of a page through the browser's own events.

    The settling rule: an action is over once the page's script thread has run what the action queued, the main frame is
    not loading, and, on a page with scripts, the DOM has stood still for a frame and no request of it, where requests
    are followed, is in flight. A navigation that was started counts as loading until the new document and all its
    resources are there, or until it came to nothing (a download, an empty answer, a refusal). Requests in flight and
    changes are waited for up to a cap, counted from when the page had last loaded; then the page is taken as it is, and
    what was not answered by then is not waited for again. No time is waited for its own sake.

    Requests are followed only after :meth:`follow_requests`, which sites without scripts do not need.

    Args:
        page: The page.
        session: A protocol session of that page.
        frame: Id of its main frame.
        world: Where the page is asked whether it is at rest.
    """

    def __init__(self, page: Page, session: CDPSession, frame: str, world: ObserverWorld) -> None:
        self._page = page
        self._session = session
        self._frame = frame
        self._world = world
        self._loading = False
        self._requests: Requests | None = None
        session.on("Page.frameStartedLoading", lambda event: self._set(event, loading=True))
        session.on("Page.frameStoppedLoading", lambda event: self._set(event, loading=False))

    def follow_requests(self) -> None:
        """From now on, wait for answers to what the page asks for, too; to be called before it is first shown."""
        self._requests = Requests(self._session, self._frame)

    def _set(self, event: dict[str, Any], *, loading: bool) -> None:
        if event["frameId"] == self._frame:
            self._loading = loading

    def settle(self, timeout_ms: int, quiet_cap_ms: int, poll_ms: int) -> None:
        """Return once the page is at rest.

        Args:
            timeout_ms: How long loading may take.
            quiet_cap_ms: How long a page may go on asking and changing before it is taken as it is.
            poll_ms: Interval at which a pending navigation or request is looked at.

        Raises:
            InfrastructureError: Loading took longer (cause ``deadline``).
        """
        end = time.monotonic() + timeout_ms / 1000
        cap = time.monotonic() + quiet_cap_ms / 1000
        is_at_rest = self._let_run(cap)
        while not is_at_rest:
            now = time.monotonic()
            was_loading = self._loading
            if was_loading and now > end:
                raise InfrastructureError("deadline", f"The page did not finish loading within {timeout_ms} ms.")
            if not was_loading and now > cap:
                break
            if not self._is_waiting():
                is_at_rest = self._let_run(cap)
                continue
            self._page.wait_for_timeout(poll_ms)
            if was_loading and not self._loading:
                cap = time.monotonic() + quiet_cap_ms / 1000
        if self._requests is not None and self._requests.in_flight:
            self._requests.give_up()

    def _is_waiting(self) -> bool:
        return self._loading or (self._requests is not None and self._requests.in_flight)

    def _let_run(self, cap: float) -> bool:
        """Let the page run what it has queued; return whether it is at rest then."""
        left_ms = max(0.0, (cap - time.monotonic()) * 1000)
        known = self._requests.known if self._requests is not None else 0
        # A document that is replaced meanwhile takes the promise with it; the events say that it was.
        with suppress(DocumentReplacedError):
            self._world.call("rest", [left_ms, self._requests is not None])
        # The page may not have dealt yet with an answer that came at the end of it.
        return not self._is_waiting() and (self._requests is None or self._requests.known == known)
