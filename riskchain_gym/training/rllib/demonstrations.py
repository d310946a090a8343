"""What a text agent does, as pairs of observations and rows, for cloning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.envs.observation import observe
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.training.rllib.cloning import Pairs


def demonstrations(
    agent: str,
    env_id: str,
    kwargs: Mapping[str, Any],
    *,
    chains: Sequence[str] | None = None,
    reports: float = 1.0,
    progress: Callable[[int, int], None] | None = None,
) -> Pairs:
    """Let a baseline play an environment of rows, and return what it saw as arrays and the rows that it chose.

    The pairs of a website are a group. Features are kept as float16, for there are many. The agent reads the text of
    the environment within. What it does and no row stands for is left out, with the rest of its episode, and so is an
    episode that infrastructure ended.

    Args:
        agent: Name of the baseline, e.g. ``rules+explorer``.
        env_id: Id of an environment with ``row_of``, e.g. ``riskchain_gym:RiskChainBrowseSelect-v0``.
        kwargs: Its keyword arguments.
        chains: The chains to play, all of the split by default.
        reports: What the action that ends an episode, its report, counts in the loss beside the many moves before it,
            each of which counts 1.
        progress: Called with how many chains are played and how many there are.

    Raises:
        ConfigError: None of its actions has a row.
    """
    env: gym.Env[Any, Any] = gym.make(env_id, **kwargs)
    rows: Any = env.unwrapped
    loaded = load_agent(agent)
    seen: list[dict[str, Any]] = []
    actions: list[int] = []
    groups: list[str] = []
    weights: list[float] = []
    played = list(rows.chain_ids if chains is None else chains)
    try:
        for number, chain in enumerate(played):
            loaded.agent.reset(build_instructions(rows.config.max_steps))
            observation, info = env.reset(options={"chain": chain})
            pairs: list[tuple[dict[str, Any], int]] = []
            ended = not info["valid"]  # of a site that could not be opened there is nothing to be shown
            while not ended:
                row = rows.row_of(loaded.agent.act(observe(rows.text.machine)))
                if row is None or not observation["action_mask"][row]:
                    break
                pairs.append((_compact(observation), row))
                observation, _, terminated, truncated, info = env.step(row)
                ended = terminated or truncated
            if info["valid"]:
                seen += [each for each, _ in pairs]
                actions += [row for _, row in pairs]
                groups += [rows.text.machine.episode.case.chain.site.site_id] * len(pairs)
                weights += [1.0] * len(pairs)
                if ended:
                    weights[-1] = float(reports)
            if progress is not None:
                progress(number + 1, len(played))
    finally:
        loaded.agent.close()
        env.close()  # type: ignore[no-untyped-call]
    if not actions:
        raise ConfigError(f"No action of '{agent}' has a row in {env_id}: choose another agent to learn from.")
    return Pairs.of(seen, actions, groups=groups, weights=weights)


def _compact(observation: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.astype(np.float16) if value.dtype == np.float32 else value for name, value in observation.items()
    }
