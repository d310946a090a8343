"""One episode in the browser: a fresh context with one page that never leaves its site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from riskchain_gym.envs.backends.base import NAME_LIMIT, PLACEHOLDER_LIMIT
from riskchain_gym.envs.browser.inventory import SeenPage, seen_page
from riskchain_gym.envs.browser.marking import (
    BID_ATTRIBUTE,
    AccessibilityTree,
    accessibility_tree,
    mark,
    tree_text,
    unmark,
)
from riskchain_gym.envs.browser.scripts import script
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.watch import LoadWatch
from riskchain_gym.envs.browser.world import REPLACED, DocumentReplacedError, ObserverWorld
from riskchain_gym.protocol.errors import InfrastructureError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Frame, Page

_NET_ERROR = re.compile(r"net::ERR_?\w*")
_LOOKS = 4
"""How often a page that is replaced while it is looked at is looked at again."""


class Episode:
    """A page on a host of its own, in a context that shares nothing with earlier episodes.

    Everything here runs on the browser's owner thread. Pages that a page opens are closed at once, dialogs are
    dismissed, downloads are refused; in each case the page itself stays.

    Args:
        browser: The running browser.
        host: The episode's host name, opaque and never used before.
        settings: Viewport, language and time limits.
        with_axtree: Whether :meth:`look` reads the accessibility tree too.
        is_answering: Says whether the site's server is at work on a request.
    """

    def __init__(
        self,
        browser: Browser,
        host: str,
        settings: BrowserSettings,
        *,
        with_axtree: bool = False,
        is_answering: Callable[[], bool] = lambda: False,
    ) -> None:
        self.host = host
        self._with_axtree = with_axtree
        self._tree: AccessibilityTree = {}
        self.settings = settings
        self._context = browser.new_context(
            viewport={"width": settings.viewport_width_px, "height": settings.viewport_height_px},
            device_scale_factor=1,
            locale=settings.lang,
            timezone_id=settings.timezone,
            color_scheme="light",
            reduced_motion="reduce",
            accept_downloads=False,
            service_workers="block",
        )
        self._context.add_init_script(script("clock"))
        self.page: Page = self._context.new_page()
        self._cdp = self._context.new_cdp_session(self.page)
        self._cdp.send("Page.enable")
        frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.world = ObserverWorld(self._cdp, frame)
        self._watch = LoadWatch(self.page, self._cdp, frame, self.world, is_answering)
        self.left_site = False
        self.seen: SeenPage | None = None
        self._context.on("page", self._close_popup)
        self.page.on("dialog", _dismiss)
        self.page.on("framenavigated", self._note_navigation)

    def show(self, path: str) -> SeenPage:
        """Navigate to a path of the site and look at it.

        Raises:
            InfrastructureError: The sandbox server gives no page (cause ``sandbox_lost``).
        """
        from playwright.sync_api import Error

        try:
            self.page.goto(f"http://{self.host}{path}", wait_until="load", timeout=self.settings.load_timeout_ms)
        except Error as error:
            if (code := _NET_ERROR.search(str(error))) is None:
                raise
            raise InfrastructureError("sandbox_lost", f"The landing page did not load ({code[0]}).") from error
        return self.look()

    def settle(self) -> None:
        """Return once the page is at rest (see :class:`LoadWatch`)."""
        settings = self.settings
        self._watch.settle(settings.load_timeout_ms, settings.quiet_cap_ms, settings.settle_poll_ms)

    def look(self) -> SeenPage:
        """Describe the page as it stands; its elements can be acted on until the next look."""
        for attempt in range(_LOOKS):
            try:
                if self._with_axtree:
                    self._read_tree()
                found = self.world.call("inventory", [BID_ATTRIBUTE, NAME_LIMIT, PLACEHOLDER_LIMIT])
                break
            except DocumentReplacedError:
                if attempt == _LOOKS - 1:
                    raise
                self.settle()
        self.seen = seen_page(found)
        return self.seen

    def _read_tree(self) -> None:
        """Read the accessibility tree, whose elements are marked in the document until another one is shown."""
        from playwright.sync_api import Error

        try:
            mark(self.page)
            self._tree = accessibility_tree(self.page)
            unmark(self.page)
        except Error as error:
            if any(sign in str(error) for sign in REPLACED):
                raise DocumentReplacedError(str(error)) from error
            raise

    def is_on_site(self) -> bool:
        """Say whether the page shown is one of the episode's site."""
        return self.allows(self.page.url)

    def allows(self, url: str) -> bool:
        """Say whether an address belongs to the episode's site; no scheme but ``http`` does."""
        parts = urlsplit(url)
        return parts.scheme == "http" and parts.netloc == self.host

    def return_to_site(self, last_url: str) -> None:
        """Go back to where the page was before it left the site.

        Raises:
            InfrastructureError: It had not left: the site's own server gave no page (cause ``sandbox_lost``).
        """
        frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]
        if self.allows(frame.get("unreachableUrl", "")):
            path = urlsplit(frame["unreachableUrl"]).path
            raise InfrastructureError("sandbox_lost", f"The sandbox server gave no page for {path}.")
        if not self.go_back():
            self.page.goto(last_url, wait_until="load", timeout=self.settings.load_timeout_ms)
        self.left_site = False

    def go_back(self) -> bool:
        """Go one entry back in the page's history; return whether there was one of the site."""
        history: dict[str, Any] = self._cdp.send("Page.getNavigationHistory")
        before = history["currentIndex"] - 1
        if before < 0 or not self.allows(history["entries"][before]["url"]):
            return False
        self.page.go_back(wait_until="load", timeout=self.settings.load_timeout_ms)
        return True

    def screenshot_png(self) -> str:
        """Return the viewport as a PNG in base64."""
        answer = self._cdp.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return str(answer["data"])

    def axtree(self, ids: Mapping[str, str]) -> str:
        """Return the accessibility tree of the last look as text, elements marked by the ids given by element key."""
        assert self.seen is not None, "show() comes first"
        bids = self.seen.bids
        return tree_text(self._tree, {bids[key]: element_id for key, element_id in ids.items() if key in bids})

    def close(self) -> None:
        """Close the context and all it holds."""
        self._context.close()

    def _close_popup(self, popup: Page) -> None:
        if popup != self.page:
            self.left_site = True
            popup.close()

    def _note_navigation(self, frame: Frame) -> None:
        if frame == self.page.main_frame and not self.allows(frame.url):
            self.left_site = True


def _dismiss(dialog: Dialog) -> None:
    if dialog.type == "beforeunload":
        dialog.accept()
    else:
        dialog.dismiss()
