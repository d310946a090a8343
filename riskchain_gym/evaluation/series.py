"""One agent run several times over a split: told several budgets, or repeated; each run has a folder of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.store import MANIFEST
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import GATE_VARIANT

ALL = "all"
"""Every variant."""


@dataclass(frozen=True)
class Member:
    """One run of a series.

    Attributes:
        path: Its run folder.
        max_steps: The budget that the agent is told, ``None`` for that of the environment.
        repeat: Which repeat it is, counted from 0.
    """

    path: Path
    max_steps: int | None
    repeat: int


def members(out: Path, budgets: Sequence[int], repeats: int) -> tuple[Member, ...]:
    """Return the runs of a series, all repeats of a budget before the next one.

    A single run is in ``out`` itself; several are in folders of it: ``steps-15``, ``steps-15-repeat-2``, or without
    budgets ``repeat-1``, ``repeat-2``. What a run is called depends on itself alone, so that a series can be widened
    later, by the same command with more budgets or repeats.

    Args:
        out: Where the runs go.
        budgets: Browse actions allowed, one run for each; none for the environment's own.
        repeats: How often each is run.

    Raises:
        ConfigError: A budget is named twice or is no positive number, there are no repeats, one run is in ``out``
            where several go below it, or the one that was to go into ``out`` is below it, in a series.
    """
    if repeats < 1 or any(each < 1 for each in budgets) or len(set(budgets)) != len(budgets):
        raise ConfigError("A series needs at least one repeat, and budgets that are positive and named once.")
    if len(budgets) <= 1 and repeats == 1:
        budget = budgets[0] if budgets else None
        if (out / _name(budget, 0) / MANIFEST).exists():
            raise ConfigError(
                f"{out} holds a series, this run as '{_name(budget, 0)}' in it: name all of its budgets and repeats, "
                "or choose another folder."
            )
        return (Member(out, budget, 0),)
    if (out / MANIFEST).exists():
        raise ConfigError(f"{out} holds one run, and several go into folders below --out: choose another folder.")
    return tuple(
        Member(out / _name(budget, repeat), budget, repeat)
        for budget in budgets or (None,)
        for repeat in range(repeats)
    )


def _name(budget: int | None, repeat: int) -> str:
    if budget is None:
        return f"repeat-{repeat + 1}"
    return f"steps-{budget}-repeat-{repeat + 1}" if repeat else f"steps-{budget}"


def further_variants(split: str, chains: Sequence[str], named: Sequence[str]) -> tuple[str, ...]:
    """Return the variants that are restored on their own, beside the one that episodes show.

    Whether every chain has them is checked when the run is planned.

    Args:
        split: Name or path of the split.
        chains: The chains that are run.
        named: Variants by name, or ``all``.
    """
    wanted = set(chains)
    held = {name for chain in load_public(split) if chain.chain_id in wanted for name in chain.variants}
    asked = sorted(held) if ALL in named else dict.fromkeys(named)
    return tuple(variant for variant in asked if variant != GATE_VARIANT)
