"""Features of the browse and report phases: a row for each move and each report, and the context beside them.

Everything comes from what observations show: pages, controls, what came of actions, the budget. Ids of elements are
not among it, only their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.wrappers.browse_moves import FREE, Move, free_move
from riskchain_gym.envs.wrappers.seen_so_far import SeenSoFar
from riskchain_gym.envs.wrappers.text_hashing import Floats, TextHasher, hasher
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Phase

TYPES = tuple(ViolationType)
"""The report rows, in order: nine types of violation, NONE, UNKNOWN."""

ROLES = ("link", "button", "textbox", "checkbox", "combobox", "slider", "form")
"""The roles that have a feature of their own."""

FIXED_FEATURES = (
    *(f"kind_{name}" for name in ("control", *FREE, "report")),
    *(f"role_{role}" for role in ROLES),
    *(f"reports_{each.lower()}" for each in TYPES),
    "disabled",
    "checked",
    "has_value",
    "name_length",
    "position",
)
"""Features of a row that are the same whenever the page is shown; after them comes the hashed text of the control."""

HISTORY_FEATURES = (
    "used_on_state",
    "used_on_path",
    "used_anywhere",
    "changed_page",
    "no_effect",
    "failed",
    "leads_to_seen",
    "leads_here",
    "new_element",
    "share_of_states",
)
"""Features of a row that tell what is known of the move from the episode so far; they stand last."""

CONTEXT_FEATURES = (
    *(f"phase_{phase}" for phase in Phase),
    "steps_left",
    "strikes",
    *(f"last_{status}" for status in ActionStatus),
    "fresh_state",
    "fresh_path",
    "share_of_new_lines",
    "lines",
    "states",
    "paths",
    "visits_of_state",
    "moves",
    "share_of_unused_moves",
    "moves_left_out",
)
"""The first features of the context; after them come the page's hashed text and that of all lines seen so far."""

FREE_MOVES = tuple(free_move(kind) for kind in FREE)
"""The moves that need no element."""

_WORDS_LIMIT = 60
_MOST = math.log1p(1000)
_CONTROLS_KEPT = 1 << 13
_THIRDS = (0.0, 1 / 3, 2 / 3, 1.0)
_PLACES = np.arange(65536, dtype=np.float32)
_HISTORY = slice(-len(HISTORY_FEATURES), None)
_PHASES = tuple(Phase)
_STATUSES = tuple(ActionStatus)
_CONTROL, _REPORT = FIXED_FEATURES.index("kind_control"), FIXED_FEATURES.index("kind_report")
_ROLE_AT = {role: FIXED_FEATURES.index(f"role_{role}") for role in ROLES}
_TYPES_AT = FIXED_FEATURES.index(f"reports_{TYPES[0].lower()}")
_FLAGS_AT = FIXED_FEATURES.index("disabled")
_POSITION = FIXED_FEATURES.index("position")
_WORDS_AT = len(FIXED_FEATURES)


@dataclass(frozen=True)
class BrowseSizes:
    """How many features there are.

    Attributes:
        controls: Moves on page controls that have a row; on pages with more, the later ones have none.
        memory_size: Places to which all lines of the episode are hashed.
        page_size: Places to which the lines of the page are hashed.
        control_size: Places to which name, placeholder and option of a control are hashed.
        hash_seed: Seed of the hashing.

    Raises:
        ConfigError: One of them is no whole number in its range.
    """

    controls: int = 32
    memory_size: int = 2048
    page_size: int = 256
    control_size: int = 64
    hash_seed: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least, most = (0, 2**31) if name == "hash_seed" else (1, 65536)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ConfigError(f"{name}: give a whole number from {least} to {most}, got {str(value)[:40]}.")

    @property
    def rows(self) -> int:
        """Number of rows: controls, then back, reload and stop, then a report of each type."""
        return self.controls + len(FREE) + len(TYPES)

    @property
    def features(self) -> int:
        """Features of a row."""
        return len(FIXED_FEATURES) + self.control_size + len(HISTORY_FEATURES)

    @property
    def context(self) -> int:
        """Features of the context."""
        return len(CONTEXT_FEATURES) + self.page_size + self.memory_size


class BrowseFeatures:
    """The features of one episode's browse and report phases.

    Args:
        sizes: How many there are.

    Attributes:
        sizes: How many there are.
        seen: What was seen so far.
    """

    def __init__(self, sizes: BrowseSizes) -> None:
        self.sizes = sizes
        self._hashers = (hasher(sizes.memory_size, sizes.hash_seed), hasher(sizes.page_size, sizes.hash_seed))
        words = hasher(sizes.control_size, sizes.hash_seed)
        self._row = lru_cache(_CONTROLS_KEPT)(partial(_control_row, words))
        self._free = np.eye(len(FREE), sizes.features, FIXED_FEATURES.index(f"kind_{FREE[0]}"), np.float32)
        self._reports = np.zeros((len(TYPES), sizes.features), np.float32)
        self._reports[:, _REPORT] = 1.0
        self._reports[:, _TYPES_AT : _TYPES_AT + len(TYPES)] = np.eye(len(TYPES))
        self.begin()

    def begin(self) -> None:
        """Forget the last episode."""
        self.seen = SeenSoFar(*self._hashers)
        self._rows: dict[str, Floats] = {}
        self._pages = 0

    def follow(self, machine: Machine, move: Move | None = None) -> None:
        """Take in what an action has shown.

        Args:
            machine: The episode after the action.
            move: The move that was made, if it was one.
        """
        pages = machine.recorder.pages
        if len(pages) > self._pages:
            self._pages = len(pages)
            last = machine.recorder.last
            self.seen.see(pages[self._pages - 1], move, last.result if last is not None else None)

    def move_of(self, row: int) -> Move | None:
        """Return the move that a row stands for; ``None`` for one that is not there."""
        if row < self.sizes.controls:
            return self.seen.moves[row] if row < len(self.seen.moves) else None
        free = row - self.sizes.controls
        return FREE_MOVES[free] if free < len(FREE) else None

    def type_of(self, row: int) -> ViolationType | None:
        """Return the type that a row reports; ``None`` for one that reports nothing."""
        place = row - self.sizes.controls - len(FREE)
        return TYPES[place] if 0 <= place < len(TYPES) else None

    def rows(self, machine: Machine) -> tuple[Floats, NDArray[np.int8]]:
        """Return the rows, float32 (rows, features), and which of them may be chosen, int8 (rows,).

        In the browse phase these are the moves, in the report phase the reports.
        """
        sizes = self.sizes
        rows, mask = np.zeros((sizes.rows, sizes.features), np.float32), np.zeros(sizes.rows, np.int8)
        if machine.phase is Phase.BROWSE:
            moves, free = self.seen.moves[: sizes.controls], slice(sizes.controls, sizes.controls + len(FREE))
            if moves:
                rows[: len(moves)] = self._page_rows(moves)
                mask[: len(moves)] = 1
            rows[free] = self._free
            mask[free] = 1
            histories = self._histories((*moves, *FREE_MOVES))
            rows[: len(moves), _HISTORY], rows[free, _HISTORY] = histories[: len(moves)], histories[len(moves) :]
        elif machine.phase is Phase.REPORT:
            rows[-len(TYPES) :] = self._reports
            mask[-len(TYPES) :] = 1
        return rows, mask

    def context(self, machine: Machine) -> Floats:
        """Return the context, float32 (context,)."""
        seen, last = self.seen, machine.recorder.last
        status = last.result.status if last is not None else None
        moves, led = seen.moves, seen.led
        scalars = (
            *(machine.phase is phase for phase in _PHASES),
            machine.steps_left / machine.config.max_steps,
            machine.strikes / machine.config.strikes,
            *(status is each for each in _STATUSES),
            seen.fresh_state,
            seen.fresh_path,
            seen.new_lines / max(seen.line_count, 1),
            _scaled(seen.line_count),
            _scaled(len(seen.states)),
            _scaled(len(seen.paths)),
            _scaled(seen.states[seen.state]),
            _scaled(len(moves)),
            len([1 for move in moves if move.name not in led]) / max(len(moves), 1),
            len(moves) > self.sizes.controls,
        )
        found = np.empty(self.sizes.context, np.float32)
        found[: len(scalars)] = scalars
        found[len(scalars) : -self.sizes.memory_size] = seen.text
        found[-self.sizes.memory_size :] = seen.memory
        return found

    def _page_rows(self, moves: Sequence[Move]) -> Floats:
        """Return the rows of moves on controls but for their history, float32 (n, features)."""
        if (rows := self._rows.get(self.seen.state)) is None:
            made = []
            for _, _, _, element, option in moves:
                assert element is not None, "moves of pages are made on controls"
                flags = (element.disabled, element.checked, element.has_value)
                made.append(self._row(element.role, element.name, element.placeholder, option, *flags))
            rows = self._rows[self.seen.state] = np.concatenate(made).reshape(len(made), -1)
            rows[:, _POSITION] = _PLACES[: len(made)] / self.sizes.controls
        return rows

    def _histories(self, moves: Sequence[Move]) -> Floats:
        """Return the history features of moves, float32 (n, features)."""
        seen = self.seen
        path, titles, new = seen.page.path if seen.page is not None else "", seen.titles, seen.new_elements
        used, used_on_path, led_to = seen.used[seen.state], seen.used_on_path[path], seen.led
        stood_on, count = seen.stood_on, max(len(seen.states), 1)
        found = []
        for _, name, here, element, _ in moves:
            known = name[1] in titles
            led = led_to.get(name)
            share = stood_on[name] / count
            fresh = element is not None and element.element_id in new
            if led is None:
                found.append((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, known, 0.0, fresh, share))
                continue
            away, status = led.path != path, led.status
            found.append(
                (
                    _THIRDS[min(used.get(here, 0), 3)],
                    _THIRDS[min(used_on_path.get(here, 0), 3)],
                    1.0,
                    led.changed,
                    status is ActionStatus.NO_STATE_CHANGE,
                    status is ActionStatus.ERROR,
                    away or known,
                    not away,
                    fresh,
                    share,
                )
            )
        return np.array(found, np.float32)


def _control_row(
    hashing: TextHasher,
    role: str,
    name: str,
    placeholder: str,
    option: str | None,
    disabled: bool,
    checked: bool,
    has_value: bool,
) -> Floats:
    """Return the row of a move on a control; position and history are left 0."""
    row = np.zeros(_WORDS_AT + hashing.size + len(HISTORY_FEATURES), np.float32)
    row[_CONTROL] = 1.0
    if (column := _ROLE_AT.get(role)) is not None:
        row[column] = 1.0
    row[_FLAGS_AT : _FLAGS_AT + 4] = (disabled, checked, has_value, _scaled(len(name)))
    words = (name, placeholder, option or "") if placeholder or option else (name,)
    row[_WORDS_AT : _WORDS_AT + hashing.size] = hashing.dense("\n".join([each[:_WORDS_LIMIT] for each in words]))
    return row


def _scaled(count: int) -> float:
    """Return a count within 0 and 1, by its logarithm: 1 from 1,000 on."""
    return min(math.log1p(count) / _MOST, 1.0)
