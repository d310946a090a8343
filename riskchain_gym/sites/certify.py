"""Certificates: a proof, by walking the site, that what decides its label can be seen within the budget."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep
from riskchain_gym.sites.atoms import label_problem
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.moves import Move, arrive, moves
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import LabelSpec
from riskchain_gym.sites.state import SiteState, initial_state
from riskchain_gym.sites.view import show_page

MAX_ACTIONS = 30
"""Browse actions of the published budget."""

_MAX_STATES = 20_000
_VISITS = re.compile(r"\bvisit(?:s|ed)\.([a-z0-9]+)")
_STEPS = re.compile(r"\bsteps\b")
_NUMBER = re.compile(r"\d+")
_VISITS_KEPT = 4
_STEPS_KEPT = 20


class CertificateError(RiskChainError, ValueError):
    """A site that cannot be certified; the message says which atom or rule is in the way."""


@dataclass(frozen=True)
class _Memory:
    """Which of a state's counters the site's expressions look at; the others tell no two states apart."""

    visits: tuple[str, ...]
    steps: int

    @classmethod
    def of(cls, site: CompiledSite) -> _Memory:
        text = site.model_dump_json()
        visits = sorted(set(_VISITS.findall(text)))
        clauses = [clause for clause in re.split(r'(?<!\\)"|\{\{|\}\}', text) if _STEPS.search(clause)]
        numbers = [int(number) for clause in clauses for number in _NUMBER.findall(clause)[:4]]
        return cls(tuple(visits), min(max(numbers, default=0), _STEPS_KEPT))

    def key(self, state: SiteState) -> tuple[object, ...]:
        seen = {path[1:] or "home": count for path, count in state.visits.items()}
        visits = tuple(min(seen.get(name, 0), _VISITS_KEPT) for name in self.visits)
        return state.page, tuple(state.vars.values()), visits, min(state.steps, self.steps)


def find_path(site: CompiledSite, atoms: Sequence[EvidenceAtom]) -> tuple[PathStep, ...]:
    """Return actions after which every atom has been seen, the nearest first.

    The site's states are searched from the landing page, cheapest first; a move is a followed link, a pressed button, a
    completed form or a reload.

    Args:
        site: The site.
        atoms: The atoms to see.

    Raises:
        CertificateError: An atom cannot be seen, or not all of them within :data:`MAX_ACTIONS` actions.
    """
    order, tried = list(atoms), 0
    while True:
        missed, path = _walk(site, order)
        if missed is None:
            break
        order.remove(missed)
        order.insert(0, missed)
        tried += 1
        if tried > len(order):
            raise CertificateError(
                f"The {missed.component} atom '{missed.text}' on {missed.path} cannot be seen: no way through the site "
                "shows it; check the conditions, checks and detours before it."
            )
    if len(path) > MAX_ACTIONS:
        raise CertificateError(
            f"Seeing all {len(order)} atoms takes {len(path)} actions and the budget is {MAX_ACTIONS}; shorten the way."
        )
    return path


def _walk(site: CompiledSite, order: list[EvidenceAtom]) -> tuple[EvidenceAtom | None, tuple[PathStep, ...]]:
    """See the first atom of ``order``, then always the nearest of the others."""
    memory = _Memory.of(site)
    state, _ = arrive(site, initial_state(site), site.home)
    steps: list[PathStep] = []
    left = _unseen(order, show_page(site, state, state.page))
    wanted = left[:1]
    while left:
        move = _nearest(site, state, wanted, memory)
        if move is None:
            return wanted[0], ()
        steps += [act.step() for act in move.acts]
        # What was passed on the way was seen too.
        for page in replay(site, steps):
            left = _unseen(left, page)
        state, wanted = move.state, left
    return None, tuple(steps)


def _unseen(atoms: Sequence[EvidenceAtom], page: PageView) -> list[EvidenceAtom]:
    return [atom for atom in atoms if not shows(page, atom)]


def shows(page: PageView, atom: EvidenceAtom) -> bool:
    """Return whether a page shows an atom."""
    return page.path.partition("?")[0] == atom.path and atom.text in page.lines()


def _nearest(site: CompiledSite, state: SiteState, wanted: Sequence[EvidenceAtom], memory: _Memory) -> Move | None:
    start = Move((), state, state.page)
    queue: list[tuple[int, int, Move]] = [(0, 0, start)]
    known = {memory.key(state)}
    made = 0
    while queue and made < _MAX_STATES:
        _, _, here = heapq.heappop(queue)
        page = show_page(site, here.state, here.path)
        if here.acts and any(shows(page, atom) for atom in wanted):
            return here
        for move in moves(site, here.state, page):
            key = memory.key(move.state)
            if key not in known:
                known.add(key)
                made += 1
                acts = here.acts + move.acts
                heapq.heappush(queue, (len(acts), made, Move(acts, move.state, move.path)))
    return None


def replay(site: CompiledSite, path: Sequence[PathStep]) -> Iterator[PageView]:
    """Walk a path and yield the landing page and the page after each action that shows one.

    Raises:
        CertificateError: A step names a control that the page does not show.
    """
    session = SiteSession(site)
    page = _page_of(session.open(site.home))
    typed: dict[str, str] = {}
    yield page
    for step in path:
        session.tick()
        kind = step.action.action
        node = _control(page, step) if step.role else None
        if kind is ActionKind.RELOAD or node is None or node.control is None:
            page = _page_of(session.open(page.path))
        elif node.control.role == "link":
            page = _page_of(session.open(node.control.href))
        elif node.control.role == "button":
            page = _page_of(session.open(session.post(node.control.action, typed).location))
        else:
            typed[node.control.field] = session.fixture(page.path, node.key)
            continue
        typed = {}
        yield page


def _page_of(response: Response) -> PageView:
    assert response.page is not None
    return response.page


def _control(page: PageView, step: PathStep) -> Node:
    alike = [
        n
        for n in page.controls()
        if n.control is not None and (n.control.role, n.control.name) == (step.role, step.name)
    ]
    if step.nth >= len(alike):
        raise CertificateError(f"The page {page.path} has no {step.role} '{step.name}' number {step.nth + 1}.")
    return alike[step.nth]


def certify(
    site: CompiledSite, label: LabelSpec, atoms: Sequence[EvidenceAtom], deciding: Sequence[EvidenceAtom]
) -> tuple[PathStep, ...]:
    """Prove that the label follows from the atoms and that what decides it can be seen; return the way.

    That nothing takes a limitation away again is proved on the archetype, before a site is built (see ``lint``).

    Args:
        site: The site.
        label: Its label.
        atoms: All its atoms.
        deciding: Those that decide the label.

    Raises:
        CertificateError: The rule does not give the label, a deciding atom cannot be seen within the budget, or the way
            found does not hold when it is walked.
    """
    parts = [
        AtomSpec(
            component=a.component, type=None if a.violation_type.value == "NONE" else a.violation_type, anchor=a.anchor
        )
        for a in atoms
    ]
    problem = label_problem(label, parts)
    if problem is not None:
        raise CertificateError(f"The label does not follow from the atoms: {problem}.")
    path = find_path(site, deciding)
    left = list(deciding)
    for page in replay(site, path):
        left = _unseen(left, page)
    if left:
        raise CertificateError(f"The way found does not show the atom '{left[0].text}' when it is walked.")
    return path
