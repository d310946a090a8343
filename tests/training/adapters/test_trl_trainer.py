"""TRL's way with an environment: pooled instances, tools found by reflection, errors swallowed, ``None`` masked."""

from __future__ import annotations

import inspect
import json
import math
import random
from functools import cache
from typing import Any

import pytest
from tool_player import SPLIT, STORIES, Infrastructure, assert_says_nothing, by_heart, chains

from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, UnknownNameError
from riskchain_gym.training.adapters.trl_rewards import RestoreReward, restore_rows, tool_rows
from riskchain_gym.training.adapters.trl_tools import environment_factory

GENERATIONS = 4
SETTINGS: dict[str, Any] = {"split": SPLIT, "backend": "text", "reward": "delta_gate", "web_outcomes": 0.5}


class FakeTrainer:
    """Calls environments as ``GRPOTrainer`` does: makes them when needed, keeps them, never closes one."""

    def __init__(self, factory: Any) -> None:
        self.factory = factory
        self.pool: list[Any] = [factory()]

    def step(self, row: dict[str, Any], plays: list[Any]) -> tuple[list[float], list[float], list[str]]:
        """Return rewards (NaN for none), advantages and everything a model was shown."""
        while len(self.pool) < len(plays):
            self.pool.append(self.factory())
        rewards, texts = [], []
        for env, play in zip(self.pool, plays, strict=False):
            texts.append(row["prompt"][-1]["content"] + env.reset(**row))
            tools = {
                name: getattr(env, name)
                for name, _ in inspect.getmembers(type(env), predicate=inspect.isfunction)
                if name not in ("reset", "get_reward") and not name.startswith("_")
            }
            for name, arguments in play.calls:
                try:
                    texts.append(tools[name](**arguments))
                except Exception as error:  # noqa: BLE001 - as TRL does
                    texts.append(json.dumps({"error": str(error)}))
            reward = env.get_reward()
            rewards.append(math.nan if reward is None else reward)
        scored = [each for each in rewards if not math.isnan(each)]
        mean = sum(scored) / len(scored)
        return rewards, [0.0 if math.isnan(each) else each - mean for each in rewards], texts


def test_twenty_steps_of_which_one_loses_a_rollout(infrastructure: Infrastructure) -> None:
    trainer = FakeTrainer(environment_factory(**SETTINGS))
    rows = [row for row in tool_rows(40, **SETTINGS) if row["chain"] in chains()]
    rng = random.Random(3)
    losing_step = rng.randrange(20)
    lost = 0
    for number in range(20):
        row = rng.choice(rows)
        plays = [by_heart(row["chain"], story, "delta_gate") for story in rng.sample(STORIES, GENERATIONS)]
        if number == losing_step:
            infrastructure.lose(rng.randint(1, sum(play.looks for play in plays)))
        rewards, advantages, texts = trainer.step(row, plays)
        assert_says_nothing(texts, row["chain"])
        for play, reward, advantage in zip(plays, rewards, advantages, strict=True):
            if math.isnan(reward):
                lost += 1
                assert number == losing_step
                assert advantage == 0.0
            else:
                assert reward == pytest.approx(play.reward)
        scored = [play.reward for play, reward in zip(plays, rewards, strict=True) if not math.isnan(reward)]
        assert sum(advantages) == pytest.approx(0.0)
        assert max(advantages) == pytest.approx(max(scored) - sum(scored) / len(scored))
    assert lost == infrastructure.lost == 1
    assert len(trainer.pool) == GENERATIONS, "instances are used again"
    for env in trainer.pool:
        env._close()
        env._close()
        assert env.get_reward() is None


def test_a_call_with_wrong_arguments_is_a_strike_and_no_error_of_python() -> None:
    env: Any = environment_factory(**SETTINGS)()
    env.reset(chain=chains()[0])
    env.commit(**by_heart(chains()[0], "right").calls[0][1])
    for told in (env.click(), env.click("e1", "e2", elment="e3"), env.report()):
        assert "Strike" in told
    assert "report now" in told
    assert env.get_reward() == 0.0
    env.reset(chain=chains()[0])
    env.commit(**by_heart(chains()[0], "right").calls[0][1])
    assert "no argument 'argument 2'" in env.click("e1", "e2")
    assert "no argument 'self'" in env.click(self="e1")


def test_rows_tell_nothing_beside_their_chain() -> None:
    for rows in (restore_rows(5, seed=2, split="messages/train"), tool_rows(5, seed=2, **SETTINGS)):
        assert len({row["chain"] for row in rows}) > 1
        for row in rows:
            assert_says_nothing([message["content"] for message in row["prompt"]], row["chain"])
    assert restore_rows(3, seed=2, split="messages/train") == restore_rows(3, seed=2, split="messages/train")


@cache
def gate_reward() -> RestoreReward:
    return RestoreReward(split=SPLIT)


def completions_for(chain: str) -> dict[str, Any]:
    right, wrong = (by_heart(chain, story).calls[0][1] for story in ("right", "wrong"))
    written = json.dumps({"name": "commit", "arguments": right}, ensure_ascii=False)
    return {
        "action": by_heart(chain, "right").actions[0],
        "call": written,
        "thought": f"<think>…</think><tool_call>{written}</tool_call>",
        "chat": [{"role": "assistant", "content": written}],
        "tool": [{"role": "assistant", "tool_calls": [{"function": {"name": "commit", "arguments": right}}]}],
        "wrong": json.dumps({"name": "commit", "arguments": wrong}),
        "prose": "It leads to some site.",
        "two": written + written,
        "nothing": [],
    }


def test_completions_are_paid_the_gate_and_what_is_no_commit_is_paid_nothing() -> None:
    gated = RestoreReward(split=SPLIT)
    assert gated.__name__ == "restore_gated"
    for chain in chains()[:3]:
        said = completions_for(chain)
        paid = gated(prompts=[None] * len(said), completions=list(said.values()), chain=[chain] * len(said), x=1)
        assert dict(zip(said, paid, strict=True)) == {
            name: float(name in ("action", "call", "thought", "chat", "tool")) for name in said
        }
    with pytest.raises(UnknownNameError):
        gated(completions=["{}"], chain=["nosuchchain"])
    gated.close()
    gated.close()


@pytest.mark.parametrize(
    "said",
    [
        ["x"],
        [["x"]],
        [None],
        None,
        5,
        "\ud800",
        {"content": 5},
        [{"content": ["x"]}],
        [{"tool_calls": {"a": 1}}],
        [{"tool_calls": 5}],
        [{"tool_calls": ["x"]}],
        [{"tool_calls": [{"name": 5, "arguments": {}}]}],
        [{"tool_calls": [{"function": 5}]}],
        [{"tool_calls": [{"function": {"name": ["commit"]}}]}],
        [{"tool_calls": [{"function": {"name": "commit", "arguments": "\ud800"}}]}],
    ],
)
def test_what_cannot_be_read_is_no_commit_and_stops_no_batch(said: Any) -> None:
    chain = chains()[0]
    right = completions_for(chain)["call"]
    assert gate_reward()([right, said, right], [chain] * 3) == [1.0, 0.0, 1.0]


def test_a_malformed_call_beside_a_text_leaves_the_text() -> None:
    chain = chains()[0]
    right = completions_for(chain)["call"]
    for calls in (None, [], {"a": 1}, [None], 5):
        assert gate_reward()([[{"content": right, "tool_calls": calls}]], [chain]) == [1.0]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({}, "a column 'chain' of the data set does, got None"),
        ({"chain": "one"}, "chain: give a list"),
        ({"chain": ["one", "two"]}, "got 2 for 3 completions"),
        ({"chain": ["one"] * 4}, "got 4 for 3 completions"),
        ({"chain": ["one", "two", None]}, "completion 3 of 3 has None for a chain"),
        ({"chain": [5, "one", "two"]}, "completion 1 of 3 has 5 for a chain"),
        ({"chain": ["one"] * 3, "variant": ["v000"]}, "variant: give a list .* got 1 for 3 completions"),
        ({"chain": ["one"] * 3, "variant": "v000"}, "variant: give a list"),
    ],
)
def test_a_completion_is_not_paid_without_the_chain_that_it_saw(
    monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any], told: str
) -> None:
    gated = gate_reward()
    monkeypatch.setattr(gated.session, "reset", lambda **_: pytest.fail("a message was drawn"))
    with pytest.raises(ConfigError, match=told):
        gated(completions=["a", "b", "c"], **columns)


@pytest.mark.parametrize("count", ["x", 1.5, -1, 0, True, None])
def test_a_count_of_rows_that_is_none_is_refused_in_a_sentence(count: Any) -> None:
    for rows in (restore_rows, tool_rows):
        with pytest.raises(ConfigError, match=r"count: give a whole number of rows of at least 1, got"):
            rows(count, split=SPLIT)


def test_twenty_batches_of_completions_of_which_one_loses_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    gated = RestoreReward(split=SPLIT)
    rng = random.Random(9)
    losing, place = rng.randrange(20), rng.randrange(4)
    step = gated.session.env.step
    calls = 0

    def breaking(action: str) -> Any:
        nonlocal calls
        calls += 1
        if calls == losing * 4 + place + 1:
            raise InfrastructureError("browser_lost", "gone")
        return step(action)

    monkeypatch.setattr(gated.session.env, "step", breaking)
    for batch in range(20):
        chain = rng.choice(chains())
        said = completions_for(chain)
        names = [rng.choice(["call", "wrong"]) for _ in range(4)]
        paid = gated(completions=[said[name] for name in names], chain=[chain] * 4)
        wanted: list[float | None] = [float(name == "call") for name in names]
        if batch == losing:
            wanted[place] = None
        assert paid == wanted
