"""Two code paths to one figure: the mean return of the Gymnasium loop, and Acc^e of the same agent's scored run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.benchmark import release, release_files
from riskchain_gym.evaluation.exports.writing import ExportSettings, export
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.score import Scores, score_run
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import SCORES
from riskchain_gym.protocol.keyed import key_from_seed

HALF = """
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.controls import LandingOnly
from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.protocol.commit import EMPTY_COMMIT


class Half(ChainAgent):
    def __init__(self):
        super().__init__(self, LandingOnly())
        self.rules = RulesRestorer()

    def reset(self, instructions):
        self.investigator.reset(instructions)

    def close(self):
        pass

    def restore(self, message):
        return self.rules.restore(message) if len(message.messages[0].content) % 2 else EMPTY_COMMIT
"""


def returns(agent: str, split: str, **kwargs: Any) -> dict[str, float]:
    """The undiscounted return of each chain, the agent playing in a plain loop."""
    env = gym.make("riskchain_gym:RiskChain-v0", **{"split": split, "backend": "text", "order": "sequential", **kwargs})
    player, paid = load_agent(agent).agent, {}
    for _ in env.unwrapped.chain_ids:  # type: ignore[attr-defined]
        player.reset(build_instructions(env.unwrapped.config.max_steps))  # type: ignore[attr-defined]
        observation, _ = env.reset()
        total, over = 0.0, False
        while not over:
            observation, reward, terminated, truncated, info = env.step(player.act(observation))
            total += float(reward)
            over = terminated or truncated
        assert info["valid"]
        paid[env.unwrapped.trajectory.chain_id] = total  # type: ignore[attr-defined]
    return paid


def scored(agent: str, split: str, path: Path, **settings: Any) -> Scores:
    run = run_agent(agent, path, RunSettings(split=split, backend="text", observe=(), **settings))
    return score_run(run)


def mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values)


@pytest.mark.parametrize("max_steps", [5, pytest.param(30, marks=pytest.mark.slow)])
def test_the_mean_gated_return_is_the_scored_accuracy(tmp_path: Path, max_steps: int) -> None:
    scores = scored("rules+explorer", "mini", tmp_path / "run", max_steps=max_steps)
    paid = returns("rules+explorer", "mini", reward="gated", max_steps=max_steps)

    assert len(paid) == 24
    assert paid == {outcome.chain_id: outcome.end_to_end_correct for outcome in scores.outcomes}
    assert mean(paid) == scores.summary.end_to_end_accuracy == _written(tmp_path / "run")
    assert 0 < mean(paid) < 1 or max_steps == 30, "a figure at its end would hide a difference"


def test_with_its_own_web_outcomes_every_reward_sums_to_the_scored_accuracy(tmp_path: Path) -> None:
    """ŵ is a^w itself where one run is exported, so that ``delta_gate`` pays −δ at the commit and a^e in all."""
    (tmp_path / "half_restored.py").write_text(HALF, encoding="utf-8")
    (tmp_path / "half.toml").write_text('name = "half"\nagent = "half_restored:Half"\n', encoding="utf-8")
    agent, to = str(tmp_path / "half.toml"), tmp_path / "w.jsonl"
    run = run_agent(agent, tmp_path / "run", RunSettings(backend="text", observe=()))
    summary = score_run(run).summary
    export([run], to, ExportSettings("web-outcomes"))

    paid = {
        reward: mean(returns(agent, "mini", reward=reward, web_outcomes=to))
        for reward in ("gated", "delta_gate", "delta_gate_shaped", "web")
    }

    assert paid["gated"] == paid["delta_gate"] == paid["delta_gate_shaped"] == summary.end_to_end_accuracy
    assert paid["web"] == summary.web_accuracy
    assert paid["gated"] not in (0, paid["web"]), "without both, a loss and a rest, the rewards would not differ"


@pytest.fixture(scope="module", params=[7, 11])
def other_chains(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("sites") / "built"
    made = release.build_release(key_from_seed(request.param), only=("mini",), worker_count=1)
    release_files.write_release(folder, made, seed=request.param, key_commitment=None)
    return str(folder / "mini")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["rules+explorer", "rules+landing_only", "rules+random"])
def test_it_is_so_on_other_chains_and_for_other_agents(tmp_path: Path, agent: str, other_chains: str) -> None:
    scores, paid = scored(agent, other_chains, tmp_path / "run"), returns(agent, other_chains, reward="gated")

    assert paid == {outcome.chain_id: outcome.end_to_end_correct for outcome in scores.outcomes}
    assert mean(paid) == scores.summary.end_to_end_accuracy == _written(tmp_path / "run")


def _written(run: Path) -> float:
    """Acc^e as ``riskchain score`` has written it."""
    return float(json.loads((run / SCORES).read_text(encoding="utf-8"))["summary"]["end_to_end_accuracy"])
