"""What an agent has seen and tried since its episode began, kept as counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from riskchain_gym.envs.wrappers.browse_moves import Move, MoveKey, moves_of
from riskchain_gym.envs.wrappers.text_hashing import Floats, TextHasher, squashed
from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.page import ObservedPage


@dataclass(frozen=True)
class Led:
    """What a move came to when it was last made: the path, whether that was another page state, its status."""

    path: str
    changed: bool
    status: ActionStatus


class SeenSoFar:
    """One episode's pages, as far as features ask about them.

    Args:
        of_episode: Hashes the lines of the episode.
        of_page: Hashes the lines of a page.

    Attributes:
        page: The page that is shown.
        moves: Its moves.
        state: Its state.
        text: Its hashed lines, squashed.
        memory: All lines of the episode, each different line once, hashed and squashed.
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

    def __init__(self, of_episode: TextHasher, of_page: TextHasher) -> None:
        self._of_episode = of_episode
        self._of_page = of_page
        self._sums: Floats = np.zeros(of_episode.size, np.float32)
        self._lines: set[str] = set()
        self._elements: set[str] = set()
        self._known: dict[str, tuple[tuple[Move, ...], Floats, int]] = {}
        self.page: ObservedPage | None = None
        self.moves: tuple[Move, ...] = ()
        self.state = ""
        self.text: Floats = np.zeros(of_page.size, np.float32)
        self.memory: Floats = np.zeros(of_episode.size, np.float32)
        self.states: Counter[str] = Counter()
        self.paths: Counter[str] = Counter()
        self.titles: set[str] = set()
        self.stood_on: Counter[MoveKey] = Counter()
        self.used: defaultdict[str, Counter[MoveKey]] = defaultdict(Counter)
        self.used_on_path: defaultdict[str, Counter[MoveKey]] = defaultdict(Counter)
        self.led: dict[MoveKey, Led] = {}
        self.new_elements: frozenset[str] = frozenset()
        self.line_count = 0
        self.new_lines = 0
        self.fresh_state = False
        self.fresh_path = False

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
        self.moves, self.text, self.line_count = self._known[self.state]
        self.states[self.state] += 1
        self.paths[page.path] += 1
        if move is not None and result is not None:
            self.used[before][move.here] += 1
            self.used_on_path[path][move.here] += 1
            self.led[move.name] = Led(page.path, self.state != before, result.status)

    def _take_in(self, page: ObservedPage) -> None:
        lines, text = self._of_page.lines(page.shown_text)
        new = [line for line in lines if line not in self._lines]
        if new:
            self._lines.update(new)
            self.new_lines = len(new)
            places, sums = self._of_episode.joint(new)
            np.add.at(self._sums, places, sums)
            self.memory[places] = squashed(self._sums[places])
        moves = moves_of(page)
        self._known[self.state] = (moves, text, len(lines))
        self.stood_on.update({move.name for move in moves})
        self.titles.add(page.title)
        self.new_elements = frozenset([element.element_id for element in page.elements]) - self._elements
        self._elements |= self.new_elements
