"""Whatever an agent sends: no exception leaves ``step``, and every action has a named result."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

from riskchain_gym.envs.registration import IDS
from riskchain_gym.protocol.action import ActionErrorKind, ActionStatus

CHAIN, _, BROWSE = IDS
NAMED = {
    "executed",
    "no_state_change",
    "invalid",
    *(f"{ActionStatus.ERROR}:{kind}" for kind in ActionErrorKind),
}
STRANGE = ("\x00", "\x1b[31m", "\ud800", "\u202e", "\U0010ffff", "\u3000", "'\"\\", "<script>", "{{ 1 }}", "e1", "")
KINDS = (
    *("click", "fill", "check", "select", "submit", "press", "reload", "back", "scroll_down", "scroll_up", "stop"),
    *("goto", ""),
)


def broken(rng: random.Random, valid: str) -> str:
    cut = rng.randrange(len(valid) + 1)
    return valid[:cut] + rng.choice(STRANGE) + valid[cut + rng.randrange(3) :]


def browser_action(rng: random.Random, element_id: Any) -> str:
    action: dict[str, Any] = {"action": rng.choice(KINDS)}
    if rng.random() < 0.7:
        action["element_id"] = element_id
    if rng.random() < (0.8 if action["action"] == "press" else 0.1):
        action["key"] = rng.choice(("Enter", "Escape", "Enter", "Tab", *STRANGE, 7))
    if rng.random() < 0.2:
        action["option"] = rng.choice((*STRANGE, "x" * 300, 7, None))
    if rng.random() < 0.1:
        action["stop_status"] = rng.choice(("COMPLETE", "ABSTAIN", "x"))
    if rng.random() < 0.1:
        action[rng.choice(STRANGE)] = rng.choice(STRANGE)
    return json.dumps(action)


def element_ids(observation: dict[str, Any]) -> list[str]:
    shown = json.loads(observation["elements"] or "{}")
    return [element["element_id"] for element in shown.get("elements", [])]


def fuzzed(rng: random.Random, observation: dict[str, Any], sample: Callable[[], str]) -> str:
    """Return an action that is sometimes right, mostly nearly so, and now and then monstrous."""
    listed = element_ids(observation)
    known = rng.choice(listed) if listed else "e1"
    makers: tuple[Callable[[], str], ...] = (
        sample,
        lambda: broken(rng, sample()),
        lambda: browser_action(rng, known),
        lambda: browser_action(rng, rng.choice(("e0", "e999", "E1", "e1 ", "é1", *STRANGE, "x" * 5000, 3, None, [1]))),
        lambda: json.dumps({"messages": [], "intent": rng.choice(STRANGE), "entries": [rng.choice(STRANGE)] * 3}),
        lambda: json.dumps({"decision": rng.choice(("VIOLATION", *STRANGE)), "evidence": [{"step": -1}]}),
        lambda: rng.choice(("null", "[]", "[" * 5000, '"' + "a" * 100_000 + '"', "1e999", "NaN", "{", "", " ")),
        lambda: json.dumps({"action": "click", "element_id": known, "reason": rng.choice(STRANGE) * 3000}),
        lambda: "".join(rng.choice(STRANGE) for _ in range(rng.randrange(40))),
    )
    return rng.choice(makers)()


def fuzz(env_id: str, actions: int, **kwargs: Any) -> set[str]:
    env = gym.make(f"riskchain_gym:{env_id}", reward="none", disable_env_checker=True, **kwargs)
    rng = random.Random(20261130)
    results: set[str] = set()
    try:
        observation, _ = env.reset(seed=1)
        for _ in range(actions):
            action = fuzzed(rng, observation, env.unwrapped.sample_action)
            observation, _, terminated, truncated, info = env.step(action)
            assert info["action_result"] in NAMED, action[:200]
            assert not truncated, (action[:200], observation["feedback"])
            if info["action_result"] == "invalid":
                assert observation["feedback"]
            results.add(info["action_result"])
            if terminated:
                observation, _ = env.reset()
    finally:
        env.close()
    return results


@pytest.mark.parametrize("env_id", [CHAIN, BROWSE])
def test_no_exception_leaves_step_without_a_browser(env_id: str) -> None:
    results = fuzz(env_id, 1000, backend="text")
    assert {"executed", "invalid"} <= results


@pytest.mark.slow
def test_ten_thousand_actions_without_a_browser() -> None:
    assert {"executed", "no_state_change", "invalid"} <= fuzz(BROWSE, 10_000, backend="text")


@pytest.mark.browser
@pytest.mark.parametrize("actions", [60, pytest.param(2000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
def test_no_exception_leaves_step_in_a_browser(actions: int) -> None:
    assert {"executed", "invalid"} <= fuzz(BROWSE, actions)
