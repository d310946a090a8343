"""Turns as the messages of a chat, and what is told of the episode that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from riskchain_gym.evaluation.exports.played import Played
from riskchain_gym.evaluation.exports.turns import Turn


@dataclass(frozen=True)
class Said:
    """One message of a chat.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        content: What is said.
        turn: The turn that it belongs to.
    """

    role: str
    content: str
    turn: Turn

    @property
    def trained(self) -> bool:
        """Whether it is to be learnt: what the agent answered and the environment took."""
        return self.role == "assistant" and self.turn.valid

    def told(self) -> dict[str, str]:
        """Return it as chats have it."""
        return {"role": self.role, "content": self.content}


def conversation(turns: Sequence[Turn]) -> list[Said]:
    """Return the turns of an episode as one chat: what the agent is told stands at the beginning of each phase."""
    return list(_messages(turns))


def _messages(turns: Sequence[Turn]) -> Iterator[Said]:
    system = ""
    for turn in turns:
        if turn.system != system:
            system = turn.system
            yield Said("system", system, turn)
        yield Said("user", turn.question, turn)
        yield Said("assistant", turn.answer, turn)


def source(episode: Played) -> dict[str, Any]:
    """Return where an episode is from, by the names that run folders use."""
    manifest, record = episode.run.manifest, episode.record
    return {
        "chain": episode.chain_id,
        "variant": record.trajectory.variant,
        "agent": manifest.agent,
        "agent_kind": manifest.agent_kind,
        "agent_sha256": manifest.agent_sha256,
        "repeat": manifest.repeat,
        "split": manifest.split,
        "split_sha256": manifest.split_sha256,
        "run": episode.run.identity,
        "episode": record.hash,
    }


def status(episode: Played) -> dict[str, Any]:
    """Return how an episode ended, what it scored, and whether its split is open or sealed."""
    outcome = episode.outcome
    return {
        "episode": episode.record.trajectory.status,
        "outcome": outcome.flat() if outcome is not None else None,
        "valid": outcome.validator.valid if outcome is not None else None,
        "origin": episode.run.manifest.origin,
    }
