"""The focus of a search: the few pages, actions and variables of a site that can matter for seeing certain lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import DownloadBlock, FieldSpec, FormBlock, PanelsBlock
from riskchain_gym.sites.compiled import CompiledSite, download_path, panel_key, path_of
from riskchain_gym.sites.expressions import expression_uses, template_uses
from riskchain_gym.sites.shapes import Uses
from riskchain_gym.sites.slots import Slot, slots_of
from riskchain_gym.sites.state import SiteState

MAX_ACTIONS = 30
"""Browse actions of the published budget; no way within it counts more steps or showings of a page."""


@dataclass(frozen=True)
class Spot:
    """Something on a page that a search may want: a line, or a way on.

    Attributes:
        page: Path of the page.
        kind: ``line``, ``page``, ``action`` or ``file``.
        target: The line's text, or the path that it leads to.
        conditions: Expressions that must hold for it to be shown.
        panels: State variables of the folds and tabs around it.
        fields: Fields of the form, for an action that a form does.
    """

    page: str
    kind: str
    target: str
    conditions: tuple[str, ...]
    panels: tuple[str, ...]
    fields: tuple[FieldSpec, ...] = ()

    @cached_property
    def uses(self) -> Uses:
        """What decides whether it is shown."""
        panels = Uses(variables=frozenset(self.panels))
        return Uses.together([panels, *(expression_uses(when) for when in self.conditions)])


def spots(site: CompiledSite, lines: frozenset[str]) -> Iterator[Spot]:
    """Yield the ways on of every page and the places of some lines, in document order.

    Args:
        site: The site.
        lines: The lines.
    """
    for path, page in site.pages.items():
        for block in page.blocks:
            yield from _below(block, path, (), (), lines)


def places(site: CompiledSite, atoms: Iterable[EvidenceAtom]) -> Iterator[Spot]:
    """Yield where the lines of some atoms stand on their pages."""
    texts: dict[str, set[str]] = {}
    for atom in atoms:
        texts.setdefault(atom.path, set()).add(atom.text)
    for path, lines in texts.items():
        for block in site.pages[path].blocks:
            yield from (spot for spot in _below(block, path, (), (), frozenset(lines)) if spot.kind == "line")


def _below(
    model: Frozen, page: str, conditions: tuple[str, ...], panels: tuple[str, ...], lines: frozenset[str]
) -> Iterator[Spot]:
    values = model.__dict__
    if (when := values.get("when")) is not None:
        conditions = (*conditions, when)
    if isinstance(model, PanelsBlock):
        for i in range(len(model.items)):
            yield Spot(page, "action", path_of(panel_key(model.name, i)), conditions, panels)
        panels = (*panels, model.name)
    elif isinstance(model, DownloadBlock):
        yield Spot(page, "file", download_path(model.file), conditions, panels)
    for name, slot in slots_of(type(model)):
        for value in _flat(values[name]):
            if isinstance(value, Frozen):
                yield from _below(value, page, conditions, panels, lines)
            elif slot is Slot.TEXT and value in lines:
                yield Spot(page, "line", value, conditions, panels)
            elif slot is Slot.PAGE:
                yield Spot(page, "page", path_of(value), conditions, panels)
            elif slot is Slot.ACTION:
                fields = model.fields if isinstance(model, FormBlock) else ()
                yield Spot(page, "action", path_of(value), conditions, panels, fields)


def _flat(value: object) -> Iterator[Frozen | str]:
    if isinstance(value, (Frozen, str)):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _flat(item)


class Focus:
    """What can matter on the way to some lines; whatever else a visitor does changes nothing about it.

    Args:
        site: The site.
        atoms: The lines to see.
        everything: Whether to leave nothing out, and to tell every number of steps and showings apart.
        known: The site's :func:`spots` for these lines, if they are known already.

    Attributes:
        spots: The same.
        pages: Paths of the pages worth going to.
        actions: Paths of the actions worth doing.
        files: Paths of the files worth fetching.
        uses: Variables, page counters and steps that tell two states apart.
    """

    def __init__(
        self,
        site: CompiledSite,
        atoms: Iterable[EvidenceAtom],
        *,
        everything: bool = False,
        known: Sequence[Spot] | None = None,
    ) -> None:
        self._site = site
        self._exact = everything
        self._wanted = {(atom.path, atom.text) for atom in atoms}
        self.spots = list(spots(site, frozenset(text for _, text in self._wanted))) if known is None else known
        self._linked = {"/", *(link.to for link in (*site.nav, *site.footer))}
        self.pages: set[str] = set()
        self.actions: set[str] = set()
        self.files: set[str] = set()
        self.uses = Uses()
        for path, _ in self._wanted:
            self._page(path)
        for spot in self.spots:
            if spot.kind == "line" and (spot.page, spot.target) in self._wanted:
                self._use(spot.uses)
        if everything:
            self._everything()
        self.files.update(p for p, names in site.fetched.items() if not self.uses.variables.isdisjoint(names))

    @cached_property
    def on_page(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...], bool]]:
        """What decides which wanted lines and which ways on that matter a page shows, by its path.

        Names of variables, paths of pages whose showings are counted, and whether the number of steps is read.
        """
        found: dict[str, list[Uses]] = {}
        for spot in self.spots:
            if spot.kind == "line" or spot.target in self._of_kind(spot.kind):
                found.setdefault(spot.page, []).append(spot.uses)
        together = {page: Uses.together(uses) for page, uses in found.items()}
        return {page: (tuple(uses.variables), _paths(uses), uses.steps) for page, uses in together.items()}

    def key(self, state: SiteState) -> tuple[object, ...]:
        """Return what tells a state apart from others that matter no differently."""
        variables = tuple([state.vars.get(name) for name in self._variables])
        most_visits, most_steps = self.kept
        visits = tuple([min(state.visits.get(path, 0), most_visits) for path in self._visits])
        return state.page, variables, visits, min(state.steps, most_steps) if self.uses.steps else 0

    @cached_property
    def kept(self) -> tuple[int, int]:
        """Up to which number of showings of a page, and of steps, two states are told apart.

        Beyond the greatest number that they are compared with, counts make no difference. What a variable holds is not
        known, so a count that stands beside one with a number in it is told apart to the end.
        """
        every = MAX_ACTIONS + 1
        if self._exact or any(type(self._site.state.get(name)) in (int, float) for name in self.uses.beside):
            return every, every
        return min(self.uses.most_visits + 1, every), min(self.uses.most_steps + 1, every)

    @cached_property
    def _variables(self) -> tuple[str, ...]:
        return tuple(self.uses.variables)

    @cached_property
    def _visits(self) -> tuple[str, ...]:
        return _paths(self.uses)

    def _of_kind(self, kind: str) -> set[str]:
        return {"page": self.pages, "action": self.actions, "file": self.files}[kind]

    def _everything(self) -> None:
        for path in self._site.pages:
            self._page(path)
        for path in self._site.actions:
            self._action(path)
        for spot in self.spots:
            self._use(spot.uses)
        self._use(Uses(variables=frozenset(self._site.state)))
        self.files.update(self._site.downloads)

    def _page(self, path: str) -> None:
        """Note a page worth going to, with what it takes to come there."""
        if path in self.pages or path not in self._site.pages:
            return
        self.pages.add(path)
        for detour in self._site.pages[path].detours:
            self._use(expression_uses(detour.when))
            self._page(detour.go)
        if path in self._linked:
            return
        for spot in self.spots:
            if spot.kind == "page" and spot.target == path:
                self._page(spot.page)
                self._use(spot.uses)
        for name, action in self._site.actions.items():
            if path == action.go or any(detour.go == path for detour in action.otherwise):
                self._action(name)
        for name, page in self._site.pages.items():
            if any(detour.go == path for detour in page.detours):
                self._page(name)

    def _action(self, path: str) -> None:
        """Note an action worth doing, with what it takes to do it."""
        if path in self.actions:
            return
        self.actions.add(path)
        action = self._site.actions[path]
        for check in action.checks:
            if check.equals is not None:
                self._use(template_uses(check.equals))
        for detour in action.otherwise:
            self._use(expression_uses(detour.when))
        for name in self.uses.variables & action.set.keys():
            self._use(_value_uses(action.set[name]))
        for spot in self.spots:
            if spot.kind == "action" and spot.target == path:
                self._page(spot.page)
                self._use(spot.uses)
                for field in spot.fields:
                    self._use(template_uses(field.fixture))

    def _use(self, uses: Uses) -> None:
        """Note what some expression reads, with whatever changes it."""
        fresh = uses.variables - self.uses.variables
        visits = uses.visits - self.uses.visits
        self.uses = Uses.together([self.uses, uses])
        for page in visits:
            self._page(path_of(page))
        for path, action in self._site.actions.items():
            for name in fresh & action.set.keys():
                self._action(path)
                self._use(_value_uses(action.set[name]))
        if fresh:
            for spot in self.spots:
                if spot.kind == "file" and not fresh.isdisjoint(self._site.fetched.get(spot.target, ())):
                    self._page(spot.page)
                    self._use(spot.uses)


def _value_uses(value: object) -> Uses:
    return template_uses(value) if isinstance(value, str) else Uses()


def _paths(uses: Uses) -> tuple[str, ...]:
    return tuple(path_of(page) for page in uses.visits)
