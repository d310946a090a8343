"""Pictures of pages of sites: documents drawn as they are served, without a server, a script or a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from riskchain_gym.envs.browser.drawing import DRIVER_PACKAGES, DrawingBrowser, drawing_browser
from riskchain_gym.envs.browser.message_page import MessagePage

Viewport = Literal["desktop", "mobile"]

VIEWPORTS_PX: dict[Viewport, tuple[int, int]] = {"desktop": (1280, 900), "mobile": (390, 844)}
"""Width and height of the windows that pages are drawn in."""


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


class Draughtsman:
    """Draws documents in a browser of its own, one page for each size of window; made by :func:`drawing`.

    Args:
        drawing: The browser.
    """

    def __init__(self, drawing: DrawingBrowser) -> None:
        self._drawing = drawing
        self._pages: dict[tuple[int, int], SitePage] = {}

    def draw(self, document: str, width_px: int, height_px: int, *, whole: bool = False) -> bytes:
        """Return a PNG of a document in a window of a size; ``whole`` draws what lies below it too.

        Raises:
            InfrastructureError: The browser failed.
        """
        return self._drawing.call(lambda: self._page((width_px, height_px)).shoot(document, whole=whole))

    def _page(self, size: tuple[int, int]) -> SitePage:
        if size not in self._pages:
            self._pages[size] = SitePage(self._drawing.browser, self._drawing.settings, *size)
        return self._pages[size]


@contextmanager
def drawing() -> Iterator[Draughtsman]:
    """Start a browser that draws, and end it when the block is left.

    Raises:
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
    """
    with drawing_browser("drawing sites", needs=(*DRIVER_PACKAGES, "PIL")) as browser:
        yield Draughtsman(browser)
