"""Editing without reading: one edit for every window opens one gate at most, and no window changes with the gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from arena import Played
from numpy.typing import NDArray
from other_gold import write_with_other_gold

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.wrappers.editing import DROP, ENTRY_CHARACTERS, KEEP, MAP

EDIT = "RiskChainRestoreEdit-v0"
WIDTH = 96
GOLD = load_gold("mini")
ENTRIES = [gold.message.entry or "" for gold in GOLD.values()]

Edit = NDArray[np.int64]


def written(entry: str) -> Edit:
    """Return the edit that makes of any window the same entry."""
    edit = np.full(WIDTH, DROP, np.int64)
    edit[: len(entry)] = [MAP + ENTRY_CHARACTERS.index(letter) for letter in entry]
    return edit


CONSTANT: dict[str, Callable[[], Edit]] = {
    "keeps all": lambda: np.full(WIDTH, KEEP, np.int64),
    "drops all": lambda: np.full(WIDTH, DROP, np.int64),
    "one letter": lambda: np.full(WIDTH, MAP, np.int64),
    "dots": lambda: np.full(WIDTH, MAP + ENTRY_CHARACTERS.index("."), np.int64),
    "one entry": lambda: written(ENTRIES[0]),
}


def paid(env: gym.Env[Any, Any], edit: Edit) -> list[float]:
    rewards = []
    for chain in GOLD:
        env.reset(options={"chain": chain})
        rewards.append(float(env.step(edit)[1]))
    return rewards


@pytest.fixture(scope="module")
def env() -> gym.Env[Any, Any]:
    return gym.make(f"riskchain_gym:{EDIT}", window=WIDTH, disable_env_checker=True)


@pytest.mark.parametrize("name", CONSTANT)
def test_one_edit_for_every_message_opens_one_gate_at_most(
    env: gym.Env[Any, Any], honest: Sequence[Played], name: str
) -> None:
    control = sum(one.outcome["gate.passed"] for one in honest)
    opened = paid(env, CONSTANT[name]())
    assert sum(opened) == (ENTRIES.count(ENTRIES[0]) if name == "one entry" else 0) <= 1 < control


@pytest.mark.parametrize(
    "action", [[], [0] * 95, [-1] * WIDTH, [10_000] * WIDTH, [0.5] * WIDTH, "keep", None], ids=repr
)
def test_what_is_no_edit_is_a_strike(env: gym.Env[Any, Any], action: object) -> None:
    env.reset(options={"chain": next(iter(GOLD))})
    for strikes in (1, 2):
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated, info["strikes"]) == (0.0, False, strikes)
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert not info["outcome"]["gate.passed"]


def test_windows_do_not_change_with_the_gold(env: gym.Env[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    split = write_with_other_gold("mini", tmp_path_factory.mktemp("other") / "mini")
    other = gym.make(f"riskchain_gym:{EDIT}", window=WIDTH, split=split, disable_env_checker=True)
    for chain in GOLD:
        (here, info), (there, told) = (each.reset(options={"chain": chain}) for each in (env, other))
        assert info == told
        assert {name: values.tobytes() for name, values in here.items()} == {
            name: values.tobytes() for name, values in there.items()
        }
