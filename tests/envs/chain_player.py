"""Playing whole chains through ``gymnasium.make``, for the contract tests."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from chain_builder import commit_text, entry_of, report_text, stop_text

from riskchain_gym.protocol.codebook import Decision


def make(split: str, env_id: str = "RiskChain-v0", **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", **{"split": split, "backend": "text", **kwargs})


def actions_of_an_episode(ordinal: int = 0) -> list[str]:
    return [commit_text(entry_of(ordinal)), stop_text(), report_text(Decision.VIOLATION, "欢迎")]


def play(env: Any, **reset: Any) -> tuple[list[Any], list[float], dict[str, Any]]:
    """Play a whole chain and return observations, rewards and the last info."""
    obs, info = env.reset(**reset)
    seen, rewards = [obs], []
    for action in actions_of_an_episode():
        obs, reward, terminated, truncated, info = env.step(action)
        seen.append(obs)
        rewards.append(float(reward))
    assert terminated
    assert not truncated
    return seen, rewards, info
