"""A small site in memory, walked by the same observations that the environment hands out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from riskchain_gym.protocol.action import ActionKind, BrowserAction

CAPABILITY = {
    "link": "click",
    "button": "click",
    "textbox": "fill",
    "slider": "fill",
    "checkbox": "check",
    "combobox": "select",
}


@dataclass
class Ctl:
    """A control: links have ``to``, or ``do`` as buttons and forms have (the path to show then, or None to stay)."""

    role: str
    name: str
    to: str = ""
    do: Callable[[FakeSite], str | None] | None = None
    disabled: bool = False
    options: tuple[str, ...] = ()


@dataclass
class Page:
    lines: list[str]
    controls: list[Ctl] = field(default_factory=list)
    title: str = "页面"


PageMaker = Callable[["FakeSite"], Page]


class FakeSite:
    """Pages by path, a state shared by all, values of the fields of the current page."""

    def __init__(self, pages: dict[str, Page | PageMaker], home: str = "/a", budget: int = 30) -> None:
        self.pages = pages
        self.path = home
        self.history = [home]
        self.state: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.seen: list[str] = [home]
        self.step = 0
        self.left = budget
        self.stopped = False
        self.actions: list[BrowserAction] = []
        self.error = ""

    @property
    def page(self) -> Page:
        made = self.pages[self.path]
        return made(self) if callable(made) else made

    def controls(self) -> list[tuple[str, Ctl]]:
        return [(f"{self.path}#{i}", c) for i, c in enumerate(self.page.controls)]

    def observe(self) -> dict[str, Any]:
        page = self.page
        lines = [
            *page.lines,
            *([self.error] if self.error else []),
            *(c.name for c in page.controls if c.role == "link"),
        ]
        elements = [
            {
                "element_id": key,
                "role": c.role,
                "name": c.name,
                "type": "",
                "placeholder": "",
                "options": list(c.options),
                "disabled": c.disabled,
                "checked": bool(self.values.get(key)) if c.role == "checkbox" else False,
                "has_value": key in self.values or c.role == "slider",
                "capabilities": {CAPABILITY.get(c.role, "submit"): True},
            }
            for key, c in self.controls()
        ]
        shown = {"step": self.step, "path": self.path, "title": page.title, "elements": elements, "progress": {}}
        return {
            "phase": 1,
            "text": "\n".join(lines),
            "elements": json.dumps(shown, ensure_ascii=False),
            "feedback": "",
            "steps_left": self.left,
        }

    def report_observation(self) -> dict[str, Any]:
        return {"phase": 2, "text": "", "elements": '{"observed_steps": []}', "feedback": "", "steps_left": self.left}

    def act(self, text: str) -> None:
        action = BrowserAction.model_validate_json(text)
        self.actions.append(action)
        self.left -= 1
        if action.action is ActionKind.STOP:
            self.stopped = True
            return
        self.step += 1
        self.error = ""
        if action.element_id is not None:
            self._target(action)
        elif action.action is ActionKind.BACK and len(self.history) > 1:
            self.history.pop()
            self._show(self.history[-1])
        elif action.action is ActionKind.RELOAD:
            self._show(self.path)

    def _target(self, action: BrowserAction) -> None:
        control = dict(self.controls())[action.element_id or ""]
        assert not control.disabled
        assert CAPABILITY.get(control.role, "submit") == action.action.value
        if control.role == "link" and control.do is None:
            self._go(control.to)
        elif control.role in ("link", "button", "form"):
            assert control.do is not None
            went = control.do(self)
            if went is not None:
                self._go(went)
        else:
            self.values[action.element_id or ""] = action.option or True

    def filled(self, *names: str) -> bool:
        """Whether every field of these names on the current page holds a value."""
        return all(key in self.values for key, c in self.controls() if c.name in names)

    def refuse(self, error: str) -> None:
        self.error = error
        self.values.clear()

    def _go(self, path: str) -> None:
        self.history.append(path)
        self._show(path)

    def _show(self, path: str) -> None:
        if path != self.path:
            self.values.clear()
        self.path = path
        self.seen.append(path)
