"""One agent through one chain, in an environment that is there already."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from riskchain_gym.agents.base import Agent, Instructions
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.engine.local import OneEnvironment
from riskchain_gym.evaluation.engine.play import Episode, play


def run_episode(
    env: gym.Env[Any, Any], agent: Agent, instructions: Instructions, chain_id: str, encoder: ScreenshotEncoder
) -> Episode:
    """Run one agent through one chain until the episode ends.

    Args:
        env: An environment made by ``gymnasium.make`` from one of this package's ids.
        agent: The agent; it is reset first.
        instructions: What it is told.
        chain_id: The chain.
        encoder: Encodes the screenshots.

    Raises:
        InfrastructureError: The agent's model gave no answer; what the environment loses it tells in the trajectory.
    """
    return play(OneEnvironment(env, encoder), agent, instructions, chain_id)
