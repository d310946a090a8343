"""One agent through one chain."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from riskchain_gym.agents.base import Agent, Instructions
from riskchain_gym.evaluation.images import Image, ScreenshotEncoder
from riskchain_gym.protocol.trajectory import Trajectory

BROWSE = 1
"""Index of the browse phase in an observation."""


@dataclass(frozen=True)
class Episode:
    """What one episode left behind.

    Attributes:
        trajectory: What happened.
        images: Screenshot of each browse step, if the environment took any.
        seconds: Wall time.
    """

    trajectory: Trajectory
    images: dict[int, Image]
    seconds: float


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
    """
    started = time.perf_counter()
    images: dict[int, Image] = {}
    observation, _ = env.reset(options={"chain": chain_id})
    agent.reset(instructions)
    ended = False
    while not ended:
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        ended = terminated or truncated
        if int(observation["phase"]) == BROWSE and "screenshot" in observation:
            images.setdefault(json.loads(observation["elements"])["step"], encoder.encode(observation["screenshot"]))
    trajectory: Trajectory = env.unwrapped.trajectory  # type: ignore[attr-defined]
    return Episode(trajectory, images, time.perf_counter() - started)
