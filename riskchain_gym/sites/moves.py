"""Moves: what a visitor can do next on a page, as concrete actions and as the state they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.gold import PathStep
from riskchain_gym.sites import engine
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.fixtures import fixture_value
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.state import SiteState
from riskchain_gym.sites.view import shown_fields

TARGET = "target"
"""Placeholder for the element id that whoever walks the path fills in."""

_FIELD_ACTIONS = {
    "textbox": ActionKind.FILL,
    "slider": ActionKind.FILL,
    "combobox": ActionKind.SELECT,
    "checkbox": ActionKind.CHECK,
}


@dataclass(frozen=True)
class Act:
    """One action: what is done to which node of which page (no node for a reload)."""

    kind: ActionKind
    page: PageView
    node: Node | None = None

    def step(self) -> PathStep:
        """Return the action with its target named as the inventory names it."""
        if self.node is None or self.node.control is None:
            return PathStep(action=BrowserAction(action=self.kind))
        role, name = self.node.control.role, self.node.control.name
        alike = [n.key for n in self.page.controls() if n.control and (n.control.role, n.control.name) == (role, name)]
        action = BrowserAction(action=self.kind, element_id=TARGET)
        return PathStep(action=action, role=role, name=name, nth=alike.index(self.node.key))


@dataclass(frozen=True)
class Move:
    """One or more actions that belong together.

    Attributes:
        acts: The actions, each one environment step.
        state: The state after them.
        path: Path of the page that is shown then.
    """

    acts: tuple[Act, ...]
    state: SiteState
    path: str


def arrive(site: CompiledSite, state: SiteState, path: str) -> tuple[SiteState, str]:
    """Return the state and the path after a page was asked for and shown, without drawing it."""
    target = engine.destination(site, state, path)
    return state.shown(target), target


def moves(site: CompiledSite, state: SiteState, page: PageView) -> Iterator[Move]:
    """Yield what can be done on a page: follow a link, press a button, complete a form, reload.

    Args:
        site: The site.
        state: Its state, the page shown.
        page: The page.
    """
    path, followed = state.page, set()
    for node in page.controls():
        control = node.control
        assert control is not None
        if control.role == "link" and not control.download and control.href not in followed:
            followed.add(control.href)
            shown = arrive(site, replace(state, steps=state.steps + 1), control.href)
            yield Move((Act(ActionKind.CLICK, page, node),), *shown)
        elif control.role == "form":
            yield _form_move(site, state, page, node)
    shown = arrive(site, replace(state, steps=state.steps + 1), path)
    yield Move((Act(ActionKind.RELOAD, page),), *shown)


def _form_move(site: CompiledSite, state: SiteState, page: PageView, form: Node) -> Move:
    acts: list[Act] = []
    values: dict[str, str] = {}
    fields = shown_fields(site, state, state.page)
    for node in form.walk():
        control = node.control
        if control is None or control.role not in _FIELD_ACTIONS:
            continue
        state = replace(state, steps=state.steps + 1)
        values[control.field] = fixture_value(fields[node.key], state)
        acts.append(Act(_FIELD_ACTIONS[control.role], page, node))
    button = next(node for node in form.walk() if node.control is not None and node.control.role == "button")
    assert button.control is not None
    acts.append(Act(ActionKind.CLICK, page, button))
    state = replace(state, steps=state.steps + 1)
    state, answer = engine.post(site, state, button.control.action, values)
    return Move(tuple(acts), *arrive(site, state, answer.location))
