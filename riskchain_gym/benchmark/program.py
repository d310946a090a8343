"""A 0/1 program whose one optimum is the choice: built from counts, solved by CBC or HiGHS, shown to have no rival."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import pulp

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom

Solver = Literal["cbc", "highs"]

WEIGHTS = 1 << 20
"""Weights are whole numbers below this."""

_GAP = 0.5
"""Absolute gap: objectives are whole numbers, so nothing better is overlooked."""


class Row(NamedTuple):
    """One constraint: so many of something, at least ``low`` and at most ``high``.

    Attributes:
        family: What family of constraints it belongs to.
        counts: How much each thing that may be chosen counts.
        low: Least sum over what is chosen, or ``None``.
        high: Greatest, or ``None``.
    """

    family: str
    counts: Mapping[str, int]
    low: int | None = None
    high: int | None = None


class Optimum(NamedTuple):
    """The best choice.

    Attributes:
        chosen: What is chosen, sorted.
        weight: Sum of its weights.
        runner_up: The greatest sum of any other choice; ``None`` when no other meets the rows.
    """

    chosen: tuple[str, ...]
    weight: int
    runner_up: int | None


def weights_of(key: bytes, purpose: str, names: Iterable[str]) -> dict[str, int]:
    """Return the weight of each name, drawn from the key, the purpose and the name alone."""
    return {name: KeyedRandom(key, "selection", purpose, name).below(WEIGHTS) for name in names}


def optimum(weights: Mapping[str, int], rows: Iterable[Row], solver: Solver) -> Optimum | None:
    """Return the choice of greatest weight that meets every row, or ``None`` when none does.

    It is solved twice, the second time with the best choice forbidden: what is found then must weigh less.

    Args:
        weights: Weight of everything that may be chosen.
        rows: The constraints.
        solver: ``cbc``, which comes with PuLP, or ``highs``, which the extra ``dev`` brings; both find the same.

    Raises:
        ConfigError: Two choices weigh the same.
    """
    names = sorted(weights)
    problem = pulp.LpProblem("selection", pulp.LpMaximize)
    variables = {name: problem.add_variable(f"x{i:05d}", cat="Binary") for i, name in enumerate(names)}
    problem += pulp.lpSum(weights[name] * variables[name] for name in names)
    for row in rows:
        total = pulp.lpSum(count * variables[name] for name, count in row.counts.items())
        if row.low is not None and row.low == row.high:
            problem += total == row.low
            continue
        if row.low is not None:
            problem += total >= row.low
        if row.high is not None:
            problem += total <= row.high
    best = _solve(problem, variables, solver)
    if best is None:
        return None
    problem += (
        pulp.lpSum(variables[name] for name in best) - pulp.lpSum(variables[name] for name in names if name not in best)
        <= len(best) - 1
    )
    second = _solve(problem, variables, solver)
    weight = sum(weights[name] for name in best)
    runner_up = None if second is None else sum(weights[name] for name in second)
    if runner_up is not None and runner_up >= weight:
        raise ConfigError("Two selections are equally good, so none is the selection: build with another seed or key.")
    return Optimum(tuple(sorted(best)), weight, runner_up)


def _solve(problem: pulp.LpProblem, variables: Mapping[str, pulp.LpVariable], solver: Solver) -> set[str] | None:
    problem.solve(_solver(solver))
    if problem.status != pulp.LpStatusOptimal:
        return None
    return {name for name, variable in variables.items() if variable.value() > 0.5}


def _solver(name: Solver) -> pulp.LpSolver:
    if name == "highs":
        return pulp.HiGHS(msg=False, threads=1, gapRel=0, gapAbs=_GAP)
    return pulp.PULP_CBC_CMD(msg=False, threads=1, gapRel=0, gapAbs=_GAP)
