"""One agent through one episode, wherever agent and environment are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from riskchain_gym.agents.base import Agent, Instructions
from riskchain_gym.agents.view import phase_of
from riskchain_gym.evaluation.engine.referee import Referee
from riskchain_gym.evaluation.engine.sides import EnvironmentSide, EpisodeStoppedError
from riskchain_gym.protocol.trajectory import Phase, Trajectory


@dataclass(frozen=True)
class Episode:
    """What one episode left behind.

    Attributes:
        trajectory: What happened.
        images: Encoded screenshot of each browse step, the last one included, if the environment took any.
        seconds: Wall time, ``None`` where nobody measured.
    """

    trajectory: Trajectory
    images: dict[int, bytes]
    seconds: float | None


def play(
    environment: EnvironmentSide,
    agent: Agent,
    instructions: Instructions,
    chain: str,
    variant: str = "",
    stopped: Callable[[], bool] | None = None,
    referee: Referee | None = None,
) -> Episode:
    """Run one agent through one episode until it ends.

    Args:
        environment: The environment.
        agent: The agent; it is reset first.
        instructions: What it is told.
        chain: The chain.
        variant: Variant of its message that is restored on its own, ``""`` for the whole chain.
        stopped: Asked before every action whether to break off.
        referee: Answers for the gate, where the environment's rules say something of it and it holds no gold.

    Raises:
        EpisodeStoppedError: ``stopped`` said so.
        SideLostError: A side is gone.
        InfrastructureError: The agent's model gave no answer; what the environment loses it tells in the trajectory.
    """
    started = time.perf_counter()
    agent.reset(instructions)
    observation, ended = environment.reset(chain, variant), False
    while not ended:
        if stopped is not None and stopped():
            raise EpisodeStoppedError(f"Chain '{chain}' was broken off.")
        action = agent.act(observation)
        commits = phase_of(observation) is Phase.RESTORE and isinstance(action, str)
        passed = referee(action) if referee is not None and commits else None
        observation, ended = environment.step(action) if passed is None else environment.step(action, passed)
    taken = environment.taken()
    return Episode(taken.trajectory, taken.images, time.perf_counter() - started)
