"""One episode in the browser: a fresh context with one page that never leaves its site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from riskchain_gym.envs.backends.base import NAME_LIMIT, PLACEHOLDER_LIMIT, BrowsergymPage
from riskchain_gym.envs.browser.browsergym_page import Snapshot, browsergym_page, focused_bid, snapshot
from riskchain_gym.envs.browser.capture import capture_request
from riskchain_gym.envs.browser.egress import Border
from riskchain_gym.envs.browser.host_name import without_host
from riskchain_gym.envs.browser.input_events import InputEvents
from riskchain_gym.envs.browser.inventory import SeenPage, seen_page
from riskchain_gym.envs.browser.keyboard import Keyboard
from riskchain_gym.envs.browser.marking import (
    BID_ATTRIBUTE,
    AccessibilityTree,
    accessibility_tree,
    mark,
    tree_text,
    unmark,
)
from riskchain_gym.envs.browser.pointer import Pointer
from riskchain_gym.envs.browser.scripts import script
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.watch import LoadWatch
from riskchain_gym.envs.browser.world import REPLACED, DocumentReplacedError, ObserverWorld, ScriptError
from riskchain_gym.protocol.action import ActionErrorKind
from riskchain_gym.protocol.errors import InfrastructureError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

R = TypeVar("R")

_NET_ERROR = re.compile(r"net::ERR_?\w*")
_LOOKS = 4
"""How often a page that is replaced while it is looked at is looked at again."""
_SITES_OWN = {
    "net::ERR_TOO_MANY_REDIRECTS": ActionErrorKind.EXECUTION_ERROR,
    "net::ERR_UNSAFE_REDIRECT": ActionErrorKind.BLOCKED_NAVIGATION,
    "net::ERR_INVALID_REDIRECT": ActionErrorKind.BLOCKED_NAVIGATION,
}
"""Why a document does not come although the server has answered, and what that is called."""
_BROKEN_OFF = ("net::ERR", "interrupted by another navigation", "Not attached to an active page")
"""Signs of a navigation that came to nothing, or to something else."""


class Episode:
    """A page on a host of its own, in a context that shares nothing with earlier episodes.

    Everything here runs on the browser's owner thread. Pages that a page opens are closed at once, dialogs are
    dismissed, downloads are refused; in each case the page itself stays.

    Args:
        browser: The running browser.
        host: The episode's host name, opaque and never used before.
        settings: Viewport, language and time limits.
        with_axtree: Whether :meth:`look` reads the accessibility tree too.
        with_browsergym: Whether it reads all that observations of browsergym-core hold.
    """

    def __init__(
        self,
        browser: Browser,
        host: str,
        settings: BrowserSettings,
        *,
        with_axtree: bool = False,
        with_browsergym: bool = False,
    ) -> None:
        self.host = host
        self._with_marks = with_axtree or with_browsergym
        self._with_browsergym = with_browsergym
        self._tree: AccessibilityTree = {}
        self._dom: Snapshot = {}
        self._focused = ""
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
        try:
            self._context.add_init_script(script("clock"))
            self.page: Page = self._context.new_page()
            self._cdp = self._context.new_cdp_session(self.page)
            self._cdp.send("Page.enable")
            frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
            self.world = ObserverWorld(self._cdp, frame)
            events = InputEvents(self._cdp, frame, settings.load_timeout_ms)
            self.pointer, self.keyboard = Pointer(events), Keyboard(events)
            self._watch = LoadWatch(self.page, self._cdp, frame, self.world)
            self.border = Border(self._context, self.page, self._cdp, host)
            self.seen: SeenPage | None = None
            self._shown_url = ""
            self._has_scripts = False
            # What waits for a page that has crashed fails at once when it is closed, and never otherwise.
            self.page.on("crash", lambda page: page.close())
        except Exception:
            # Nobody else can: of an episode that was never made, only its context is there.
            self.close()
            raise

    def is_alive(self) -> bool:
        """Say whether the page still answers; a page that was made ahead may have died since."""
        from playwright.sync_api import Error

        try:
            # Asking the page also makes Playwright see what has happened to it meanwhile.
            self._cdp.send("Page.getFrameTree")
        except Error:
            return False
        return not self.page.is_closed()

    def follow_requests(self) -> None:
        """Wait for answers to what scripts ask for, too; for a site whose pages have some, before it is shown."""
        self._watch.follow_requests()
        self._has_scripts = True

    def show(self, path: str) -> SeenPage:
        """Navigate to a path of the site and look at it.

        Raises:
            InfrastructureError: The sandbox server gives no page (cause ``sandbox_lost``), or one that leads out of its
                site at once, or nowhere (``site_error``).
        """
        self._shown_url = url = f"http://{self.host}{path}"
        code = self._navigate(lambda timeout: self.page.goto(url, wait_until="load", timeout=timeout))
        if code not in ("", "net::ERR_ABORTED"):
            cause = "site_error" if code in _SITES_OWN or self.border.attempts else "sandbox_lost"
            raise InfrastructureError(cause, f"The landing page did not load ({code}).")
        if self._has_scripts:
            self.settle()
        return self.look()

    def settle(self) -> None:
        """Return once the page is at rest (see :class:`LoadWatch`)."""
        settings = self.settings
        self._watch.settle(settings.load_timeout_ms, settings.quiet_cap_ms, settings.settle_poll_ms)

    def look(self) -> SeenPage:
        """Describe the page as it stands; its elements can be acted on until the next look.

        Only a page of the site is ever described: one that has left it is brought back first.

        Raises:
            InfrastructureError: The page does not stay long enough to be described, or does not let itself be.
        """
        self.seen = seen_page(self._undisturbed(self._look_once))
        self._shown_url = self.page.url
        return self.seen

    def _look_once(self) -> dict[str, Any]:
        if self._with_marks:
            self._read_marked()
        found: dict[str, Any] = self.world.call("inventory", [BID_ATTRIBUTE, NAME_LIMIT, PLACEHOLDER_LIMIT])
        if found["site"] != f"http://{self.host}":
            raise DocumentReplacedError("the page has left its site")
        return found

    def _undisturbed(self, look: Callable[[], R]) -> R:
        """Look at the page, and once more when its document was replaced meanwhile."""
        for _ in range(_LOOKS):
            try:
                return look()
            except DocumentReplacedError:
                self.settle()
                self.return_to_site()
            except ScriptError as error:
                raise InfrastructureError("site_error", f"The page cannot be described: {error}") from error
        raise InfrastructureError("page_restless", f"The page was replaced each of {_LOOKS} times it was looked at.")

    def _read_marked(self) -> None:
        """Read what needs marks on the elements; they stay in the document until another one is shown."""
        from playwright.sync_api import Error

        try:
            mark(self.page)
            if self._with_browsergym:
                self._dom, self._focused = snapshot(self.page), focused_bid(self.page)
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
        return self.border.allows(url)

    def return_to_site(self) -> ActionErrorKind | None:
        """Bring the page back to its site, should it have left it, and return what it did; ``None`` if it had not.

        It comes back to the page that was described last: through its history, if that page is the last one there,
        else, or if it leads out again, by asking for it again.

        Raises:
            InfrastructureError: The site's own server gave no page (cause ``sandbox_lost``), or the page leaves its
                site whenever it is shown (``site_error``).
        """
        if self.is_on_site():
            return None
        frame = self._cdp.send("Page.getFrameTree")["frameTree"]["frame"]
        unreachable = frame.get("unreachableUrl", "")
        what = ActionErrorKind.BLOCKED_NAVIGATION
        if self.allows(unreachable):
            if self.border.refusal not in _SITES_OWN:
                path = urlsplit(unreachable).path
                raise InfrastructureError("sandbox_lost", f"The sandbox server gave no page for {path}.")
            what = _SITES_OWN[self.border.refusal]
        for way in (lambda: self.go_back(only_to=self._shown_url), self._show_again):
            way()
            self.settle()
            if self.is_on_site():
                return what
        raise InfrastructureError("site_error", "The page leaves its site whenever it is shown.")

    def go_back(self, only_to: str = "") -> bool:
        """Go one entry back in the page's history; return whether there was one of the site.

        Args:
            only_to: Address that the entry must have; any of the site by default.
        """
        history: dict[str, Any] = self._cdp.send("Page.getNavigationHistory")
        before = history["currentIndex"] - 1
        url = history["entries"][before]["url"] if before >= 0 else ""
        if not self.allows(url) or (only_to and url != only_to):
            return False
        self._navigate(lambda timeout: self.page.go_back(wait_until="load", timeout=timeout))
        return True

    def reload(self) -> None:
        """Load the page again."""
        self._navigate(lambda timeout: self.page.reload(wait_until="load", timeout=timeout))

    def _show_again(self) -> None:
        self._navigate(lambda timeout: self.page.goto(self._shown_url, wait_until="load", timeout=timeout))

    def _navigate(self, way: Callable[[int], object]) -> str:
        """Navigate; return the net error if it came to nothing, or to something else.

        Where the page stands afterwards is for who asks next.
        """
        from playwright.sync_api import Error

        try:
            way(self.settings.load_timeout_ms)
        except Error as error:
            said = str(error)
            if not any(sign in said for sign in _BROKEN_OFF):
                raise
            code = _NET_ERROR.search(said)
            return code[0] if code is not None else ""
        return ""

    def screenshot(self) -> str:
        """Return the viewport as a picture in base64, encoded as the settings say."""
        answer = self._cdp.send("Page.captureScreenshot", capture_request(self.settings.screenshot_format))
        return str(answer["data"])

    def axtree(self, ids: Mapping[str, str]) -> str:
        """Return the accessibility tree of the last look as text, elements marked by the ids given by element key."""
        assert self.seen is not None, "show() comes first"
        bids = self.seen.bids
        marks = {bids[key]: element_id for key, element_id in ids.items() if key in bids}
        return without_host(tree_text(self._tree, marks), self.host)

    def browsergym(self) -> BrowsergymPage:
        """Return what browsergym-core says of the page of the last look."""
        assert self.seen is not None, "show() comes first"
        return browsergym_page(self._dom, self._tree, self._focused, self.host, self.seen.bids)

    def dom(self, ids: Mapping[str, str]) -> str:
        """Return the page of the last look as readable HTML, elements marked by the ids given by element key."""
        return str(self._undisturbed(lambda: self.world.call("dom", list(ids.items()))))

    def close(self) -> None:
        """Close the context and all it holds."""
        self._context.close()
