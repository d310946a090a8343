"""Models that play by heart, what their episodes pay in the plain environment, and backends that break when told to."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import gymnasium as gym
import pytest

import riskchain_gym  # noqa: F401 - registers the ids
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.errors import InfrastructureError

Story = Literal["right", "wrong", "clumsy", "silent"]
"""Plays like the oracle; names a wrong entry; stumbles in between; commits and then says no more."""

STORIES: tuple[Story, ...] = ("right", "wrong", "clumsy", "silent")
SPLIT = "mini"
NOWHERE = "nowhere.zz.test"
SECRET = "profile of k3f9a2.test at 127.0.0.1:4242"

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Play:
    """What a story does in a chain, as actions and as tool calls, and what it earns."""

    actions: tuple[str, ...]
    calls: tuple[Call, ...]
    reward: float

    @property
    def looks(self) -> int:
        """How often it asks the backend for a page, the landing page included."""
        return 1 + sum(
            name not in ("commit", "stop", "report") and "e999" not in given.values() for name, given in self.calls
        )


@cache
def chains() -> tuple[str, ...]:
    gold = load_gold(SPLIT)
    return tuple(chain for chain in gold if not any(atom.picture for atom in gold[chain].site.atoms))[:6]


@cache
def by_heart(chain: str, story: Story, reward: str = "gated", env_id: str = "RiskChain-v0") -> Play:
    """Play a story in the plain environment, through Gymnasium, and write down what it did and earned."""
    needs = {"web_outcomes": 0.5} if reward.startswith("delta") else {}
    env = gym.make(f"riskchain_gym:{env_id}", split=SPLIT, backend="text", reward=reward, **needs)
    oracle = OracleAgent()
    oracle.prepare(load_gold(SPLIT)[chain])
    oracle.reset(build_instructions())
    observation, info = env.reset(options={"chain": chain})
    actions: list[str] = []
    calls: list[Call] = []
    paid, over = 0.0, False

    def do(action: str) -> None:
        nonlocal observation, info, paid, over
        observation, reward, terminated, truncated, info = env.step(action)
        paid, over = paid + float(reward), terminated or truncated

    while not over:
        if story == "silent" and actions:
            do("")
            continue
        if story == "clumsy" and info["strikes"] == 0:
            actions.append('{"action":"click","element_id":"e999"}')
            calls.append(("click", {"element_id": "e999"}))
            do(actions[-1])
        action = json.loads(oracle.act(observation))
        if story == "wrong" and action.get("entry_candidates"):
            action["entry_candidates"][0]["value"] = NOWHERE
        calls.append(call_for(action))
        actions.append(json.dumps(action, ensure_ascii=False))
        do(actions[-1])
    env.close()
    return Play(tuple(actions), tuple(calls), paid)


def call_for(action: dict[str, Any]) -> Call:
    """Return the tool call that says what an action says."""
    given = {name: value for name, value in action.items() if name != "schema_version"}
    if "action" in given:
        return given.pop("action"), given
    if "reconstructed_messages" in given:
        ranked = sorted(given["entry_candidates"], key=lambda each: each["rank"])
        given["entry_candidates"] = [{k: v for k, v in each.items() if k != "rank"} for each in ranked]
        return "commit", given
    for cited in (*given["evidence"], *given["counterevidence"]):
        cited.pop("region")
        if cited["element_id"] is None:
            cited.pop("element_id")
    return "report", given


class Infrastructure:
    """The text backend of every environment, which can be told to fail.

    Attributes:
        calls: Calls of it so far.
        lost: How many failed.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.lost = 0
        self._failing = 0

    def lose(self, call: int = 1) -> None:
        """Fail at one call, counted from now on."""
        self._failing = self.calls + call

    def watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any) -> Any:
            self.calls += 1
            if self.calls == self._failing:
                self.lost += 1
                raise InfrastructureError("browser_lost", SECRET)
            return call(*args)

        return watched


@pytest.fixture
def infrastructure(monkeypatch: pytest.MonkeyPatch) -> Infrastructure:
    backend = Infrastructure()
    monkeypatch.setattr(TextBackend, "open", backend.watched(TextBackend.open))
    monkeypatch.setattr(TextBackend, "act", backend.watched(TextBackend.act))
    return backend


def draws(seed: int, steps: int) -> Iterable[tuple[str, Story]]:
    """Yield a chain and a story for each of some steps."""
    rng = random.Random(seed)
    for _ in range(steps):
        yield rng.choice(chains()), rng.choice(STORIES)


def assert_says_nothing(texts: Iterable[str], chain: str) -> None:
    """No text names the chain, the gate, or what only the gold or the infrastructure knows."""
    shown = "\n".join(texts)
    for word in (chain, "gate", "gold", "end_to_end", "outcome", SECRET):
        assert word not in shown
