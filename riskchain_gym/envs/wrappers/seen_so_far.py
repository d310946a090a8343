"""What an agent has seen and tried since its episode began, kept as counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.wrappers.browse_moves import Move, moves_of
from riskchain_gym.envs.wrappers.text_hashing import TextHasher
from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.page import ObservedPage

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Led:
    """What a move came to when it was last made: the path, whether that was another page state, its status."""

    path: str
    changed: bool
    status: ActionStatus


@dataclass
class SeenSoFar:
    """One episode's pages, as far as features ask about them.

    Args:
        hasher: Hashes lines.
        text_size: Number of places of the page text.

    Attributes:
        page: The page that is shown.
        moves: Its moves.
        state: Its state.
        text: Sums of its hashed lines, float64 (text_size,).
        memory: Sums of all hashed lines of the episode, each different line once, float64 (size,).
        states: How often each page state was shown.
        paths: How often each path was shown.
        titles: The titles of pages.
        stood_on: On how many page states a move of that name stood.
        used: How often a move was made, by page state.
        used_on_path: How often a move was made, by path.
        led: What a move of that name came to, on whatever page.
        new_elements: Ids of elements that the last page was the first to show.
        line_count: Lines of the page.
        new_lines: How many of them had not been shown before.
        fresh_state: Whether the page state is shown for the first time.
        fresh_path: Whether the path is.
    """

    hasher: TextHasher
    text_size: int
    page: ObservedPage | None = None
    moves: tuple[Move, ...] = ()
    state: str = ""
    text: Doubles = field(init=False)
    memory: Doubles = field(init=False)
    states: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    titles: set[str] = field(default_factory=set)
    stood_on: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    used: Counter[tuple[str, tuple[str, str, str]]] = field(default_factory=Counter)
    used_on_path: Counter[tuple[str, tuple[str, str, str]]] = field(default_factory=Counter)
    led: dict[tuple[str, str, str], Led] = field(default_factory=dict)
    new_elements: frozenset[str] = frozenset()
    line_count: int = 0
    new_lines: int = 0
    fresh_state: bool = False
    fresh_path: bool = False
    _lines: set[str] = field(default_factory=set)
    _elements: set[str] = field(default_factory=set)
    _known: dict[str, tuple[ObservedPage, tuple[Move, ...], Doubles, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.memory = np.zeros(self.hasher.size)
        self.text = np.zeros(self.text_size)

    def see(self, page: ObservedPage, move: Move | None = None, result: ActionResult | None = None) -> None:
        """Take in the page that is shown now.

        Args:
            page: The page.
            move: The move that was made on the page before, or ``None`` for the landing page and what was no move.
            result: What came of it.
        """
        before, path = self.state, self.page.path if self.page is not None else ""
        self.page, self.state = page, page.state_hash()
        self.fresh_state, self.fresh_path = self.state not in self.states, page.path not in self.paths
        self.new_lines, self.new_elements = 0, frozenset()
        if self.fresh_state:
            self._take_in(page)
        _, self.moves, self.text, self.line_count = self._known[self.state]
        self.states[self.state] += 1
        self.paths[page.path] += 1
        if move is not None and result is not None:
            self.used[before, move.here] += 1
            self.used_on_path[path, move.here] += 1
            self.led[move.name] = Led(page.path, self.state != before, result.status)

    def _take_in(self, page: ObservedPage) -> None:
        lines = dict.fromkeys(filter(None, page.shown_text.split("\n")))
        new = [line for line in lines if line not in self._lines]
        self._lines.update(new)
        self.new_lines = len(new)
        self.memory += self._summed(new, self.hasher.size)
        moves = moves_of(page)
        self._known[self.state] = (page, moves, self._summed(list(lines), self.text_size), len(lines))
        self.stood_on.update({move.name for move in moves})
        self.titles.add(page.title)
        shown = {element.element_id for element in page.elements}
        self.new_elements = frozenset(shown - self._elements)
        self._elements |= shown

    def _summed(self, lines: list[str], size: int) -> Doubles:
        """Return the sums of hashed lines, folded to a number of places."""
        if not lines:
            return np.zeros(size)
        hashed = [self.hasher.sparse(line) for line in lines]
        places, sums = (np.concatenate(each) for each in zip(*hashed, strict=True))
        summed: Doubles = np.bincount(places % size, sums, size).astype(np.float64, copy=False)
        return summed
