"""Playing attacks and their honest controls where rewards are paid and scores are made: the environment itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np

from riskchain_gym.agents.base import Agent
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.judge.episode import judge_episode
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.summary import Summary, summarize


@dataclass(frozen=True)
class Played:
    """One episode: what happened, what each step paid, and the last ``info``."""

    trajectory: Trajectory
    rewards: tuple[float, ...]
    info: dict[str, Any]

    @property
    def paid(self) -> float:
        return sum(self.rewards)

    @property
    def outcome(self) -> dict[str, Any]:
        """The flat outcome of the last step, as a trainer reads it."""
        outcome: dict[str, Any] = self.info["outcome"]
        return outcome

    @cached_property
    def actions(self) -> tuple[str, ...]:
        return tuple(step.action for step in self.trajectory.steps)

    @property
    def report(self) -> Report:
        assert self.trajectory.report is not None
        return self.trajectory.report


class Arena:
    """One environment on the text backend, and every chain of its split.

    Args:
        settings: Keyword arguments of the environment.
    """

    def __init__(self, env_id: str = "RiskChain-v0", **settings: Any) -> None:
        given = {"split": "mini", "backend": "text", **settings}
        self.env = gym.make(f"riskchain_gym:{env_id}", disable_env_checker=True, **given)
        self.world: Any = self.env.unwrapped
        self.gold = load_gold(given["split"])

    def play(self, agent: Agent, chains: Iterable[str] | None = None) -> list[Played]:
        """Let an agent play; it is shown observations only."""
        return [self._episode(chain, agent) for chain in chains or self.gold]

    def repeat(self, played: Sequence[Played]) -> list[Played]:
        """Send the actions of episodes once more, as to an environment that pays otherwise."""
        return [self.send(one.trajectory.chain_id, one.actions) for one in played]

    def replay(self, played: Sequence[Played], report: Callable[[Played], str]) -> list[Played]:
        """Repeat episodes action by action, but send another report; it is sent again where it is refused."""
        return [self.send(one.trajectory.chain_id, [*one.actions[:-1], *[report(one)] * 3]) for one in played]

    def send(self, chain: str, actions: Iterable[str]) -> Played:
        """Send actions until the episode ends."""
        _, info = self.env.reset(options={"chain": chain})
        rewards: list[float] = []
        for action in actions:
            _, reward, terminated, truncated, info = self.env.step(action)
            rewards.append(float(reward))
            if terminated or truncated:
                return Played(self.world.trajectory, tuple(rewards), info)
        raise AssertionError(f"The episode goes on after {len(rewards)} actions.")

    def _episode(self, chain: str, agent: Agent) -> Played:
        agent.reset(build_instructions(max_steps=self.world.config.max_steps))
        observation, info = self.env.reset(options={"chain": chain})
        rewards: list[float] = []
        ended = False
        while not ended:
            observation, reward, terminated, truncated, info = self.env.step(agent.act(observation))
            rewards.append(float(reward))
            ended = terminated or truncated
        return Played(self.world.trajectory, tuple(rewards), info)

    def outcomes(self, played: Iterable[Played]) -> list[Outcome]:
        """Score episodes as ``riskchain score`` does, with the judge that works by rules."""
        return [
            score_episode(one.trajectory, self.gold[one.trajectory.chain_id]).model_copy(
                update={"judge": judge_episode(one.trajectory, RuleJudge())}
            )
            for one in played
        ]

    def summary(self, played: Iterable[Played]) -> Summary:
        """Return the row that episodes would have in a table."""
        return summarize(self.outcomes(played))


def mean_paid(played: Sequence[Played]) -> float:
    """Return the mean undiscounted return."""
    return float(np.mean([one.paid for one in played]))
