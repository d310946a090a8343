"""What the tests of message splits share: environments on them, the sessions behind, and commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.message_cases import SEED
from riskchain_gym.messages.session import Session
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.keyed import key_from_seed

TRAIN, RESTORE = "messages/train", "RiskChainRestore-v0"
KEY = key_from_seed(SEED)


def make(split: str | Path = TRAIN, **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{RESTORE}", **{"split": split, "web_outcomes": 1.0, **kwargs})


def train(index: int) -> Session:
    return session_of("train", KEY, index)


def chain_of(env: Any, **reset: Any) -> str:
    env.reset(**reset)
    return str(env.unwrapped.trajectory.chain_id)


def commit_of(gold: MessageGold, *entries: str, **more: Any) -> str:
    return Commit(
        reconstructed_messages=gold.messages,
        intent=gold.intent,
        platform=gold.platform,
        entry_candidates=tuple(EntryCandidate(rank=i, value=value) for i, value in enumerate(entries, 1)),
        **more,
    ).model_dump_json()


def index_with(*, entry: bool) -> int:
    return next(i for i in range(200) if (train(i).gold.entry is not None) == entry)


def name_of(index: int) -> str:
    return f"train-{index:010d}"
