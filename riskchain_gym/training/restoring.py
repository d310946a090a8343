"""What restorers and sets of candidates come to on chains, and which candidates a restorer would choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.registry import load_restorer
from riskchain_gym.envs.wrappers.restoration import ranked
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import Message
from riskchain_gym.scoring.gate import gate
from riskchain_gym.training.playing import Flat

SELECT = "riskchain_gym:RiskChainRestoreSelect-v0"
RESTORE = "riskchain_gym:RiskChainRestore-v0"

OnProgress = Callable[[int, int], None]
Demonstrated = tuple[list[dict[str, NDArray[Any]]], list[int]]


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


def reachable(kwargs: Mapping[str, Any], chains: Sequence[str]) -> list[Flat]:
    """Return, for each chain, whether any of its candidates opens the gate: the most that choosing can reach.

    Args:
        kwargs: Keyword arguments of ``RiskChainRestoreSelect-v0``.
        chains: The chains of its split to look at.

    Returns:
        ``chain_id`` and ``gate.passed`` of each, named as in flat outcomes.
    """
    env: gym.Env[Any, Any] = gym.make(SELECT, **kwargs)
    rows: Any = env.unwrapped
    found: list[Flat] = []
    try:
        for chain in chains:
            env.reset(options={"chain": chain})
            gold = rows.text.machine.episode.gold
            entry = (gold.message if isinstance(gold, GoldChain) else gold).entry
            passed = any(gate(ranked(value), entry).passed for value in rows.proposals.entries)
            found.append({"chain_id": chain, "gate.passed": passed})
    finally:
        env.close()  # type: ignore[no-untyped-call]
    return found


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

    Raises:
        ConfigError: No row of any message has the restorer's entry.
    """
    restorer = load_restorer(name)
    env: gym.Env[Any, Any] = gym.make(SELECT, **kwargs)
    rows: Any = env.unwrapped
    seen: list[dict[str, NDArray[Any]]] = []
    chosen: list[int] = []
    try:
        for number, chain in enumerate(chains, start=1):
            observation, _ = env.reset(options={"chain": chain})
            case = rows.text.machine.episode.case
            row = row_of(restorer.restore(case.chain.variants[case.variant]), rows.proposals.entries)
            if row is not None:
                seen.append(observation)
                chosen.append(row)
            if progress is not None:
                progress(number, len(chains))
    finally:
        env.close()  # type: ignore[no-untyped-call]
    if not chosen:
        raise ConfigError(f"No candidate of any message is the entry that '{name}' names: clone another restorer.")
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


def gate_rates(outcomes: Sequence[Flat]) -> float:
    """Return the share of outcomes with an open gate."""
    return float(np.mean([bool(outcome["gate.passed"]) for outcome in outcomes]))
