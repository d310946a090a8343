"""Text in, text out, under a trainer that plays twenty episodes, loses one, and closes twice."""

from __future__ import annotations

import json
import random
import threading

import pytest
from tool_player import SPLIT, Infrastructure, assert_says_nothing, by_heart, draws

from riskchain_gym.training.adapters.text_step import TextStep


def test_twenty_episodes_of_which_one_is_lost(infrastructure: Infrastructure) -> None:
    before = set(threading.enumerate())
    env = TextStep(split=SPLIT, backend="text", reward="delta_gate", web_outcomes=0.5)
    rng = random.Random(5)
    lost_one = rng.randrange(20)
    kept: list[float] = []
    expected: list[float] = []
    for number, (chain, story) in enumerate(draws(11, 20)):
        play = by_heart(chain, story, "delta_gate")
        texts, paid, done, info = [env.reset(chain=chain)], [], False, {"valid": True}
        turns = [json.dumps({"name": name, "arguments": given}) for name, given in play.calls]
        if number == lost_one:
            infrastructure.lose(rng.randint(1, play.looks))
        while not done:
            shown, reward, done, info = env.step(turns.pop(0) if turns else "I have nothing more to say.")
            texts.append(shown)
            paid.append(reward)
        assert_says_nothing(texts, chain)
        assert info["valid"] == (number != lost_one)
        if not info["valid"]:
            assert paid[-1] is None
            assert (info["lost"], info["episode_reward"], info["outcome"]) == ("browser_lost", None, {})
            continue
        kept.append(sum(paid))
        expected.append(play.reward)
        assert info["episode_reward"] == pytest.approx(sum(paid))
        assert env.step("{}")[1:3] == (0.0, True), "nothing is paid after the end"
    assert infrastructure.lost == 1
    assert len(kept) == 19
    assert kept == pytest.approx(expected)
    env.close()
    env.close()
    assert set(threading.enumerate()) <= before
