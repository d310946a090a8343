"""What the tests of the restoration array environments share."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.wrappers.editing import DROP, OPERATIONS
from riskchain_gym.envs.wrappers.proposing import Proposals
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.message import Message

SELECT, EDIT = "RiskChainRestoreSelect-v0", "RiskChainRestoreEdit-v0"
SPELLED = "array_cases:spelled"


def spelled(message: Message, limit: int) -> Proposals:
    """Propose the words of a message that end in .test, as quick as can be."""
    words = [word for part in message.messages for word in part.content.split() if word.endswith(".test")][:limit]
    entries = (None, *words)

    def commit(row: int) -> Commit:
        named = entries[row]
        return Commit(
            reconstructed_messages=tuple(
                RestoredMessage(message_id=part.message_id, text=part.content) for part in message.messages
            ),
            platform=message.platform,
            entry_candidates=() if named is None else (EntryCandidate(rank=1, value=named),),
            abstain=named is None,
        )

    features = np.array([[float(entry is None), (row + 1) / 32] for row, entry in enumerate(entries)], np.float32)
    context = np.array([len(words) / 32], np.float32)
    return Proposals(context, features, entries, commit, ("words",), ("abstain", "place"))


def make(env_id: str, **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", **{"split": "messages/dev", **_quick(env_id), **kwargs})


def vector(env_id: str, count: int, **kwargs: Any) -> Any:
    return gym.make_vec(f"riskchain_gym:{env_id}", count, **{"split": "messages/dev", **_quick(env_id), **kwargs})


def _quick(env_id: str) -> dict[str, Any]:
    return {"proposer": SPELLED} if env_id == SELECT else {}


def actions_for(env_id: str, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Draw actions, about a third of them masked or outside the space."""
    if env_id == SELECT:
        return rng.integers(-1, 4, size=count)
    actions = np.where(rng.random((count, 96)) < 0.9, DROP, rng.integers(OPERATIONS, size=(count, 96)))
    actions[rng.random(count) < 0.3, 0] = OPERATIONS
    actions[rng.random(count) < 0.2] = DROP
    return actions
