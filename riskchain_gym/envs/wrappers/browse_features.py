"""Features of the browse and report phases: a row for each move and each report, and the context beside them.

Everything comes from what observations show: pages, controls, what came of actions, the budget. Ids of elements are
not among it, only their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.wrappers.browse_moves import FREE, Move
from riskchain_gym.envs.wrappers.seen_so_far import SeenSoFar
from riskchain_gym.envs.wrappers.text_hashing import hasher
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.page import ObservedElement
from riskchain_gym.protocol.trajectory import Phase

Floats = NDArray[np.float32]

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
    "position",
    "name_length",
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

_NAME_HASH_LIMIT = 60
_FREE_MOVES = tuple(Move(kind) for kind in FREE)
_HISTORY = slice(-len(HISTORY_FEATURES), None)
_PHASES = tuple(Phase)
_STATUSES = tuple(ActionStatus)
_REPORTS_AT = 1 + len(FREE)


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


@dataclass
class BrowseFeatures:
    """The features of one episode's browse and report phases.

    Args:
        sizes: How many there are.

    Attributes:
        seen: What was seen so far.
    """

    sizes: BrowseSizes
    seen: SeenSoFar = field(init=False)

    def __post_init__(self) -> None:
        sizes = self.sizes
        self._words = hasher(sizes.control_size, sizes.hash_seed)
        free = [_fixed(move, sizes.control_size) for move in _FREE_MOVES]
        reports = np.zeros((len(TYPES), sizes.features), np.float32)
        reports[:, _REPORTS_AT] = 1.0
        reports[:, FIXED_FEATURES.index(f"reports_{TYPES[0].lower()}") :][:, : len(TYPES)] = np.eye(len(TYPES))
        self._free, self._reports = np.stack(free), reports
        self.begin()

    def begin(self) -> None:
        """Forget the last episode."""
        self.seen = SeenSoFar(hasher(self.sizes.memory_size, self.sizes.hash_seed), self.sizes.page_size)
        self._rows: dict[str, Floats] = {}
        self._memory: Floats = np.zeros(self.sizes.memory_size, np.float32)
        self._steps = 0

    def follow(self, machine: Machine, move: Move | None = None) -> None:
        """Take in what an action has shown.

        Args:
            machine: The episode after the action.
            move: The move that was made, if it was one.
        """
        pages = machine.recorder.pages
        if len(pages) == self._steps:
            return
        self._steps = len(pages)
        last = machine.recorder.last
        self.seen.see(pages[self._steps - 1], move, last.result if last is not None else None)
        if self.seen.new_lines:
            self._memory = _squashed(self.seen.memory)

    def move_of(self, row: int) -> Move | None:
        """Return the move that a row stands for; ``None`` for one that is not there."""
        if row < self.sizes.controls:
            return self.seen.moves[row] if row < len(self.seen.moves) else None
        free = row - self.sizes.controls
        return _FREE_MOVES[free] if free < len(FREE) else None

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
                rows[: len(moves)] = self._page_rows()
                rows[: len(moves), _HISTORY] = [self._history(move) for move in moves]
                mask[: len(moves)] = 1
            rows[free] = self._free
            rows[free, _HISTORY] = [self._history(move) for move in _FREE_MOVES]
            mask[free] = 1
        elif machine.phase is Phase.REPORT:
            rows[-len(TYPES) :] = self._reports
            mask[-len(TYPES) :] = 1
        return rows, mask

    def context(self, machine: Machine) -> Floats:
        """Return the context, float32 (context,)."""
        seen, sizes = self.seen, self.sizes
        last = machine.recorder.last
        moves = seen.moves
        unused = sum(1 for move in moves if move.name not in seen.led)
        scalars = (
            *(float(machine.phase is phase) for phase in _PHASES),
            machine.steps_left / machine.config.max_steps,
            machine.strikes / machine.config.strikes,
            *(float(last is not None and last.result.status is status) for status in _STATUSES),
            float(seen.fresh_state),
            float(seen.fresh_path),
            seen.new_lines / max(seen.line_count, 1),
            _scaled(seen.line_count),
            _scaled(len(seen.states)),
            _scaled(len(seen.paths)),
            _scaled(seen.states[seen.state]),
            _scaled(len(moves)),
            unused / max(len(moves), 1),
            float(len(moves) > sizes.controls),
        )
        return np.concatenate([np.array(scalars, np.float32), _squashed(seen.text), self._memory])

    def _page_rows(self) -> Floats:
        if (found := self._rows.get(self.seen.state)) is None:
            moves = self.seen.moves[: self.sizes.controls]
            found = np.stack([_fixed(move, self.sizes.control_size) for move in moves])
            words = found[:, len(FIXED_FEATURES) : -len(HISTORY_FEATURES)]
            position = FIXED_FEATURES.index("position")
            for i, move in enumerate(moves):
                words[i] = self._words.dense(_words(move))
                found[i, position] = i / self.sizes.controls
            self._rows[self.seen.state] = found
        return found

    def _history(self, move: Move) -> tuple[float, ...]:
        seen, element, name = self.seen, move.element, move.name
        path = seen.page.path if seen.page is not None else ""
        led = seen.led.get(name)
        known = element is not None and element.name in seen.titles
        return (
            min(seen.used[seen.state, move.here], 3) / 3,
            min(seen.used_on_path[path, move.here], 3) / 3,
            float(led is not None),
            float(led is not None and led.changed),
            float(led is not None and led.status is ActionStatus.NO_STATE_CHANGE),
            float(led is not None and led.status is ActionStatus.ERROR),
            float(known or (led is not None and led.path != path)),
            float(led is not None and led.path == path),
            float(element is not None and element.element_id in seen.new_elements),
            seen.stood_on[name] / max(len(seen.states), 1),
        )


def _fixed(move: Move, control_size: int) -> Floats:
    """Return a row without words and history."""
    element, kind = move.element, _KINDS.get(move.kind, 0)
    row = np.zeros(len(FIXED_FEATURES) + control_size + len(HISTORY_FEATURES), np.float32)
    row[kind] = 1.0
    if element is not None:
        if element.role in ROLES:
            row[len(_KINDS) + 2 + ROLES.index(element.role)] = 1.0
        row[_FLAGS_AT : _FLAGS_AT + 5] = (
            element.disabled,
            element.checked,
            element.has_value,
            0.0,
            _scaled(len(element.name)),
        )
    return row


def _words(move: Move) -> str:
    element: ObservedElement | None = move.element
    parts = (element.name, element.placeholder, move.option or "") if element is not None else ()
    return "\n".join(part[:_NAME_HASH_LIMIT] for part in parts if part)


def _scaled(count: int) -> float:
    """Return a count within 0 and 1: 1 at 1,000."""
    return min(float(np.log1p(count)) / 6.9, 1.0)


def _squashed(sums: NDArray[np.float64]) -> Floats:
    """Return sums within −1 and 1, sign kept, growing with the logarithm: ±1 comes to 0.17, ±54 to 1."""
    return np.clip(np.copysign(np.log1p(np.abs(sums)) / 4.0, sums), -1.0, 1.0).astype(np.float32)


_KINDS = {kind: 1 + i for i, kind in enumerate(FREE)}
_FLAGS_AT = FIXED_FEATURES.index("disabled")
