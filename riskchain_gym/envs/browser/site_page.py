"""Pictures of pages of sites: documents drawn as they are served, without a server, a script or a network."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from riskchain_gym.envs.backends.worker import OwnerThread, WorkerTimeoutError
from riskchain_gym.envs.browser.message_page import MessagePage
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import InfrastructureError, MissingExtraError

R = TypeVar("R")

Viewport = Literal["desktop", "mobile"]

VIEWPORTS_PX: dict[Viewport, tuple[int, int]] = {"desktop": (1280, 900), "mobile": (390, 844)}
"""Width and height of the windows that pages are drawn in."""

_NEEDS = ("playwright", "psutil", "PIL")
_NO_PORT = 9


class SitePage(MessagePage):
    """A page that shows one document after the other at its own size; used on the browser's owner thread only."""

    def shoot(self, document: str, *, whole: bool) -> bytes:
        """Return a PNG of a document.

        Args:
            document: HTML that loads nothing.
            whole: Whether to draw all of it, or what the window shows.

        Raises:
            playwright.sync_api.Error: The browser or the page is gone, or it took too long.
        """
        self._page.set_content(document, wait_until="load", timeout=self._timeout_ms)
        return self._page.screenshot(full_page=whole, timeout=self._timeout_ms)


@dataclass(frozen=True)
class Draughtsman:
    """Draws documents in a browser of its own; made by :func:`drawing`."""

    call: Callable[[Callable[[], bytes]], bytes]
    page: Callable[[int, int], SitePage]

    def draw(self, document: str, width_px: int, height_px: int, *, whole: bool = False) -> bytes:
        """Return a PNG of a document in a window of a size; ``whole`` draws what lies below it too.

        Raises:
            InfrastructureError: The browser failed.
        """
        return self.call(partial(self._draw, document, width_px, height_px, whole))

    def _draw(self, document: str, width_px: int, height_px: int, whole: bool) -> bytes:
        return self.page(width_px, height_px).shoot(document, whole=whole)


@contextmanager
def drawing() -> Iterator[Draughtsman]:
    """Start a browser that draws, and end it when the block is left.

    Raises:
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
    """
    if any(importlib.util.find_spec(module) is None for module in _NEEDS):
        raise MissingExtraError("browser", "Drawing sites")
    from playwright.sync_api import Error

    from riskchain_gym.envs.browser.launch import BrowserProcess

    settings = BrowserSettings()
    process = BrowserProcess(_NO_PORT, settings)
    thread = OwnerThread("riskchain-draw")
    pages: dict[tuple[int, int], SitePage] = {}

    def page(width_px: int, height_px: int) -> SitePage:
        size = (width_px, height_px)
        if size not in pages:
            pages[size] = SitePage(process.browser, settings, *size)
        return pages[size]

    def call(job: Callable[[], R], deadline_s: float = settings.capture_deadline_s) -> R:
        try:
            return thread.call(job, deadline_s)
        except (WorkerTimeoutError, Error) as error:
            raise InfrastructureError("browser_lost", f"The browser failed while drawing a site: {error}") from error

    try:
        call(process.start, settings.launch_deadline_s)
        yield Draughtsman(call, page)
        call(process.close, settings.close_deadline_s)
    finally:
        process.kill()
        thread.stop(settings.close_deadline_s)
