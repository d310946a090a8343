"""What there is to clone for the restorer, and how restorers that ship do on the chains of a split."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.protocol.message import Platform
from riskchain_gym.training.playing import chain_ids
from riskchain_gym.training.restoring import EDIT, SELECT, choices_of, edits_of, play_restorer, row_of

TRAIN = {"split": "messages/train"}
COUNT = 24


def commit(*entries: str) -> Commit:
    ranked = tuple(EntryCandidate(rank=rank, value=entry) for rank, entry in enumerate(entries, start=1))
    return Commit(reconstructed_messages=(), platform=Platform.QQ, entry_candidates=ranked, abstain=not ranked)


@pytest.fixture(scope="module")
def chains() -> list[str]:
    return chain_ids(SELECT, TRAIN, COUNT)


def replayed(env_id: str, chains: list[str], actions: list[Any]) -> list[dict[str, Any]]:
    """Play an action on each chain and return the outcomes."""
    outcomes = []
    with gym.make(env_id, **TRAIN) as env:
        for chain, action in zip(chains, actions, strict=True):
            env.reset(options={"chain": chain})
            outcomes.append(env.step(action)[4]["outcome"])
    return outcomes


def test_the_first_chains_of_a_split_without_end_are_few(chains: list[str]) -> None:
    assert len(chains) == len(set(chains)) == COUNT


def test_the_choices_of_rules_earn_what_rules_earn(chains: list[str]) -> None:
    seen, rows = choices_of("rules", TRAIN, chains)
    assert len(seen) == len(rows) == COUNT, "the rules' own reading is always among the candidates"
    assert all(observation["action_mask"][row] for observation, row in zip(seen, rows, strict=True))
    chosen = [outcome["gate.passed"] for outcome in replayed(SELECT, chains, rows)]
    assert chosen == [outcome["gate.passed"] for outcome in play_restorer("rules", "messages/train", chains)]
    assert 0 < sum(chosen) < COUNT


def test_an_edit_that_is_cloned_opens_the_gate(chains: list[str]) -> None:
    done: list[int] = []
    seen, edits = edits_of(TRAIN, chains, progress=lambda number, whole: done.append(number))
    assert done[-1] == COUNT
    assert 0.8 * COUNT < len(edits) <= COUNT
    taught = []
    with gym.make(EDIT, **TRAIN) as env:
        for chain in chains:
            observation, _ = env.reset(options={"chain": chain})
            taught += [chain for each in seen if all(np.array_equal(observation[k], each[k]) for k in observation)]
    assert all(outcome["gate.passed"] for outcome in replayed(EDIT, taught, edits))


def test_the_row_of_a_commit() -> None:
    entries = (None, "a.b.test", "c.d.test")
    assert row_of(commit("c.d.test", "a.b.test"), entries) == 2
    assert row_of(commit(), entries) == 0
    assert row_of(commit("e.f.test"), entries) is None


def test_an_unknown_restorer_is_named() -> None:
    with pytest.raises(UnknownNameError, match="ruls"):
        play_restorer("ruls", "messages/dev", [])
