"""What a clone learns from: whose pairs are held out, what a report counts, and which episodes give none."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.wrappers.browse_select import RiskChainBrowseSelectEnv
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.training.rllib.cloning import Pairs
from riskchain_gym.training.rllib.demonstrations import demonstrations

TEACHER = "rules+explorer"
SMALL = {"split": "mini", "backend": "text", "memory_size": 64, "page_size": 32, "control_size": 16}
REPORTS = 8.0


class LosingBrowse(RiskChainBrowseSelectEnv):
    """Loses the backend of every so-manieth episode, in turn where its site is opened and at its third action."""

    def __init__(self, *, lose_every: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._lose_every, self._episode, self._calls = lose_every, 0, 0
        backend: Any = self.text.backend
        self._call = {"open": backend.open, "act": backend.act}
        backend.open, backend.act = partial(self._called, "open"), partial(self._called, "act")

    def reset(self, **kwargs: Any) -> Any:
        self._episode, self._calls = self._episode + 1, 0
        return super().reset(**kwargs)

    def _called(self, name: str, *args: Any) -> Any:
        self._calls += 1
        lost, whole = divmod(self._episode, self._lose_every)
        if not whole and self._calls == (1 if lost % 2 else 4):
            raise InfrastructureError("browser_lost", "the backend is gone.")
        return self._call[name](*args)


gym.register("LosingBrowse-v0", entry_point=f"{__name__}:LosingBrowse")


def chains() -> list[str]:
    return [chain.chain_id for chain in load_public("mini")]


def shown(env_id: str, *, count: int, **kwargs: Any) -> Pairs:
    return demonstrations(TEACHER, env_id, {**SMALL, **kwargs}, chains=chains()[:count], reports=REPORTS)


@pytest.fixture(scope="module")
def taught() -> Pairs:
    return shown("riskchain_gym:RiskChainBrowseSelect-v0", count=6)


def pairs_of(groups: list[int]) -> Pairs:
    number = np.arange(len(groups))
    return Pairs({"number": number}, number, np.array(groups))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(0, 99))
def test_no_group_is_held_out_and_learned_from(groups: list[int], seed: int) -> None:
    pairs = pairs_of(groups)
    if len(set(groups)) == 1:
        with pytest.raises(ConfigError, match="in 1 groups are too few to hold 50% of them out"):
            pairs.held_out(0.5, np.random.default_rng(seed))
        return
    held, learned = pairs.held_out(0.5, np.random.default_rng(seed))
    assert held.groups is not None
    assert learned.groups is not None
    assert not set(held.groups) & set(learned.groups)
    assert len(set(held.groups)) == round(len(set(groups)) / 2)
    assert sorted([*held.actions, *learned.actions]) == list(range(len(groups)))
    again, _ = pairs.held_out(0.5, np.random.default_rng(seed))
    assert np.array_equal(again.actions, held.actions)


def test_pairs_without_groups_stand_for_themselves() -> None:
    pairs = Pairs({"number": np.arange(20)}, np.arange(20))
    held, learned = pairs.held_out(0.25, np.random.default_rng(0))
    assert (len(held), len(learned)) == (5, 15)


def test_no_held_out_website_is_learned_from(taught: Pairs) -> None:
    held, learned = taught.held_out(0.3, np.random.default_rng(0))

    def seen(pairs: Pairs) -> set[bytes]:
        """What reports were written upon: all lines of the episode, which no other website has."""
        last = pairs.weights == REPORTS
        return {context.tobytes() for context in pairs.observations["context"][last]}

    assert len(seen(held)) == 2
    assert len(seen(learned)) == 4
    assert not seen(held) & seen(learned)


def test_a_report_is_one_pair_that_counts_more(taught: Pairs) -> None:
    assert taught.weights is not None
    assert taught.groups is not None
    ends = [int(np.flatnonzero(taught.groups == group)[-1]) for group in range(6)]
    assert np.flatnonzero(taught.weights == REPORTS).tolist() == ends
    assert (np.delete(taught.weights, ends) == 1.0).all()
    # The first row that reports lies behind all moves.
    moves = int(taught.actions[ends].min())
    assert (np.delete(taught.actions, ends) < moves).all()


def test_lost_episodes_are_not_learned_from(taught: Pairs) -> None:
    kept = shown("LosingBrowse-v0", count=6, lose_every=3)
    assert taught.groups is not None
    whole = taught.rows(np.flatnonzero(~np.isin(taught.groups, (2, 5))))
    assert np.array_equal(kept.actions, whole.actions)
    assert all(np.array_equal(kept.observations[name], whole.observations[name]) for name in whole.observations)
    with pytest.raises(ConfigError, match="No action of 'rules\\+explorer' has a row"):
        shown("LosingBrowse-v0", count=2, lose_every=1)
