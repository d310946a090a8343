"""The text backend: browses a site's pages as values, without a browser, a server or geometry."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NoReturn

from riskchain_gym.envs.backends.base import ActResult, RawElement, RawPage, only_compiled
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import ActionErrorKind, ActionKind, BrowserAction, Key
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.page import Capabilities, ObservedLine, ObservedPicture
from riskchain_gym.sites.drawn import PAGES_KEPT
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.pageview import Control, Node, PageView
from riskchain_gym.sites.replay.model import AnySite
from riskchain_gym.sites.same import Same
from riskchain_gym.sites.session import SiteSession

_CAPABILITIES: dict[str, Capabilities] = {
    "link": Capabilities(click=True),
    "button": Capabilities(click=True),
    "textbox": Capabilities(fill=True),
    "slider": Capabilities(fill=True),
    "checkbox": Capabilities(check=True),
    "combobox": Capabilities(select=True),
    "form": Capabilities(submit=True),
}
_INPUTS = frozenset({"textbox", "checkbox", "slider"})
_CHECKED = "on"


class TextBackend:
    """Reports of every page what a browser would, but no geometry."""

    def __init__(self) -> None:
        self._session: SiteSession | None = None
        self._page: PageView | None = None
        self._raw: RawPage | None = None
        self._history: list[str] = []
        self._typed: dict[str, str] = {}

    def open(self, site: AnySite) -> RawPage:
        """Forget the last episode and show the site's landing page in its initial state.

        Raises:
            ConfigError: It is an imported site.
        """
        self._session, self._history = SiteSession(only_compiled(site, "text")), []
        self._arrive(self._session, self._session.get(site.home), site.home)
        return self._opened()[2]

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action (never ``stop``).

        Raises:
            InfrastructureError: No site is open.
        """
        session, page, _ = self._opened()
        session.tick()
        error: ActionErrorKind | None = None
        match action.action:
            case ActionKind.RELOAD:
                self._load(session)
            case ActionKind.BACK if len(self._history) > 1:
                self._history.pop()
                self._load(session)
            case ActionKind.BACK:
                error = ActionErrorKind.NO_HISTORY
            case ActionKind.SCROLL_DOWN | ActionKind.SCROLL_UP | ActionKind.NOOP:
                pass
            case _:
                error = self._use(session, page, action, key)
        return ActResult(page=self._opened()[2], error=error)

    def screenshot(self) -> NoReturn:
        """Refuse: there is no picture of a page here.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='text' has no screenshots: use backend='chromium'.")

    def axtree(self, ids: dict[str, str]) -> NoReturn:  # noqa: ARG002
        """Refuse: there is no accessibility tree here.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='text' has no accessibility tree: use backend='chromium'.")

    def dom(self, ids: dict[str, str]) -> NoReturn:  # noqa: ARG002
        """Refuse: there is no document here.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='text' has no DOM: use backend='chromium'.")

    def browsergym(self) -> NoReturn:
        """Refuse: browsergym-core needs a browser.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='text' has no browser for browsergym-core: use backend='chromium'.")

    def message_image(self, message: Message, theme: Theme) -> NoReturn:  # noqa: ARG002
        """Refuse: there is no picture of a message here.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='text' has no pictures of messages: use backend='chromium'.")

    def egress(self) -> dict[str, int]:
        """Return nothing: no page here runs by itself."""
        return {}

    def close(self) -> None:
        """Forget the site; idempotent."""
        self._session = self._page = self._raw = None

    def _opened(self) -> tuple[SiteSession, PageView, RawPage]:
        if self._session is None or self._page is None or self._raw is None:
            raise InfrastructureError("not_open", "No site is open: call open() first.")
        return self._session, self._page, self._raw

    def _use(
        self, session: SiteSession, page: PageView, action: BrowserAction, key: str | None
    ) -> ActionErrorKind | None:
        node = next((node for node in page.controls() if node.key == key), None)
        if node is None or node.control is None:
            return ActionErrorKind.ELEMENT_DETACHED
        control = node.control
        if control.disabled:
            return ActionErrorKind.ELEMENT_DISABLED
        match action.action:
            case ActionKind.FILL:
                try:
                    self._type(node, session.fixture(page.path, node.key))
                except KeyError:
                    return ActionErrorKind.EXECUTION_ERROR
            case ActionKind.CHECK:
                self._type(node, _CHECKED)
            case ActionKind.SELECT:
                wanted = action.option if action.option is not None else next(filter(None, control.options), None)
                if wanted not in control.options:
                    return ActionErrorKind.EXECUTION_ERROR
                self._type(node, wanted)
            case ActionKind.PRESS:
                return self._press(session, page, node, action.key)
            case ActionKind.CLICK if control.role == "link":
                stays = control.href == self._history[-1]
                self._arrive(session, session.get(control.href), control.href, replaces=stays)
            case _:
                values = self._form_values(page, node.key)
                self._arrive(session, session.post(control.action, values), control.action)
        return None

    def _press(self, session: SiteSession, page: PageView, node: Node, key: Key | None) -> ActionErrorKind | None:
        """Press a key as in a browser: Enter follows, pushes, or sends the form of a field by its first button."""
        control = node.control
        assert control is not None
        if control.role == "form" or (key == "Enter" and _takes_enter_for_itself(node)):
            return ActionErrorKind.EXECUTION_ERROR
        if key == "Escape":
            if control.type == "search":
                self._type(node, "")
            return None
        pushed: Node | None = node
        if control.role not in ("link", "button"):
            form = _form_of(page, node.key)
            inside = form.walk() if form is not None else ()
            pushed = next((each for each in inside if each.control and each.control.role == "button"), None)
        if pushed is not None:
            push = BrowserAction(action=ActionKind.CLICK, element_id=pushed.key)
            self._use(session, page, push, pushed.key)  # a button that is disabled does nothing
        return None

    def _form_values(self, page: PageView, key: str) -> dict[str, str]:
        """Return what the form sends that a control is or stands in; an unchecked box is left out."""
        form = _form_of(page, key)
        values: dict[str, str] = {}
        for node in form.walk() if form is not None else ():
            control = node.control
            if control is None or not control.field or control.disabled:
                continue
            value = self._value(node.key, control)
            if control.role != "checkbox" or value:
                values[control.field] = value
        return values

    def _arrive(self, session: SiteSession, answer: Response, path: str, *, replaces: bool = False) -> None:
        """Follow redirects to a page, or to a file, which is not kept and leaves the page as it was.

        A page becomes a new entry of the history. As in a browser, a link to the page shown replaces its entry, while a
        form whose answer leads back to its page adds one.
        """
        while answer.location:
            path = answer.location
            answer = session.get(path)
        if answer.page is None:
            return
        if replaces:
            self._history.pop()
        self._history.append(path)
        self._show(answer.page)

    def _load(self, session: SiteSession) -> None:
        """Ask again for the page the history stands at."""
        answer = session.open(self._history[-1])
        assert answer.page is not None, "only pages enter the history"
        self._history[-1] = answer.page.path
        self._show(answer.page)

    def _show(self, page: PageView) -> None:
        self._page, self._raw, self._typed = page, _as_served(Same(page)), {}

    def _type(self, node: Node, value: str) -> None:
        """Put a value into a control; a page that looks no different stays the same object."""
        _, page, raw = self._opened()
        self._typed[node.key] = value
        place = next(i for i, control in enumerate(page.controls()) if control is node)
        element = _element(node, value)
        if element != raw.elements[place]:
            self._raw = replace(raw, elements=(*raw.elements[:place], element, *raw.elements[place + 1 :]))

    def _value(self, key: str, control: Control) -> str:
        return self._typed.get(key, _served(control))


def _form_of(page: PageView, key: str) -> Node | None:
    """Return the form that a control is or stands in."""
    forms = [node for node in page.controls() if node.control is not None and node.control.role == "form"]
    return next((form for form in forms if any(inner.key == key for inner in form.walk())), None)


def _takes_enter_for_itself(node: Node) -> bool:
    return node.kind in ("textarea", "select")


def _served(control: Control) -> str:
    """Return the value that a control was served with."""
    return (_CHECKED if control.checked else "") if control.role == "checkbox" else control.value


@lru_cache(PAGES_KEPT)
def _as_served(page: Same[PageView]) -> RawPage:
    """Return what there is to report of a page that nothing was typed into."""
    view = page.value
    controls = [(node, node.control) for node in view.controls()]
    return RawPage(
        path=view.path,
        title=view.title,
        status=view.status,
        lines=tuple([_line(line) for line in view.lines()]),
        elements=tuple([_element(node, _served(control)) for node, control in controls if control is not None]),
        pictures=tuple([ObservedPicture(key=key, alt=picture.alt) for key, picture in view.pictures()]),
    )


@lru_cache(4 * PAGES_KEPT)
def _line(text: str) -> ObservedLine:
    """Return a line; most stand on many pages, and checking each anew is what takes time."""
    return ObservedLine(text=text)


def _element(node: Node, value: str) -> RawElement:
    control = node.control
    assert control is not None
    return RawElement(
        key=node.key,
        role=control.role,
        name=control.name,
        type=control.type if control.role in _INPUTS else "",
        placeholder=control.placeholder if control.role == "textbox" else "",
        options=control.options,
        disabled=control.disabled,
        checked=control.role == "checkbox" and bool(value),
        has_value=control.role in ("textbox", "slider", "combobox") and bool(value),
        capabilities=_CAPABILITIES[control.role],
    )
