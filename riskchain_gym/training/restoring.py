"""What restorers come to on the chains of a split, and what there is to clone for choosing and for editing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.registry import load_restorer
from riskchain_gym.envs.wrappers.edit_targets import edit_target
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import Message
from riskchain_gym.training.playing import Flat

SELECT = "riskchain_gym:RiskChainRestoreSelect-v0"
EDIT = "riskchain_gym:RiskChainRestoreEdit-v0"
RESTORE = "riskchain_gym:RiskChainRestore-v0"

OnProgress = Callable[[int, int], None]
Demonstrated = tuple[list[dict[str, NDArray[Any]]], list[Any]]
"""Observations and an action for each."""


def play_restorer(name: str, split: str, chains: Sequence[str]) -> list[Flat]:
    """Play ``RiskChainRestore-v0`` with a registered restorer and return the outcome of each chain.

    Args:
        name: Name of the restorer, e.g. ``rules``.
        split: The split.
        chains: Its chains to play.

    Raises:
        UnknownNameError: There is no such restorer, split or chain.
    """
    restorer = load_restorer(name)
    env: gym.Env[Any, Any] = gym.make(RESTORE, split=split)
    outcomes: list[Flat] = []
    try:
        for chain in chains:
            observation, _ = env.reset(options={"chain": chain})
            commit = restorer.restore(Message.model_validate_json(observation["text"]))
            *_, info = env.step(commit.model_dump_json())
            outcomes.append(info["outcome"])
    finally:
        env.close()  # type: ignore[no-untyped-call]
    return outcomes


def choices_of(
    name: str, kwargs: Mapping[str, Any], chains: Sequence[str], *, progress: OnProgress | None = None
) -> Demonstrated:
    """Return what ``RiskChainRestoreSelect-v0`` shows and the row that a restorer would commit, for cloning.

    The row is that of the restorer's first entry, or the row without an entry where it names none. A message of which
    no row has the restorer's entry is left out.

    Args:
        name: Name of the restorer, e.g. ``rules``.
        kwargs: Keyword arguments of the environment.
        chains: The chains of its split to look at.
        progress: Called with how many chains are done and how many there are.

    Returns:
        Observations and rows.
    """
    restorer = load_restorer(name)

    def choose(rows: Any) -> int | None:
        case = rows.text.machine.episode.case
        return row_of(restorer.restore(case.chain.variants[case.variant]), rows.proposals.entries)

    return _demonstrated(SELECT, kwargs, chains, choose, progress)


def edits_of(kwargs: Mapping[str, Any], chains: Sequence[str], *, progress: OnProgress | None = None) -> Demonstrated:
    """Return what ``RiskChainRestoreEdit-v0`` shows and the edit that the message's trace says, for cloning.

    A message whose entry no edit of its window spells is left out.

    Args:
        kwargs: Keyword arguments of the environment.
        chains: The chains of its split to look at.
        progress: Called with how many chains are done and how many there are.

    Returns:
        Observations and edits.
    """

    def choose(rows: Any) -> NDArray[np.int64] | None:
        episode = rows.text.machine.episode
        gold = episode.gold.message if isinstance(episode.gold, GoldChain) else episode.gold
        target = edit_target(rows.sheet, gold, episode.case.variant)
        return target.actions if target.exact else None

    return _demonstrated(EDIT, kwargs, chains, choose, progress)


def _demonstrated(
    env_id: str,
    kwargs: Mapping[str, Any],
    chains: Sequence[str],
    choose: Callable[[Any], Any],
    progress: OnProgress | None,
) -> Demonstrated:
    env: gym.Env[Any, Any] = gym.make(env_id, **kwargs)
    seen: list[dict[str, NDArray[Any]]] = []
    chosen: list[Any] = []
    try:
        for number, chain in enumerate(chains, start=1):
            observation, _ = env.reset(options={"chain": chain})
            action = choose(env.unwrapped)
            if action is not None:
                seen.append(observation)
                chosen.append(action)
            if progress is not None:
                progress(number, len(chains))
    finally:
        env.close()  # type: ignore[no-untyped-call]
    return seen, chosen


def row_of(commit: Commit, entries: Sequence[str | None]) -> int | None:
    """Return the row of a commit's first entry, or of no entry where it names none; ``None`` where no row has it.

    Args:
        commit: The commit.
        entries: The entry of each row.
    """
    first = min(commit.entry_candidates, key=lambda each: each.rank, default=None)
    value = None if first is None else first.value
    return entries.index(value) if value in entries else None
