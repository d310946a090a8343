"""``RiskChain-v0`` in arrays: choose a reading of the message, then moves on its site, then what to report."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pydantic import ValidationError

from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.envs.wrappers.browse_select import BROWSE_ARGUMENTS, RiskChainBrowseSelectEnv
from riskchain_gym.envs.wrappers.options import OptionsObservation, options_space
from riskchain_gym.envs.wrappers.proposing import CheckedProposer, Proposals
from riskchain_gym.envs.wrappers.restore_select import CANDIDATES, PROPOSER
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.trajectory import Phase

PROPOSALS_KEPT = 1024
"""Messages whose readings an environment keeps."""

ROW_FEATURES = ("kind_reading", "is_committed")
"""The first features of a row; after them come the proposer's features of a reading, then those of browse rows."""

CONTEXT_FEATURES = ("may_revise", "told_right", "told_wrong")
"""The first features of the context; after them come the proposer's of the message, then those of the browse phase."""


class RiskChainSelectEnv(RiskChainBrowseSelectEnv):
    """The whole chain as a masked choice.

    The first rows are the readings that a proposer makes of the message, the very first of them the one that names no
    entry; the others are those of ``RiskChainBrowseSelect-v0``. Readings may be chosen in the restore phase and, where
    the protocol takes a revised commit, once more in the report phase. As in the text environment, nothing of the
    message is shown while its site is browsed: features of readings and message are zeros there.

    Args:
        candidates: Readings with an entry that have a row.
        proposer: ``module:function`` that proposes them (:class:`~riskchain_gym.envs.wrappers.proposing.Proposer`).
        kwargs: As ``RiskChainBrowseSelect-v0`` and ``RiskChain-v0`` take them, but ``observe`` and ``actions``.

    Raises:
        ConfigError: An argument is unknown, bad, or contradicts another.
    """

    env_id: ClassVar[str] = "RiskChainSelect-v0"
    text_class: ClassVar[type[RiskChainEnv]] = RiskChainEnv
    own: ClassVar[tuple[str, ...]] = ("candidates", "proposer", *BROWSE_ARGUMENTS)

    def __init__(self, *, candidates: int = CANDIDATES, proposer: str = PROPOSER, **kwargs: Any) -> None:
        self._proposer = CheckedProposer(proposer, candidates)
        probe = self._proposer.probe
        self._candidates = candidates
        self._about_message, self._about_reading = len(probe.context_names), len(probe.feature_names)
        self._proposals = lru_cache(PROPOSALS_KEPT)(self._propose)
        self._committed: int | None = None
        super().__init__(**kwargs)

    @property
    def first_row(self) -> int:
        """Number of the first row on a control; before it stand the readings."""
        return self._candidates + 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[OptionsObservation, dict[str, Any]]:
        """Begin an episode; arguments and errors are those of the text environment."""
        self._committed = None
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[OptionsObservation, float, bool, bool, dict[str, Any]]:
        """Choose a row; a masked one is a strike.

        Raises:
            ResetNeeded: No episode is running.
        """
        if (row := self._row(action)) is not None and row < self.first_row and self._committed is None:
            self._committed = row
        return super().step(action)

    def action_text(self, row: int) -> str:
        """Return the action that a row stands for now, as the text environment takes it.

        Args:
            row: A row that may be chosen now.

        Raises:
            ResetNeeded: There is no episode.
            ConfigError: The row may not be chosen now.
        """
        self._check_row(row)
        if row < self.first_row:
            return self._readings().commit(row).model_dump_json()
        return super().action_text(row)

    def row_of(self, action: str) -> int | None:
        """Return the row that does what an action of the text environment does; for learning from its agents.

        Args:
            action: JSON text. Of a commit only the entry of the first rank counts, of a report decision and type.

        Returns:
            The row; ``None`` where no row does it.
        """
        try:
            sent = Commit.model_validate_json(action)
        except ValidationError:
            return super().row_of(action)
        first = min(sent.entry_candidates, key=lambda each: each.rank, default=None)
        entry, entries = first.value if first is not None else None, self._readings().entries
        return entries.index(entry) if entry in entries else None

    def _propose(self, chain_id: str, variant: str) -> Proposals:
        chain = self.text.machine.episode.case.chain
        assert chain.chain_id == chain_id, "readings are asked for while their message is played"
        return self._proposer(chain.variants[variant], self._candidates)

    def _readings(self) -> Proposals:
        case = self.text.machine.episode.case
        return self._proposals(case.chain.chain_id, case.variant)

    def _may_revise(self) -> bool:
        machine = self.text.machine
        may, revised = machine.config.revision != "none", machine.recorder.revised_commit
        return may and machine.phase is Phase.REPORT and revised is None

    def _space(self) -> spaces.Dict:
        sizes = self.sizes
        return options_space(
            context=len(CONTEXT_FEATURES) + self._about_message + sizes.context,
            options=self.first_row + sizes.rows,
            features=len(ROW_FEATURES) + self._about_reading + sizes.features,
        )

    def _observe(self) -> OptionsObservation:
        machine, sizes = self.text.machine, self.sizes
        shown = machine.phase is Phase.REPORT and machine.config.revision != "none"
        told = shown and machine.config.revision == "told"
        may_choose = machine.phase is Phase.RESTORE or self._may_revise()
        rows = np.zeros(
            (self.first_row + sizes.rows, len(ROW_FEATURES) + self._about_reading + sizes.features), np.float32
        )
        mask = np.zeros(len(rows), np.int8)
        rows[self.first_row :, -sizes.features :], mask[self.first_row :] = self._features.rows(machine)
        about_message = np.zeros(self._about_message, np.float32)
        if may_choose or shown:
            readings = self._readings()
            about_message = readings.context
        if may_choose:
            count = len(readings.entries)
            rows[:count, len(ROW_FEATURES) : -sizes.features] = readings.features
            rows[:count, 0], mask[:count] = 1.0, 1
            if self._committed is not None:
                rows[self._committed, 1] = 1.0
        said = (self._may_revise(), told and bool(machine.gate), told and not machine.gate)
        context = np.concatenate([np.array(said, np.float32), about_message, self._features.context(machine)])
        self._mask = mask.copy()
        return {"context": context, "options": rows, "action_mask": mask}
