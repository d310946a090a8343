"""Pictures of messages: their documents drawn in a context of their own, which runs no script and reaches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riskchain_gym.envs.browser.scripts import script
from riskchain_gym.envs.browser.settings import BrowserSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class MessagePage:
    """A page that shows one document after the other; used on the browser's owner thread only.

    It shares nothing with the pages of sites: no cookie, no storage, no cache, no window.

    Args:
        browser: The running browser.
        settings: Language and time limits.
        width_px: Width of the pictures.
        height_px: Height of the pictures.
    """

    def __init__(self, browser: Browser, settings: BrowserSettings, width_px: int, height_px: int) -> None:
        self._timeout_ms = settings.load_timeout_ms
        self._context = browser.new_context(
            viewport={"width": width_px, "height": height_px},
            device_scale_factor=1,
            locale=settings.lang,
            timezone_id=settings.timezone,
            color_scheme="light",
            reduced_motion="reduce",
            accept_downloads=False,
            java_script_enabled=False,
            offline=True,
            service_workers="block",
        )
        self._page = self._context.new_page()
        self._cdp = self._context.new_cdp_session(self._page)

    def draw(self, document: str) -> str:
        """Return a picture of a document as a PNG in base64, all of it in view.

        Args:
            document: HTML that loads nothing; what is larger than the picture is scaled down.

        Raises:
            playwright.sync_api.Error: The browser or the page is gone, or it took too long.
        """
        self._page.set_content(document, wait_until="load", timeout=self._timeout_ms)
        self._page.evaluate(script("fit"), None)
        answer = self._cdp.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return str(answer["data"])

    def close(self) -> None:
        """Close the page and its context."""
        self._context.close()
