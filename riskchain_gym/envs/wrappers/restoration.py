"""Restorations as array environments pay and score them: by the text environment's own machine and gate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from riskchain_gym.envs.cases import Case, ChainSource
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.rewards import Reward, Transition, make_reward
from riskchain_gym.envs.selection import CaseId
from riskchain_gym.envs.web_outcomes import WebOutcomes
from riskchain_gym.envs.wrappers.options import masked_action
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.outcome import GateResult
from riskchain_gym.scoring.gate import CLOSED, gate

_END = {"commits": True, "ends": True}


class _First(NamedTuple):
    rank: int
    value: str


@dataclass(frozen=True)
class Ranked:
    """A restoration of which only the entry counts, as the gate reads it.

    Attributes:
        entry_candidates: At most one.
        abstain: Whether it names none.
    """

    entry_candidates: tuple[_First, ...]
    abstain: bool
    reconstructed_messages: tuple[Any, ...] = ()
    intent: str = ""
    platform: str = "unknown"


def ranked(entry: str | None) -> Ranked:
    """Return the restoration that names an entry, or none.

    Args:
        entry: The entry of rank 1, or ``None``.
    """
    if entry is None:
        return Ranked((), True)
    return Ranked((_First(1, entry),), False)


class Task:
    """One message to restore, and what a restoration of it is paid.

    Args:
        case_id: Which session, in which disguise.
        source: Where it comes from.
        config: The settings of the environment.
        outcomes: ŵ, where the reward reads it.

    Attributes:
        case_id: Which session, in which disguise.
        message: The message, all that an agent is shown.
    """

    def __init__(self, case_id: CaseId, source: ChainSource, config: EnvConfig, outcomes: WebOutcomes | None) -> None:
        chain, gold = source.load(case_id.chain_id)
        self.case_id = case_id
        self._case = Case(chain, case_id.variant)
        self._config = config
        self.message: Message = chain.variants[case_id.variant]
        self._gold: MessageGold | None = gold.message if isinstance(gold, GoldChain) else gold
        w_hat = outcomes.of(case_id.chain_id) if outcomes is not None else None
        self._reward: Reward = make_reward(config, "restore", w_hat)

    @property
    def has_gold(self) -> bool:
        """Whether the gate can be looked up: not with ``reward="none"``."""
        return self._gold is not None

    @property
    def lost_reward(self) -> float:
        """What is paid where strikes end the episode; optional terms are not in it."""
        return self._reward.pay(Transition(gate=0, **_END))

    def gate(self, entry: str | None) -> GateResult:
        """Return the gate of a restoration that ranks an entry first, or names none.

        Args:
            entry: The entry, or ``None``.
        """
        return gate(ranked(entry), self._gold.entry) if self._gold is not None else CLOSED

    def pay(self, passed: bool) -> float:
        """Return the reward of a restoration; optional terms are not in it.

        Args:
            passed: Whether its gate is open.
        """
        return self._reward.pay(Transition(gate=int(passed), **_END))

    def play(self, commit: Commit | None, strikes: int = 0) -> tuple[float, dict[str, Any]]:
        """Play a whole episode on the text environment's machine.

        Args:
            commit: What is committed; ``None`` for masked actions until the episode ends.
            strikes: Masked actions before it.

        Returns:
            All that the episode pays, and its flat outcome.
        """
        judge = partial(_passes, self._gold.entry) if self._gold is not None else None
        episode = Episode(self._case, "reference", self._reward, self._gold, judge)
        machine = Machine("restore", self._config, episode, None)
        paid = 0.0
        masked = masked_action(None)
        for _ in range(strikes):
            paid += machine.act(masked)
        text = masked if commit is None else commit.model_dump_json()
        while not machine.over:
            paid += machine.act(text)
        assert machine.outcome is not None
        return paid, {**machine.outcome.flat(), **{f"terms.{name}": value for name, value in machine.terms.items()}}


def _passes(entry: str | None, commit: Commit) -> bool:
    return gate(commit, entry).passed
