"""The agent interface: text in, text out, one agent an episode at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import Message

Observation = Mapping[str, Any]
"""What the environment hands out: ``phase``, ``text``, ``elements``, ``feedback``, ``steps_left`` and modalities."""


@dataclass(frozen=True)
class Instructions:
    """What an agent is told before an episode: how to answer, never what the answer is.

    Attributes:
        schemas: JSON schema of the action of each phase, by phase name.
        codebook: The decision rules and minimum evidence, as plain data.
        max_steps: Browse actions allowed, or ``None`` when the budget is not told.
        repeat: Which of several runs it is, for agents that draw lots.
    """

    schemas: Mapping[str, Any]
    codebook: Mapping[str, Any]
    max_steps: int | None = None
    repeat: int = 0


@runtime_checkable
class Agent(Protocol):
    """An agent for the whole chain.

    An agent sees observations only. It may keep what it saw until the next :meth:`reset`.
    """

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode and get ready for a new one."""

    def act(self, observation: Observation) -> str:
        """Return the next action as JSON text."""

    def close(self) -> None:
        """Release what the agent holds; idempotent."""


@runtime_checkable
class Restorer(Protocol):
    """The restore half of an agent."""

    def restore(self, message: Message) -> Commit:
        """Return the restoration of one message, from its platform, surface and content alone."""


@runtime_checkable
class Investigator(Protocol):
    """The browse-and-report half of an agent."""

    def reset(self, instructions: Instructions) -> None:
        """Forget the last site."""

    def investigate(self, observation: Observation) -> str:
        """Return the next browser action (browse phase) or the report (report phase) as JSON text."""


@runtime_checkable
class Writing(Protocol):
    """A restorer that writes its answers itself, as a model does whose answer may be no commit at all."""

    def answer(self, observation: Observation) -> str:
        """Return the answer to a restore observation: a commit as JSON text, or what was said in its place."""


@runtime_checkable
class Resetting(Protocol):
    """A part that keeps something of an episode."""

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode."""


@runtime_checkable
class Closing(Protocol):
    """A part that holds something open."""

    def close(self) -> None:
        """Release it; idempotent."""
