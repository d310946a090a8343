"""The explorer on the sites of ``mini``: no gate of any kind stays closed, and nearly all that decides is seen."""

from __future__ import annotations

import gymnasium as gym
import pytest

from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.episode import score_episode


def explored(split: str) -> dict[str, Outcome]:
    env = gym.make(
        "riskchain_gym:RiskChainBrowse-v0",
        disable_env_checker=True,
        split=split,
        backend="text",
        observe=[],
        reward="none",
    )
    explorer = Explorer()
    outcomes: dict[str, Outcome] = {}
    for chain_id, gold in load_gold(split).items():
        observation, _ = env.reset(options={"chain": chain_id})
        explorer.reset(build_instructions())
        ended = False
        while not ended:
            observation, _, terminated, truncated, _ = env.step(explorer.investigate(observation))
            ended = terminated or truncated
        outcomes[chain_id] = score_episode(env.unwrapped.trajectory, gold, max_steps=30)
    env.close()
    return outcomes


@pytest.mark.slow
def test_what_decides_is_seen_behind_every_gate_and_within_the_budget() -> None:
    outcomes = explored("mini")
    failures = [failure for outcome in outcomes.values() for failure in outcome.failures]
    assert [f.detail for f in failures if f.kind is FailureKind.GATE_NOT_PASSED] == []
    assert not {f.kind for f in failures} & {
        FailureKind.STEP_BUDGET,
        FailureKind.MISSING_TARGET,
        FailureKind.STALE_TARGET,
    }
    seen = [outcome.evidence.seen for outcome in outcomes.values() if outcome.evidence]
    assert sum(seen) / len(seen) >= 0.95
