"""One agent through one chain."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym

from riskchain_gym.agents.base import Agent, Instructions
from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.protocol.trajectory import Trajectory


class EpisodeStoppedError(Exception):
    """An episode was broken off before its end, because the run is ending; nothing of it is kept."""


@dataclass(frozen=True)
class Episode:
    """What one episode left behind.

    Attributes:
        trajectory: What happened.
        images: Encoded screenshot of each browse step, the last one included, if the environment took any.
        seconds: Wall time.
    """

    trajectory: Trajectory
    images: dict[int, bytes]
    seconds: float


def run_episode(
    env: gym.Env[Any, Any],
    agent: Agent,
    instructions: Instructions,
    chain_id: str,
    encoder: ScreenshotEncoder,
    stopped: Callable[[], bool] | None = None,
) -> Episode:
    """Run one agent through one chain until the episode ends.

    Args:
        env: An environment made by ``gymnasium.make`` from one of this package's ids.
        agent: The agent; it is reset first.
        instructions: What it is told.
        chain_id: The chain.
        encoder: Encodes the screenshots.
        stopped: Asked before every action whether to break off.

    Raises:
        EpisodeStoppedError: ``stopped`` said so.
        InfrastructureError: The agent's model gave no answer; what the environment loses it tells in the trajectory.
    """
    started = time.perf_counter()
    world = cast(RiskChainEnv, env.unwrapped)
    images: dict[int, bytes] = {}
    agent.reset(instructions)
    observation, _ = env.reset(options={"chain": chain_id})
    ended = False
    while True:
        view = world.last_view
        if view is not None and view[0] not in images:
            images[view[0]] = encoder.encode(view[1])
        if ended:
            return Episode(world.trajectory, images, time.perf_counter() - started)
        if stopped is not None and stopped():
            raise EpisodeStoppedError(f"Chain '{chain_id}' was broken off.")
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        ended = terminated or truncated
