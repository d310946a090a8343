"""The task set and environment in verifiers itself: its episodes, traces and errors."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_player import SPLIT, STORIES, Infrastructure, Play, assert_says_nothing, by_heart, chains

vf = pytest.importorskip("verifiers.v1")

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Any:
    from riskchain_gym.training.adapters.verifiers_env import load_environment

    monkeypatch.syspath_prepend(str(EXAMPLES))
    settings = {"split": SPLIT, "backend": "text", "reward": "delta_gate", "web_outcomes": 0.5}
    yield load_environment(settings=settings)
    sys.modules.pop("riskchain_chains", None)


class Conversation:
    """An interaction with a model that plays by heart; ``limit`` turns are all that it gets."""

    def __init__(self, task: Any, play: Play, limit: int, breaks: bool) -> None:
        agent = vf.AgentInfo(config=vf.AgentConfig())
        self.trace = vf.Trace(task=vf.TraceTask(type="RiskChainTask", data=task.data), agent=agent)
        self.texts: list[str] = []
        self._left = [json.dumps({"name": name, "arguments": given}) for name, given in play.calls]
        self._limit = limit
        self._breaks = breaks

    async def turn(self, text: str) -> Any:
        self.texts.append(text)
        if len(self.texts) > self._limit:
            if self._breaks:
                self.trace.record_error(vf.ProviderError("the model's server is gone"))
            return vf.Segment(messages=[], terminated=True)
        said = self._left.pop(0) if self._left else "I have nothing more to say."
        return vf.Segment(messages=[vf.AssistantMessage(content=said)])


def play(
    env: Any, monkeypatch: pytest.MonkeyPatch, task: Any, play: Play, limit: int = 99, breaks: bool = False
) -> tuple[Any, list[str]]:
    """Run one episode as verifiers does, with its own errors and records around a model that is not there."""
    talk = Conversation(task, play, limit, breaks)

    def agents(ctx: Any, completed: list[Any], *_: Any) -> Any:
        @asynccontextmanager
        async def interaction(task: Any) -> AsyncIterator[Conversation]:
            try:
                yield talk
            except Exception as error:
                talk.trace.record_error(error)
                raise
            else:
                talk.trace.ok = not talk.trace.errors
                talk.trace.stop("user_closed")
            finally:
                completed.append(talk.trace)

        return SimpleNamespace(player=SimpleNamespace(interaction=interaction))

    monkeypatch.setattr(env, "_episode_agents", agents)
    return asyncio.run(env.run_episode(task, SimpleNamespace())), talk.texts


def test_episodes_pay_what_gymnasium_pays(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = {task.data.chain: task for task in env.taskset}
    assert len(tasks) == 24
    for chain, story in zip(chains(), STORIES, strict=False):
        known = by_heart(chain, story, "delta_gate")
        episode, texts = play(env, monkeypatch, tasks[chain], known)
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        assert trace.reward == pytest.approx(known.reward)
        assert trace.metrics["gate"] == float(story != "wrong")
        assert_says_nothing([*texts, tasks[chain].data.system_prompt], chain)
        assert tasks[chain].data.prompt is None


def test_a_model_that_is_cut_off_has_filed_no_report(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = next(iter(env.taskset))
    episode, _ = play(env, monkeypatch, task, by_heart(task.data.chain, "right", "delta_gate"), limit=1)
    assert episode.ok
    assert episode.traces[0].reward == 0.0
    assert episode.traces[0].metrics == {"gate": 1.0, "web": 0.0, "end_to_end": 0.0}


def test_a_model_that_cannot_be_reached_is_no_score(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = next(iter(env.taskset))
    known = by_heart(task.data.chain, "wrong", "delta_gate")
    episode, _ = play(env, monkeypatch, task, known, limit=1, breaks=True)
    assert not episode.ok
    assert episode.traces[0].rewards == {}


def test_a_lost_episode_is_no_result(env: Any, monkeypatch: pytest.MonkeyPatch, infrastructure: Infrastructure) -> None:
    task = next(iter(env.taskset))
    known = by_heart(task.data.chain, "wrong", "delta_gate")
    infrastructure.lose(known.looks)
    episode, texts = play(env, monkeypatch, task, known)
    assert infrastructure.lost == 1
    assert not episode.ok
    assert "browser_lost" in episode.errors[0].message
    assert not episode.traces[0].ok
    assert episode.traces[0].rewards == {}
    assert_says_nothing(texts, task.data.chain)
    episode, _ = play(env, monkeypatch, task, known)
    assert episode.ok
    assert episode.traces[0].reward == pytest.approx(known.reward)
