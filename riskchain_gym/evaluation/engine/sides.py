"""The two sides of an episode, the environment's and the agent's, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from riskchain_gym.agents.base import Agent, Instructions, Observation
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.trajectory import Trajectory


class EpisodeStoppedError(Exception):
    """An episode was broken off before its end, because the run is ending; nothing of it is kept."""


class SideLostError(Exception):
    """A side of an episode is gone: its process died, or was killed because it took too long.

    Attributes:
        cause: ``worker_died``, ``worker_late``, ``agent_died`` or ``agent_late``.
        detail: The same in a sentence.
        counted: Whether it counts as an attempt of the episode; not so where the episode was merely beside one that
            went wrong, or where nobody knows which of several it was.
        alone: Whether the episode is to be run again with no other beside it, so that it is known next time.
    """

    def __init__(self, cause: str, detail: str, *, counted: bool = True, alone: bool = False) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.counted = counted
        self.alone = alone


@dataclass(frozen=True)
class Taken:
    """What an environment has of an episode.

    Attributes:
        trajectory: What happened.
        images: Encoded screenshot of each browse step, the last one included, if the environment took any.
    """

    trajectory: Trajectory
    images: dict[int, bytes]


class EnvironmentSide(Protocol):
    """Plays one episode at a time.

    Every method raises :class:`SideLostError` where the side is in another process and that is gone, and what the
    environment raises.
    """

    def reset(self, chain: str, variant: str) -> Observation:
        """Begin an episode and return its first observation.

        Args:
            chain: The chain.
            variant: Variant of its message that is to be restored, and nothing more; ``""`` for the whole chain.
        """

    def step(self, action: str, passed: bool | None = None) -> tuple[Observation, bool]:
        """Send an action; return the observation, and whether the episode has ended.

        Args:
            action: The action.
            passed: Whether an entry that it commits leads to the site, where the environment's rules say so later.
        """

    def taken(self) -> Taken:
        """Return what there is of the current or last episode."""

    def close(self) -> None:
        """Let go of everything; idempotent."""


class AgentSide(Agent, Protocol):
    """An agent that plays one episode at a time: :meth:`begin`, :meth:`reset`, :meth:`act` … and :meth:`asked`.

    Every method raises :class:`SideLostError` where the side is in another process and that is gone, and what the agent
    raises; :meth:`reset` and :meth:`act` raise what kept its model from answering, whatever the agent made of that.
    """

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model at all."""

    @property
    def is_oracle(self) -> bool:
        """Whether it is given gold."""

    def begin(self, gold: GoldChain | None) -> None:
        """Begin an episode.

        Args:
            gold: The chain's gold, for an oracle.
        """

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode and get ready for a new one."""

    def act(self, observation: Observation) -> str:
        """Return the next action as JSON text."""

    def asked(self) -> tuple[CallRecord, ...]:
        """Return what it has asked of a model in the episode; to be called once, when it has ended."""

    def close(self) -> None:
        """Close the agent; idempotent.

        Raises:
            AgentUnclosedError: It raised.
        """
