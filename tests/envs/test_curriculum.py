"""The routing curriculum: the share of reference routing changes between episodes, and seeds still give one result."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from chain_builder import commit_text
from chain_player import make

from riskchain_gym.protocol.errors import ConfigError

WRONG = commit_text("wrong.pw.test")


def curriculum(split: str, **kwargs: Any) -> Any:
    return make(split, **{"routing": "curriculum", "p_reference": 1.0, **kwargs})


def routings(env: Any, shares: list[float], seed: int | None = 7) -> list[str]:
    drawn = []
    for i, share in enumerate(shares):
        env.unwrapped.set_p_reference(share)
        env.reset(seed=seed if i == 0 else None)
        drawn.append(env.unwrapped.trajectory.routing)
    return drawn


def test_it_takes_effect_at_the_next_reset(split: str) -> None:
    env = curriculum(split)
    env.reset(seed=0)
    env.unwrapped.set_p_reference(0.0)
    assert env.step(WRONG)[4]["phase"] == "browse", "the episode that runs is not touched"
    env.reset()
    *_, terminated, _, info = env.step(WRONG)
    assert (terminated, info["status"]) == (True, "bottom")
    env.unwrapped.set_p_reference(1)
    env.reset()
    assert env.step(WRONG)[4]["phase"] == "browse"


def test_the_same_seed_and_shares_give_the_same_episodes(split: str) -> None:
    shares = [1 - i / 40 for i in range(41)]
    env = curriculum(split)
    once = routings(env, shares)
    assert once == routings(env, shares) == routings(curriculum(split, p_reference=0.5), shares)
    assert once[0] == "reference"
    assert once[-1] == "committed"
    assert once[:20].count("reference") > once[20:].count("reference")


def test_the_share_changes_no_choice_of_chain(split: str) -> None:
    def chains(share: float) -> list[str]:
        env = curriculum(split, p_reference=share)
        return [(env.reset(seed=3 if i == 0 else None), env.unwrapped.trajectory.chain_id)[1] for i in range(12)]

    assert chains(0.0) == chains(0.5) == chains(1.0)


@pytest.mark.parametrize("mode", [None, "sync"])
def test_a_vector_passes_it_on(split: str, mode: str | None) -> None:
    envs = gym.make_vec(
        "RiskChain-v0", 2, vectorization_mode=mode, split=split, backend="text", routing="curriculum", p_reference=1.0
    )
    envs.call("set_p_reference", 0.0)  # type: ignore[attr-defined]
    envs.reset(seed=0)
    *_, terminated, _, _ = envs.step([WRONG, WRONG])
    assert list(terminated) == [True, True]
    envs.close()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "0.5", None, True])
def test_what_is_no_share_is_refused(split: str, share: object) -> None:
    env = curriculum(split)
    with pytest.raises(ConfigError, match="from 0 to 1"):
        env.unwrapped.set_p_reference(share)
    env.reset()
    assert env.step(WRONG)[4]["phase"] == "browse"


def test_only_a_curriculum_has_a_share(split: str) -> None:
    with pytest.raises(ConfigError, match="routing='curriculum'"):
        make(split).unwrapped.set_p_reference(0.5)
