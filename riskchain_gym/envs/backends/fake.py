"""The fake backend: a complete small world without site, server or browser, that fails when told to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import ActResult, RawElement, RawPage, only_compiled
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import SCROLL_PIXELS, ActionErrorKind, ActionKind, BrowserAction
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.page import Capabilities, ObservedLine
from riskchain_gym.protocol.report import Region
from riskchain_gym.sites.replay.model import AnySite

_CLICK = Capabilities(click=True)
_LINKS = {"to-offer": "/offer", "to-about": "/about", "to-home": "/", "open": "/done"}
_NOT_PRESSED = frozenset({"form", "kind"})
_HEIGHT = 2000


@dataclass
class FakeBackend:
    """Four pages: ``/`` with links and a notice to toggle, ``/offer`` with a form, ``/done`` behind it, ``/about``.

    The site it is asked to open only lends its name.

    Attributes:
        viewport: Width and height of screenshots, in pixels.
        fail_at: Numbers of the calls, counted from 1 over :meth:`open`, :meth:`act` and
            :meth:`message_image`, that lose the browser.
        calls: Calls so far.
        is_open: Whether a site is open.
    """

    viewport: tuple[int, int] = (64, 64)
    fail_at: Iterable[int] = ()
    calls: int = 0
    is_open: bool = False
    _operator: str = ""
    _history: list[str] = field(default_factory=list)
    _filled: set[str] = field(default_factory=set)
    _noticed: bool = False
    _scroll: int = 0

    def open(self, site: AnySite) -> RawPage:
        """Show ``/`` in its initial state."""
        self._count()
        self.is_open = True
        self._operator = only_compiled(site, "fake").operator
        self._history, self._filled, self._noticed, self._scroll = ["/"], set(), False, 0
        return self._page()

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action (never ``stop``)."""
        self._count()
        if not self.is_open:
            raise InfrastructureError("not_open", "No site is open: call open() first.")
        return ActResult(error=self._do(action, key), page=self._page())

    def screenshot(self) -> NDArray[np.uint8]:
        """Return one colour a page."""
        width, height = self.viewport
        shade = 40 + 20 * len(self._history[-1]) + 5 * len(self._filled)
        return np.full((height, width, 3), shade % 256, np.uint8)

    def axtree(self, ids: dict[str, str]) -> str:
        """Return one line an element."""
        return "\n".join(f"[{ids[e.key]}] {e.role} '{e.name}'" for e in self._page().elements)

    def dom(self, ids: dict[str, str]) -> str:
        """Return one paragraph a line and one tag an element."""
        page = self._page()
        lines = [f"<p>{line.text}</p>" for line in page.lines]
        return "\n".join([*lines, *(f'<{e.role} id="{ids[e.key]}">{e.name}</{e.role}>' for e in page.elements)])

    def browsergym(self) -> NoReturn:
        """Refuse: browsergym-core needs a browser.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("backend='fake' has no browser for browsergym-core: use backend='chromium'.")

    def message_image(self, message: Message, theme: Theme) -> NDArray[np.uint8]:
        """Return a bar for each message of the session, as dark or light as the theme."""
        self._count()
        paper, ink = (32, 224) if theme == "dark" else (224, 32)
        picture = np.full((VIEW_HEIGHT_PX, VIEW_WIDTH_PX, 3), paper, np.uint8)
        for i in range(len(message.messages)):
            picture[20 + 40 * i : 40 + 40 * i, 20:-20] = ink
        return picture

    def egress(self) -> dict[str, int]:
        """Return nothing: no page here runs by itself."""
        return {}

    def close(self) -> None:
        """Close the site; idempotent."""
        self.is_open = False

    def _count(self) -> None:
        self.calls += 1
        if self.calls in tuple(self.fail_at):
            self.is_open = False
            raise InfrastructureError("browser_lost", f"The fake browser was told to fail at call {self.calls}.")

    def _do(self, action: BrowserAction, key: str | None) -> ActionErrorKind | None:
        kind = action.action
        if kind is ActionKind.PRESS:
            if key in _NOT_PRESSED:
                return ActionErrorKind.EXECUTION_ERROR
            # Enter pushes links and buttons, and in a field it sends the form.
            kind = ActionKind.CLICK if action.key == "Enter" or key == "locked" else ActionKind.NOOP
        match kind:
            case ActionKind.SCROLL_DOWN | ActionKind.SCROLL_UP:
                step = SCROLL_PIXELS if kind is ActionKind.SCROLL_DOWN else -SCROLL_PIXELS
                self._scroll = min(max(self._scroll + step, 0), _HEIGHT)
            case ActionKind.NOOP:
                pass
            case ActionKind.RELOAD:
                self._filled = set()
            case ActionKind.BACK if len(self._history) == 1:
                return ActionErrorKind.NO_HISTORY
            case ActionKind.BACK:
                self._go(None)
            case _ if key == "locked":
                return ActionErrorKind.ELEMENT_DISABLED
            case _ if key == "outside":
                return ActionErrorKind.BLOCKED_NAVIGATION
            case ActionKind.CLICK if key == "notice":
                self._noticed = not self._noticed
            case ActionKind.CLICK if key in _LINKS:
                self._go(_LINKS[key])
            case ActionKind.SUBMIT | ActionKind.CLICK:
                if {"name", "agree", "kind"} <= self._filled:
                    self._go("/done")
            case _:
                self._filled = {*self._filled, key or ""}
        return None

    def _go(self, path: str | None) -> None:
        """Show a path, or for ``None`` the page before."""
        self._history = self._history[:-1] if path is None else [*self._history, path]
        self._filled, self._scroll = set(), 0

    def _page(self) -> RawPage:
        path = self._history[-1]
        lines, elements = {"/": self._home, "/offer": self._offer, "/done": self._done, "/about": self._about}[path]()
        return RawPage(
            path=path,
            title=f"{self._operator} {path}",
            status=200,
            lines=tuple(
                ObservedLine(text=text, box=Region(x=8, y=8 + 24 * i, width=200, height=20))
                for i, text in enumerate([self._operator, *lines])
            ),
            elements=tuple(replace(e, has_value=e.key in self._filled and e.role != "checkbox") for e in elements),
            scroll_y=self._scroll,
            height=_HEIGHT,
        )

    def _home(self) -> tuple[list[str], list[RawElement]]:
        return ["欢迎来到首页", *(["公告：今日 10:00 开放"] if self._noticed else [])], [
            RawElement("to-offer", "link", "查看活动", capabilities=_CLICK),
            RawElement("to-about", "link", "关于我们", capabilities=_CLICK),
            RawElement("notice", "button", "公告", capabilities=_CLICK),
            RawElement("locked", "button", "领取", disabled=True, capabilities=_CLICK),
            RawElement("outside", "link", "合作伙伴", capabilities=_CLICK),
        ]

    def _offer(self) -> tuple[list[str], list[RawElement]]:
        return ["填写资料后继续"], [
            RawElement("form", "form", "资料", capabilities=Capabilities(submit=True)),
            RawElement("name", "textbox", "姓名", type="text", capabilities=Capabilities(fill=True)),
            RawElement(
                "kind", "combobox", "类别", options=("", "个人", "企业"), capabilities=Capabilities(select=True)
            ),
            RawElement(
                "agree",
                "checkbox",
                "同意",
                type="checkbox",
                checked="agree" in self._filled,
                capabilities=Capabilities(check=True),
            ),
            RawElement("send", "button", "提交", capabilities=_CLICK),
            RawElement("to-home", "link", "首页", capabilities=_CLICK),
        ]

    def _done(self) -> tuple[list[str], list[RawElement]]:
        return ["提交成功，编号 4242"], [RawElement("to-home", "link", "首页", capabilities=_CLICK)]

    def _about(self) -> tuple[list[str], list[RawElement]]:
        return [], [RawElement("to-home", "link", "首页", capabilities=_CLICK)]
