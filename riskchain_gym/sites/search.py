"""The search for a way through a site after which every wanted line has been seen."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.focus import Focus
from riskchain_gym.sites.moves import Act, Mover, arrive
from riskchain_gym.sites.state import SiteState, initial_state

_MAX_STATES = 20_000
"""States that a search looks at before it gives up."""


class SearchLimitError(RiskChainError, RuntimeError):
    """A search that gave up; whether there is a way is not known. Its text names the atom."""


@dataclass(frozen=True)
class _Place:
    """A place on the way: the state, the actions of the last move, and the place before it."""

    state: SiteState
    cost: int = 0
    acts: tuple[Act, ...] = ()
    before: _Place | None = None

    def since(self, start: SiteState) -> Iterator[_Place]:
        """Yield the places from this one back to the first after ``start``."""
        place: _Place = self
        while place.before is not None and place.state is not start:
            yield place
            place = place.before


class Search:
    """Searches the states of one site, cheapest first, in an order that no opaque name and no fact changes.

    Args:
        site: The site.
        atoms: What is to be seen.
        everything: Whether to try what cannot matter, too.
    """

    def __init__(self, site: CompiledSite, atoms: Sequence[EvidenceAtom], *, everything: bool = False) -> None:
        self._site = site
        self._atoms = atoms
        self._focus = Focus(site, atoms, everything=everything)
        self._mover = Mover(site, self._focus, atoms)
        self._single: dict[int, Focus] = {}
        self._everything = everything

    def _focus_on(self, wanted: int) -> Focus:
        """Return the focus on one atom: what matters for another need not tell states apart."""
        if self._everything or len(self._atoms) == 1:
            return self._focus
        if wanted not in self._single:
            self._single[wanted] = Focus(self._site, [self._atoms[wanted]], known=self._focus.spots)
        return self._single[wanted]

    def way(self) -> tuple[tuple[Act, ...], EvidenceAtom | None]:
        """Return actions after which every atom has been seen, the nearest first.

        When one cannot be seen any more after the others, it is tried first; the second value is the atom, if any, that
        no order lets see.

        Raises:
            SearchLimitError: There are too many states to tell.
        """
        order = list(range(len(self._atoms)))
        for _ in order:
            acts, missed = self._in_order(order)
            if missed is None:
                return acts, None
            order.remove(missed)
            order.insert(0, missed)
        acts, missed = self._in_order(order)
        return acts, None if missed is None else self._atoms[missed]

    def _in_order(self, order: Sequence[int]) -> tuple[tuple[Act, ...], int | None]:
        """See the first atom of ``order``, then always the nearest of the others."""
        state = arrive(self._site, initial_state(self._site), self._site.home)
        left = set(order) - self._mover.sight(state).shown
        wanted = [next((i for i in order if i in left), -1)]
        acts: list[Act] = []
        while left:
            found: _Place | None = None
            for atom in wanted:
                found = self._nearest(state, atom, found.cost if found else None) or found
            if found is None:
                return (), wanted[0]
            way = list(found.since(state))[::-1]
            acts += [act for place in way for act in place.acts]
            # What was passed on the way was seen too.
            left -= frozenset[int]().union(*[self._mover.sight(place.state).shown for place in way])
            state, wanted = found.state, [i for i in order if i in left]
        return tuple(acts), None

    def _nearest(self, start: SiteState, wanted: int, limit: int | None) -> _Place | None:
        """Return the nearest place that shows an atom, if it costs less than a limit."""
        focus, numbers = self._focus_on(wanted), count()
        queue: list[tuple[int, int, _Place]] = [(0, next(numbers), _Place(start))]
        known = {focus.key(start)}
        while queue:
            if len(known) >= _MAX_STATES:
                atom = self._atoms[wanted]
                raise SearchLimitError(
                    f"The search for a way to the {atom.component} atom '{atom.text}' on {atom.path} gave up after "
                    f"{_MAX_STATES} states, so whether there is one is unknown; let fewer variables and counts decide."
                )
            here = heapq.heappop(queue)[2]
            if limit is not None and here.cost >= limit:
                return None
            if here.before is not None and wanted in self._mover.sight(here.state).shown:
                return here
            for move in self._mover.moves(here.state, focus):
                key = focus.key(move.state)
                if key not in known:
                    known.add(key)
                    place = _Place(move.state, here.cost + len(move.acts), move.acts, here)
                    heapq.heappush(queue, (place.cost, next(numbers), place))
        return None
