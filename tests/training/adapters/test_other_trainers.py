"""Verifiers, OpenEnv and Inspect AI as they call their adapters: twenty episodes, one lost to the infrastructure."""

from __future__ import annotations

import asyncio
import json
import math
import random
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from stand_ins import inspect_ai, openenv, standing_in, verifiers
from tool_player import SPLIT, Infrastructure, Play, assert_says_nothing, by_heart, draws

from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.training.adapters.session import EpisodeLostError

EPISODES = 20
SETTINGS: dict[str, Any] = {"split": SPLIT, "backend": "text", "reward": "delta_gate", "web_outcomes": 0.5}

Episode = Callable[[str, Play], tuple[float | None, list[str]]]
"""Plays a chain; returns its reward, ``None`` for a sample that the trainer drops, and all that a model was shown."""


def train(episode: Episode, infrastructure: Infrastructure, reward: str = "delta_gate") -> None:
    """Play twenty episodes, lose one at a random moment, and hold rewards against the plain environment's."""
    before = set(threading.enumerate())
    rng = random.Random(17)
    losing = rng.randrange(EPISODES)
    dropped = 0
    for number, (chain, story) in enumerate(draws(23, EPISODES)):
        play = by_heart(chain, story, reward)
        if number == losing:
            infrastructure.lose(rng.randint(1, play.looks))
        paid, texts = episode(chain, play)
        assert_says_nothing(texts, chain)
        assert len(texts) > 1
        if paid is None:
            dropped += 1
            assert number == losing
        else:
            assert paid == pytest.approx(play.reward)
    assert dropped == infrastructure.lost == 1
    assert set(threading.enumerate()) <= before


def test_verifiers(infrastructure: Infrastructure) -> None:
    with standing_in(verifiers(), "verifiers_env") as adapter:
        config = adapter.RiskChainConfig(settings=SETTINGS)
        tasks = {task.data.chain: task for task in adapter.RiskChainTaskset(config).load()}
        env = adapter.RiskChainEnv()

        def episode(chain: str, play: Play) -> tuple[float | None, list[str]]:
            left = [json.dumps({"name": name, "arguments": given}) for name, given in play.calls]
            texts = [tasks[chain].data.system_prompt]
            rewards: dict[str, float] = {}
            trace = SimpleNamespace(ok=True, record_reward=rewards.__setitem__, record_metrics=lambda metrics: None)

            async def turn(text: str) -> Any:
                texts.append(text)
                return SimpleNamespace(terminated=not left, last_reply=left.pop(0) if left else "")

            @asynccontextmanager
            async def interaction(task: Any) -> AsyncIterator[Any]:
                yield SimpleNamespace(turn=turn, trace=trace)

            agents = SimpleNamespace(player=SimpleNamespace(interaction=interaction))
            try:
                asyncio.run(env.run(tasks[chain], agents))
            except EpisodeLostError:
                assert rewards == {}
                return None, texts
            return rewards["riskchain"], texts

        train(episode, infrastructure)


def test_openenv(infrastructure: Infrastructure) -> None:
    with standing_in(openenv(), "openenv_server") as adapter:
        env = adapter.RiskChainEnvironment(**SETTINGS)

        def episode(chain: str, play: Play) -> tuple[float | None, list[str]]:
            seen = env.reset(chain=chain)
            texts, paid, left = [seen.text], 0.0, list(play.calls)
            assert seen.reward is None
            while not seen.done:
                name, given = left.pop(0) if left else ("nothing", {})
                try:
                    seen = env.step(adapter.RiskChainAction(tool=name, arguments=given))
                except EpisodeLostError as error:
                    assert env.state.valid is False
                    return None, [*texts, str(error)]
                texts.append(seen.text)
                paid += seen.reward
            assert chain not in env.state.model_dump_json()
            return paid, texts

        train(episode, infrastructure)
        env.close()
        env.close()
        assert env.state.done


def test_inspect_ai(infrastructure: Infrastructure) -> None:
    with standing_in(inspect_ai(), "inspect_task") as adapter:
        task = adapter.riskchain(split=SPLIT)
        assert 0 < task.fail_on_error <= 0.01

        def episode(chain: str, play: Play) -> tuple[float | None, list[str]]:
            left = list(play.calls)
            state = SimpleNamespace(uuid=f"{chain}-{len(left)}", sample_id=chain, messages=[], completed=False)

            async def generate(messages: Any, tools: Any) -> Any:
                if not left:
                    state.completed = True  # a limit that the model met
                    return SimpleNamespace(message=SimpleNamespace(tool_calls=[], text=""), stop_reason="stop")
                name, given = left.pop(0)
                call = SimpleNamespace(id="1", function=name, arguments=given, parse_error=None)
                return SimpleNamespace(message=SimpleNamespace(tool_calls=[call], text=""), stop_reason="tool_calls")

            adapter.get_model = lambda: SimpleNamespace(generate=generate)

            async def sample() -> Any:
                try:
                    return await task.scorer(await task.solver(state, None), None)
                except EpisodeLostError:
                    told = await task.scorer(state, None)
                    assert math.isnan(told.value), "no zero, even where errors are scored"
                    return None
                finally:
                    await task.cleanup(state)
                    await task.cleanup(state)

            score = asyncio.run(sample())
            texts = [message.content for message in state.messages if hasattr(message, "content")]
            return (None if score is None else float(score.value["end_to_end"])), texts

        train(episode, infrastructure, reward="gated")


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("verifiers_env", "verifiers", "verifiers"),
        ("openenv_server", "openenv", "openenv"),
        ("inspect_task", "inspect_ai", "inspect"),
    ],
)
def test_a_missing_extra_is_one_sentence(
    adapter: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"riskchain_gym.training.adapters.{adapter}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    for each in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, each)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'riskchain-gym\[{extra}\]'") as error:
        __import__(name)
    assert len(str(error.value).splitlines()) == 1
