"""A walk over all of a site that knows no gold: every link followed, every form sent, until nothing new is shown.

A new view is tried out at once in the state in which it came up. Beside that one visit goes round and round with its
state kept, so that whatever asks for patience or for another page first (queues, codes, second visits) opens in time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.sites import engine
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.drawn import drawn_page
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.fixtures import fixture_value
from riskchain_gym.sites.pageview import Control, Node, PageView
from riskchain_gym.sites.state import SiteState, initial_state

MAX_VIEWS = 1000
"""Views of one site after which a walk gives up; the generated ones have some 50."""

MAX_ROUNDS = 20
"""Rounds of the long visit at most."""

IDLE_ROUNDS = 2
"""Rounds without anything new after which it ends: the first may have been one of waiting."""

NUMBER = re.compile(r"\d+")
"""Views and lines that differ in numbers alone count as one: counters would make a site endless."""

_FIELDS = ("textbox", "checkbox", "combobox", "slider")


class WalkError(RiskChainError, RuntimeError):
    """A site that has more views than a packet could hold."""


@dataclass(frozen=True)
class Cause:
    """What brought a view up: a control of a page, and the option that was chosen if not the usual one."""

    path: str
    control: str
    option: str = ""


@dataclass(frozen=True)
class View:
    """A page as it was shown once.

    Attributes:
        page: The page.
        state: The state of the visit.
        cause: What brought it up first; ``None`` for the landing page.
    """

    page: PageView
    state: SiteState
    cause: Cause | None


@dataclass
class Walked:
    """What a walk has seen.

    Attributes:
        views: Views by the path of their page, pages and views in the order in which they came up.
        instead: Paths of the pages that were shown when another was asked for, by the path of the other.
        leads: Paths of the pages that a button led to, by the path of its page and its key.
    """

    views: dict[str, list[View]] = field(default_factory=dict)
    instead: dict[str, dict[str, None]] = field(default_factory=dict)
    leads: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)


def walked(site: CompiledSite) -> Walked:
    """Walk a site and return all that it shows.

    Raises:
        WalkError: It has more than :data:`MAX_VIEWS` views.
    """
    return _Walker(site).walk()


class _Walker:
    def __init__(self, site: CompiledSite) -> None:
        self._site = site
        self._found = Walked()
        self._known: set[tuple[object, ...]] = set()
        self._fresh: deque[View] = deque()
        self._paths: dict[str, None] = {site.home: None}

    def walk(self) -> Walked:
        state, _ = self._get(initial_state(self._site), self._site.home, None)
        self._try_out()
        idle = 0
        for _ in range(MAX_ROUNDS):
            before = len(self._known)
            state = self._round(state)
            self._try_out()
            idle = idle + 1 if len(self._known) == before else 0
            if idle == IDLE_ROUNDS:
                break
        return self._found

    def _try_out(self) -> None:
        """Use every control of every view that is new, each in the state in which the view came up."""
        while self._fresh:
            view = self._fresh.popleft()
            for node, control in _controls(view.page):
                if control.role == "link":
                    self._follow(view.state, view.page, control)
                elif control.role == "form":
                    for option, state, form in self._fillings(view.state, view.page, node):
                        self._send(state, view.page, node, form, option)

    def _round(self, state: SiteState) -> SiteState:
        """Open every known page in turn and send each of its forms once, with the state kept."""
        for path in list(self._paths):
            state, page = self._get(state.ticked(), path, None)
            sent: set[str] = set()
            while page is not None and (form := _unsent(page, sent)) is not None:
                sent.add(form.key)
                _, filled, values = next(self._fillings(state, page, form))
                state, _ = self._send(filled, page, form, values, "")
                state, page = self._get(state.ticked(), path, None)
        return state

    def _follow(self, state: SiteState, page: PageView, link: Control) -> None:
        self._paths.setdefault(bare(link.href))
        self._get(state.ticked(), link.href, Cause(bare(page.path), link.name))

    def _fillings(
        self, state: SiteState, page: PageView, form: Node
    ) -> Iterator[tuple[str, SiteState, dict[str, str]]]:
        """Yield what is typed into a form: the environment's values, then each other option of each list of options."""
        specs = drawn_page(self._site, state, bare(page.path))[1]
        fields = [(node.key, control) for node, control in _within(form) if control.role in _FIELDS]
        usual: dict[str, str] = {}
        for key, control in fields:
            state = state.ticked()
            usual[control.field] = fixture_value(specs[key], state)
        yield "", state, usual
        for _, control in fields:
            if control.role == "combobox":
                others = [option for option in control.options if option and option != usual[control.field]]
                yield from ((option, state, {**usual, control.field: option}) for option in others)

    def _send(
        self, state: SiteState, page: PageView, form: Node, values: dict[str, str], option: str
    ) -> tuple[SiteState, PageView | None]:
        button, name = next((node, control.name) for node, control in _within(form) if control.role == "button")
        control = form.control
        assert control is not None
        state, answer = engine.post(self._site, state.ticked(), control.action, values)
        path = bare(page.path)
        state, shown = self._arrive(state, answer, Cause(path, name, option))
        if shown is not None:
            self._found.leads.setdefault((path, button.key), {}).setdefault(bare(shown.path))
        return state, shown

    def _get(self, state: SiteState, path: str, cause: Cause | None) -> tuple[SiteState, PageView | None]:
        state, page = self._arrive(*engine.get(self._site, state, path), cause)
        if page is not None and bare(page.path) != bare(path):
            self._found.instead.setdefault(bare(path), {}).setdefault(bare(page.path))
        return state, page

    def _arrive(self, state: SiteState, answer: Response, cause: Cause | None) -> tuple[SiteState, PageView | None]:
        while answer.location:
            state, answer = engine.get(self._site, state, answer.location)
        page = answer.page
        if page is not None:
            self._note(View(page, state, cause))
        return state, page

    def _note(self, view: View) -> None:
        page = view.page
        path = bare(page.path)
        drawn = tuple(line.text for _, picture in page.pictures() for line in picture.lines)
        named = tuple((control.role, control.name) for _, control in _controls(page))
        known = (path, NUMBER.sub("0", "\n".join((*page.lines(), *drawn))), named)
        if known in self._known:
            return
        if len(self._known) == MAX_VIEWS:
            raise WalkError(f"The site {self._site.site_id} has more than {MAX_VIEWS} views: it cannot be read whole.")
        self._known.add(known)
        self._paths.setdefault(path)
        self._found.views.setdefault(path, []).append(view)
        self._fresh.append(view)


def bare(path: str) -> str:
    """Return a path without its query."""
    return path.partition("?")[0]


def _controls(page: PageView) -> list[tuple[Node, Control]]:
    return [(node, node.control) for node in page.controls() if node.control is not None]


def _within(form: Node) -> list[tuple[Node, Control]]:
    return [(node, node.control) for node in form.walk() if node.control is not None]


def _unsent(page: PageView, sent: set[str]) -> Node | None:
    return next((node for node, control in _controls(page) if control.role == "form" and node.key not in sent), None)
