"""Whatever an agent sends: no exception leaves ``step``, and every action has a named result."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.envs.browsergym_calls import FUNCTIONS
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


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
NUMBERS = st.one_of(
    st.integers().map(repr),
    st.floats().map(repr),
    st.complex_numbers().map(repr),
    st.sampled_from(("1e999", "-1e999", "1e999j", "-0.0")),
)
PLAIN = st.one_of(
    ANY_TEXT.map(repr),
    st.binary(max_size=8).map(repr),
    NUMBERS,
    st.sampled_from(("None", "True", "...", "f'{1}'", "f'{x!r:{y}}'", "rb'\\u'", "'a' 'b'", "x", "lambda: 0")),
    st.sampled_from(("['12']", "'e1'", "'e2'", "'Enter'", "' '", "''", "[]", "0", "'left'", "'" + "a" * 5000 + "'")),
)
HUGE = "0x" + "f" * 5000
LITERALS = st.one_of(
    st.sampled_from((HUGE, f"-{HUGE}", f"{HUGE} + 1j", f"[{HUGE}]", "9" * 5000, "1e999", "'\\ud800'")),
    PLAIN,
    st.lists(PLAIN, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    st.lists(PLAIN, max_size=3).map(lambda items: f"{{{', '.join(items)}}}"),
    st.tuples(PLAIN, PLAIN).map(lambda pair: f"({pair[0]}, {{{pair[1]}: {pair[0]}}})"),
    st.tuples(NUMBERS, st.sampled_from("+-*"), NUMBERS).map("".join),
    st.tuples(st.integers(1, 500), PLAIN).map(lambda deep: "[" * deep[0] + deep[1] + "]" * deep[0]),
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Calls of functions that exist, with any literals as their arguments, in place or by name."""
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    parameters = FUNCTIONS[name][: draw(st.integers(0, len(FUNCTIONS[name])))]
    named = draw(st.integers(0, len(parameters)))
    written = [
        draw(st.sampled_from(("'e1'", "'e3'")) if p.name == "bid" and draw(st.booleans()) else LITERALS)
        for p in parameters
    ]
    arguments = [w if i < named else f"{p.name}={w}" for i, (p, w) in enumerate(zip(parameters, written, strict=True))]
    return f"{name}({', '.join(arguments)})"


@pytest.fixture(scope="module")
def called() -> Any:
    env = gym.make(
        f"riskchain_gym:{BROWSE}", reward="none", backend="text", actions="browsergym", disable_env_checker=True
    )
    yield env
    env.close()


@given(st.lists(calls(), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_no_exception_leaves_step_whatever_stands_in_a_call(called: Any, played: list[str]) -> None:
    called.reset(seed=1)
    for call in played:
        observation, _, terminated, truncated, info = called.step(call)
        assert info["action_result"] in NAMED
        assert not truncated, observation["feedback"]
        assert info["action_result"] != "invalid" or observation["feedback"]
        if int(observation["phase"]) != 1 or terminated:
            called.reset(seed=1)
