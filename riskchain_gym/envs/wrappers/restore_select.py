"""``RiskChainRestoreSelect-v0``: choose among readings of a message that a proposer has made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from riskchain_gym.envs.chain_env import RiskChainRestoreEnv
from riskchain_gym.envs.wrappers.options import (
    OptionsObservation,
    chosen,
    each_action,
    masked_action,
    options_observation,
    options_space,
)
from riskchain_gym.envs.wrappers.over_restore import OverRestoreEnv
from riskchain_gym.envs.wrappers.proposing import CheckedProposer, Floats, Proposals
from riskchain_gym.envs.wrappers.restoration import Task
from riskchain_gym.envs.wrappers.restore_vector import Arrays, Mask, RestoreVectorEnv, Verdict
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import Message

ENV_ID = "RiskChainRestoreSelect-v0"
PROPOSER = "riskchain_gym.agents.restore.proposals:propose"
"""The proposer by default."""

CANDIDATES = 16
"""Readings with an entry by default."""

STRIKES = "strikes"
"""The last context feature, which the environment adds: strikes so far, as a share of those that end the phase."""


class _Proposing:
    """The proposer of an environment and the spaces that follow from it.

    Args:
        proposer: ``module:function``.
        candidates: How many readings with an entry it may give at most.
    """

    def __init__(self, proposer: str, candidates: int) -> None:
        self._propose = CheckedProposer(proposer, candidates)
        probe = self._propose.probe
        self._candidates = candidates
        self.context_names = (*probe.context_names, STRIKES)
        self.feature_names = probe.feature_names
        self.space = options_space(
            context=len(self.context_names), options=candidates + 1, features=len(self.feature_names)
        )

    def __call__(self, message: Message) -> tuple[Proposals, OptionsObservation]:
        """Return the readings of a message and the observation of them, without a strike."""
        proposals = self._propose(message, self._candidates)
        context = np.append(proposals.context, np.float32(0.0))
        return proposals, options_observation(self.space, context, proposals.features)


class RiskChainRestoreSelectEnv(OverRestoreEnv[tuple[Proposals, OptionsObservation]]):
    """One message and its candidate readings; the action commits one of them, and that ends the episode.

    Row 0 names no entry; the others are the proposer's readings, likeliest first. The right entry may be among none of
    them. A masked action is a strike, as an invalid action of ``RiskChainRestore-v0`` is.

    Args:
        candidates: How many readings with an entry there are at most, up to 1,024.
        proposer: Who makes them, ``module:function``; it sees the message and nothing else.
        pool: How many sessions are kept as arrays, and of a split without end how many episodes are drawn from.
        kwargs: Keyword arguments of ``RiskChainRestore-v0``.

    Raises:
        ConfigError: An argument is unknown or bad, or the proposer cannot be loaded.

    Attributes:
        context_names: What each context feature is.
        feature_names: What each feature of a row is.
    """

    env_id = ENV_ID
    text_class = RiskChainRestoreEnv
    own: ClassVar[tuple[str, ...]] = ("candidates", "proposer", "pool")

    def __init__(self, *, candidates: int = CANDIDATES, proposer: str = PROPOSER, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._proposing = _Proposing(proposer, candidates)
        self.context_names = self._proposing.context_names
        self.feature_names = self._proposing.feature_names
        self.observation_space: spaces.Dict = self._proposing.space
        self.action_space: spaces.Discrete[np.int64] = spaces.Discrete(candidates + 1)

    def sample_action(self) -> int:
        """Return a random action that is not masked, drawn by the action space's generator.

        Raises:
            ResetNeeded: No episode has begun.
        """
        _, observation = self.sheet
        return int(self.action_space.sample(mask=observation["action_mask"]))

    @property
    def proposals(self) -> Proposals:
        """The readings of the current or last message.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.sheet[0]

    def make_sheet(self, message: Message) -> tuple[Proposals, OptionsObservation]:
        """Return the readings of a message and the observation of them."""
        return self._proposing(message)

    def show(self, strikes: float) -> OptionsObservation:
        """Return the observation."""
        observation = {name: values.copy() for name, values in self.sheet[1].items()}
        observation["context"][-1] = strikes
        return observation

    def written(self, action: Any) -> str:
        """Return the text of the commit that an action chooses."""
        proposals, observation = self.sheet
        row = chosen(action, observation["action_mask"])
        return masked_action(action) if row is None else proposals.commit(row).model_dump_json()


@dataclass(frozen=True)
class _Sheet:
    proposals: Proposals
    observation: OptionsObservation
    verdicts: tuple[Verdict, ...]


class RestoreSelectVectorEnv(RestoreVectorEnv[_Sheet]):
    """A vector of :class:`RiskChainRestoreSelectEnv`; no text is touched once a session is kept.

    Args:
        num_envs: How many environments.
        candidates: As for a single environment.
        proposer: As for a single environment.
        kwargs: Keyword arguments of :class:`~riskchain_gym.envs.wrappers.restore_vector.RestoreVectorEnv`.

    Raises:
        ConfigError: As a single environment does.
    """

    env_id = ENV_ID
    own: ClassVar[tuple[str, ...]] = ("candidates", "proposer", "outcomes", "pool")

    def __init__(self, num_envs: int, *, candidates: int = CANDIDATES, proposer: str = PROPOSER, **kwargs: Any) -> None:
        super().__init__(num_envs, **kwargs)
        self._proposing = _Proposing(proposer, candidates)
        self.context_names = self._proposing.context_names
        self.feature_names = self._proposing.feature_names
        self._set_spaces(self._proposing.space, spaces.Discrete(candidates + 1))
        rows, features = candidates + 1, len(self.feature_names)
        self._context: Floats = np.zeros((num_envs, len(self.context_names)), np.float32)
        self._options: Floats = np.zeros((num_envs, rows, features), np.float32)
        self._mask = np.zeros((num_envs, rows), np.int8)

    def _make(self, task: Task) -> _Sheet:
        proposals, observation = self._proposing(task.message)
        verdicts = []
        for entry in proposals.entries:
            gate = task.gate(entry) if task.has_gold else None
            verdicts.append(Verdict(task.pay(gate is not None and gate.passed), gate))
        return _Sheet(proposals, observation, tuple(verdicts))

    def _show(self, place: int, sheet: _Sheet) -> None:
        self._context[place] = sheet.observation["context"]
        self._options[place] = sheet.observation["options"]
        self._mask[place] = sheet.observation["action_mask"]

    def _observe(self, strikes: NDArray[np.float32]) -> Arrays:
        context = self._context.copy()
        context[:, -1] = strikes
        return {"action_mask": self._mask.copy(), "context": context, "options": self._options.copy()}

    def _read(self, actions: Any) -> tuple[NDArray[np.int64], Mask]:
        if isinstance(actions, np.ndarray) and actions.shape == (self.num_envs,) and actions.dtype.kind in "iu":
            inside = (actions >= 0) & (actions < self._mask.shape[1])
            legal: Mask = inside & (self._mask[np.arange(self.num_envs), np.where(inside, actions, 0)] == 1)
            return actions.astype(np.int64, copy=False), legal
        rows = [chosen(a, m) for a, m in zip(each_action(actions, self.num_envs), self._mask, strict=True)]
        return np.array([row or 0 for row in rows], np.int64), np.array([row is not None for row in rows], np.bool_)

    def _carry_out(self, places: NDArray[np.int64], actions: NDArray[Any]) -> list[Verdict]:
        return [self._at(int(place))[1].verdicts[int(row)] for place, row in zip(places, actions, strict=True)]

    def _commit(self, place: int, action: Any) -> Commit:
        return self._at(place)[1].proposals.commit(int(action))
