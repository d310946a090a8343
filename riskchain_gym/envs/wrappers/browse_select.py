"""``RiskChainBrowse-v0`` in arrays: choose a move on the page, and in the end what to report."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import ValidationError

from riskchain_gym.envs.chain_env import RiskChainBrowseEnv, RiskChainEnv
from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.wrappers.browse_features import TYPES, BrowseFeatures, BrowseSizes
from riskchain_gym.envs.wrappers.browse_moves import FREE
from riskchain_gym.envs.wrappers.evidence_shaping import potential_for
from riskchain_gym.envs.wrappers.options import OptionsObservation, chosen, masked_action, options_space
from riskchain_gym.envs.wrappers.over_text import OverTextEnv
from riskchain_gym.envs.wrappers.report_rows import CheckedReporter, Reporter
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.codebook import canonical_type
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.report import Report

BROWSE_ARGUMENTS = ("controls", "memory_size", "page_size", "control_size", "hash_seed", "reporter", "evidence_shaping")
"""The keyword arguments that the rows of the browse and report phases have."""

REPORTER = "riskchain_gym.envs.wrappers.report_rows:cite_rare_lines"
"""The reporter unless another is named."""


class RiskChainBrowseSelectEnv(OverTextEnv):
    """The investigation as a masked choice.

    A row is a move on a control of the page (in the order of its inventory; a list has a row for each option), then
    ``back``, ``reload`` and ``stop``, then a report of each type: the nine of a violation, NONE, UNKNOWN. Moves may be
    chosen in the browse phase, reports in the report phase, which ``stop`` or an exhausted budget opens. Features:
    :mod:`riskchain_gym.envs.wrappers.browse_features`.

    Args:
        controls: Rows for moves on controls.
        memory_size: Places to which all lines of the episode are hashed.
        page_size: Places to which the lines of the page are hashed.
        control_size: Places to which the words of a control are hashed.
        hash_seed: Seed of the hashing.
        reporter: ``module:function`` that writes the report of a type from the pages shown
            (:data:`~riskchain_gym.envs.wrappers.report_rows.Reporter`).
        evidence_shaping: Scale of the shaping that pays for deciding lines shown
            (:class:`~riskchain_gym.envs.wrappers.evidence_shaping.EvidenceShaping`); 0 for none.
        kwargs: As ``RiskChainBrowse-v0`` takes them, but ``observe`` and ``actions``.

    Raises:
        ConfigError: An argument is unknown, bad, or contradicts another.
    """

    env_id: ClassVar[str] = "RiskChainBrowseSelect-v0"
    text_class: ClassVar[type[RiskChainEnv]] = RiskChainBrowseEnv
    own: ClassVar[tuple[str, ...]] = BROWSE_ARGUMENTS

    def __init__(
        self,
        *,
        controls: int = 32,
        memory_size: int = 2048,
        page_size: int = 256,
        control_size: int = 64,
        hash_seed: int = 0,
        reporter: str = REPORTER,
        evidence_shaping: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.sizes = BrowseSizes(controls, memory_size, page_size, control_size, hash_seed)
        self.reporter: Reporter = CheckedReporter(reporter)
        super().__init__(**kwargs)
        self._shaping = potential_for(self.text, evidence_shaping) if evidence_shaping != 0 else None
        self._features = BrowseFeatures(self.sizes)
        self.observation_space = self._space()
        self.action_space = spaces.Discrete(self.first_row + self.sizes.rows)
        self._mask: NDArray[np.int8] | None = None

    @property
    def first_row(self) -> int:
        """Number of the first row on a control."""
        return 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[OptionsObservation, dict[str, Any]]:
        """Begin an episode; arguments and errors are those of the text environment."""
        super().reset(seed=seed)
        info = self.text.begin(seed=seed, options=options)
        self._features.begin()
        self._features.follow(self.text.machine)
        if self._shaping is not None:
            self._shaping.begin(self.text.machine)
        return self._observe(), info

    def step(self, action: Any) -> tuple[OptionsObservation, float, bool, bool, dict[str, Any]]:
        """Choose a row; a masked one is a strike.

        Raises:
            ResetNeeded: No episode is running.
        """
        row = self._row(action)
        sent = masked_action(action) if row is None else self.action_text(row)
        move = self._features.move_of(row - self.first_row) if row is not None and row >= self.first_row else None
        reward, terminated, truncated, info = self.text.play(sent)
        self._features.follow(self.text.machine, move)
        if self._shaping is not None:
            reward += self._shaping.pay(self.text.machine)
        return self._observe(), reward, terminated, truncated, info

    def action_text(self, row: int) -> str:
        """Return the action that a row stands for now, as the text environment takes it.

        Args:
            row: A row that may be chosen now.

        Raises:
            ResetNeeded: There is no episode.
            ConfigError: The row may not be chosen now.
        """
        self._check_row(row)
        move = self._features.move_of(row - self.first_row)
        if move is not None:
            return move.text()
        reported = self._features.type_of(row - self.first_row)
        assert reported is not None, "a row that may be chosen is a move or a report"
        report = self.reporter(reported, self.text.machine.recorder.pages)
        return report.model_dump_json(exclude_defaults=True)

    def row_of(self, action: str) -> int | None:
        """Return the row that does what an action of the text environment does; for learning from its agents.

        Args:
            action: JSON text. Of a report only decision and type count.

        Returns:
            The row; ``None`` where no row does it, as for scrolling or a control beyond the last row.

        Raises:
            ResetNeeded: There is no episode.
        """
        _ = self.text.machine  # it says itself that there is no episode
        try:
            sent = BrowserAction.model_validate_json(action)
        except ValidationError:
            return self._row_of_report(action)
        moves = (*range(min(self.sizes.controls, len(self._features.seen.moves))), *self._free_rows())
        found = (i for i in moves if (move := self._features.move_of(i)) is not None and move.means(sent))
        row = next(found, None)
        return None if row is None else row + self.first_row

    @property
    def is_shaped(self) -> bool:
        """Whether ``evidence_shaping`` is paid."""
        return self._shaping is not None

    def _check_row(self, row: object) -> None:
        _ = self.text.machine  # it says itself that there is no episode
        if self._row(row) is None:
            raise ConfigError(f"Row {shown(row)} may not be chosen now: take one whose action_mask is 1.")

    def _row(self, action: Any) -> int | None:
        """Return the row that an action chooses; ``None`` for one that may not be chosen now."""
        return chosen(action, self._mask) if self._mask is not None else None

    def _free_rows(self) -> range:
        return range(self.sizes.controls, self.sizes.controls + len(FREE))

    def _row_of_report(self, action: str) -> int | None:
        try:
            report = Report.model_validate_json(action)
        except ValidationError:
            return None
        reported = canonical_type(report.decision, report.primary_violation_type)
        return self.first_row + self.sizes.controls + len(FREE) + TYPES.index(reported)

    def _space(self) -> spaces.Dict:
        sizes = self.sizes
        return options_space(context=sizes.context, options=sizes.rows, features=sizes.features)

    def _observe(self) -> OptionsObservation:
        machine = self.text.machine
        rows, mask = self._features.rows(machine)
        self._mask = mask.copy()
        return {"context": self._features.context(machine), "options": rows, "action_mask": mask}
