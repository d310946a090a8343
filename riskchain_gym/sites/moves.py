"""Moves: what a visitor can do next on a page, as concrete actions and as the state they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep
from riskchain_gym.sites import engine
from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.fixtures import fixture_value
from riskchain_gym.sites.focus import Focus
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.state import SiteState
from riskchain_gym.sites.view import show_page_and_fields

TARGET = "target"
"""Placeholder for the element id that whoever walks the path fills in."""

FIELD_ACTIONS = {
    "textbox": ActionKind.FILL,
    "slider": ActionKind.FILL,
    "combobox": ActionKind.SELECT,
    "checkbox": ActionKind.CHECK,
}


@dataclass(frozen=True)
class Act:
    """One action: what is done to the control of which key (none for a reload)."""

    kind: ActionKind
    key: str = ""


def step_of(page: PageView, act: Act) -> PathStep:
    """Return an action on a page with its target named as the inventory names it.

    Raises:
        LookupError: The page has no control with the action's key.
    """
    if not act.key:
        return PathStep(action=BrowserAction(action=act.kind))
    controls = page.controls()
    control = next((node.control for node in controls if node.key == act.key), None)
    if control is None:
        raise LookupError(f"the page {page.path} has no control {act.key}")
    alike = [n.key for n in controls if n.control and (n.control.role, n.control.name) == (control.role, control.name)]
    action = BrowserAction(action=act.kind, element_id=TARGET)
    return PathStep(action=action, role=control.role, name=control.name, nth=alike.index(act.key))


@dataclass(frozen=True)
class Move:
    """One or more actions that belong together, and the state after them."""

    acts: tuple[Act, ...]
    state: SiteState


@dataclass(frozen=True)
class Sight:
    """What matters on a page in a state.

    Attributes:
        shown: Indices of the wanted atoms that it shows.
        links: Key, path and kind of each link to follow (whether it leads to a file).
        forms: Key of the button, path of the action, and key, role and spec of each field.
    """

    shown: frozenset[int]
    links: tuple[tuple[str, str, bool], ...]
    forms: tuple[tuple[str, str, tuple[tuple[str, str, FieldSpec], ...]], ...]


class Mover:
    """Finds moves on one site; a page is drawn once for all states that show it alike.

    Args:
        site: The site.
        focus: What is worth doing for any of the atoms.
        atoms: What is wanted.
    """

    def __init__(self, site: CompiledSite, focus: Focus, atoms: Sequence[EvidenceAtom]) -> None:
        self._site = site
        self._focus = focus
        self._atoms = atoms
        self._sights: dict[tuple[object, ...], Sight] = {}

    def sight(self, state: SiteState) -> Sight:
        """Return what matters on the page that the state shows."""
        variables, visits, steps = self._focus.on_page.get(state.page, ((), (), False))
        alike = (
            state.page,
            *[state.vars.get(name) for name in variables],
            *[state.visits.get(path, 0) for path in visits],
            state.steps if steps else 0,
        )
        if alike not in self._sights:
            self._sights[alike] = self._look(state)
        return self._sights[alike]

    def moves(self, state: SiteState, focus: Focus) -> Iterator[Move]:
        """Yield what is worth doing on the page that the state shows: follow a link, send a form, reload.

        Args:
            state: The state.
            focus: What is worth doing now; no more than the mover's own.
        """
        sight, later = self.sight(state), state.ticked()
        for key, path, is_file in sight.links:
            if path.partition("?")[0] not in (focus.files if is_file else focus.pages):
                continue
            after = engine.get(self._site, later, path)[0] if is_file else arrive(self._site, later, path)
            yield Move((Act(ActionKind.CLICK, key),), after)
        for button, action, fields in sight.forms:
            if action in focus.actions:
                yield self._send(state, button, action, fields)
        if focus.uses.visits or focus.uses.steps:
            yield Move((Act(ActionKind.RELOAD),), arrive(self._site, later, state.page))

    def _send(self, state: SiteState, button: str, action: str, fields: tuple[tuple[str, str, FieldSpec], ...]) -> Move:
        acts: list[Act] = []
        values: dict[str, str] = {}
        for key, role, field in fields:
            state = state.ticked()
            values[field.name] = fixture_value(field, state)
            acts.append(Act(FIELD_ACTIONS[role], key))
        acts.append(Act(ActionKind.CLICK, button))
        state, answer = engine.post(self._site, state.ticked(), action, values)
        return Move(tuple(acts), arrive(self._site, state, answer.location))

    def _look(self, state: SiteState) -> Sight:
        page, specs = show_page_and_fields(self._site, state, state.page)
        links: dict[str, tuple[str, str, bool]] = {}
        forms: list[Node] = []
        for node in page.controls():
            control = node.control
            assert control is not None
            if control.role == "link" and control.href.partition("?")[0] in self._worth(control.download):
                links.setdefault(control.href, (node.key, control.href, control.download))
            elif control.role == "form" and control.action in self._focus.actions:
                forms.append(node)
        wanted = enumerate(self._atoms)
        return Sight(
            shown=frozenset(i for i, atom in wanted if atom.path == state.page and page.shows(atom.text, atom.picture)),
            links=tuple(links.values()),
            forms=tuple(_form(form, specs) for form in forms),
        )

    def _worth(self, download: bool) -> set[str]:
        return self._focus.files if download else self._focus.pages


def _form(form: Node, specs: dict[str, FieldSpec]) -> tuple[str, str, tuple[tuple[str, str, FieldSpec], ...]]:
    inside = [(node.key, node.control) for node in form.walk() if node.control is not None]
    fields = tuple((key, c.role, specs[key]) for key, c in inside if c.role in FIELD_ACTIONS)
    button, control = next((key, c) for key, c in inside if c.role == "button")
    return button, control.action, fields


def arrive(site: CompiledSite, state: SiteState, path: str) -> SiteState:
    """Return the state after a page was asked for and shown, without drawing it."""
    return state.shown(engine.destination(site, state, path.partition("?")[0]))
