"""A 0/1 program: its best choice, found by CBC or HiGHS, checked in whole numbers and shown to have no rival."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import pulp

from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.keyed import KeyedRandom

Solver = Literal["cbc", "highs"]

WEIGHTS = 1 << 20
"""Weights are whole numbers below this."""

TIME_LIMIT = 600.0
"""Seconds that one solve may take."""

_GAP = 0.5
"""Absolute gap: objectives are whole numbers, so nothing better is overlooked."""


class Row(NamedTuple):
    """One constraint: the sum of something over what is chosen is at least ``low`` and at most ``high``.

    Attributes:
        counts: How much each thing that may be chosen counts; what is not named counts nothing.
        low: Least sum, or ``None``.
        high: Greatest, or ``None``.
    """

    counts: Mapping[str, int]
    low: int | None = None
    high: int | None = None


class Optimum(NamedTuple):
    """The best choice.

    Attributes:
        chosen: What is chosen of that which has a weight, sorted.
        weight: Sum of its weights.
        runner_up: The greatest sum of any other choice; ``None`` when no other meets the rows.
    """

    chosen: tuple[str, ...]
    weight: int
    runner_up: int | None


def weights_of(key: bytes, purpose: str, names: Iterable[str]) -> dict[str, int]:
    """Return the weight of each name, drawn from the key, the purpose and the name alone."""
    return {name: KeyedRandom(key, "selection", purpose, name).below(WEIGHTS) for name in names}


def optimum(
    weights: Mapping[str, int], rows: Sequence[Row], solver: Solver, *, time_limit: float = TIME_LIMIT
) -> Optimum | None:
    """Return the choice of greatest weight that meets every row, or ``None`` when the solver proves that none does.

    It is solved twice, the second time with the best choice forbidden: what is found then must weigh less.

    Args:
        weights: Weight of what is to be chosen. Names that stand in rows alone are chosen too, as the rows need it.
        rows: The constraints.
        solver: ``cbc``, which comes with PuLP, or ``highs``, which the extra ``dev`` brings; both find the same.
        time_limit: Seconds that each of the two may take.

    Raises:
        ConfigError: Two choices weigh the same.
        InfrastructureError: The solver came to no end, or to a wrong one.
    """
    best = _best(weights, rows, solver, time_limit)
    if best is None:
        return None
    forbidden = Row({name: 1 if name in best else -1 for name in weights}, high=len(best) - 1)
    second = _best(weights, [*rows, forbidden], solver, time_limit)
    weight = _sum(weights, best)
    runner_up = None if second is None else _sum(weights, second)
    if runner_up == weight:
        raise ConfigError("Two selections are equally good, so none is the selection: build with another seed or key.")
    if runner_up is not None and runner_up > weight:
        raise InfrastructureError(
            "solver_wrong", f"{solver} called a choice of weight {weight} the best, then found one of {runner_up}"
        )
    return Optimum(tuple(sorted(best)), weight, runner_up)


def _sum(counts: Mapping[str, int], chosen: Collection[str]) -> int:
    return sum(count for name, count in counts.items() if name in chosen)


def _best(weights: Mapping[str, int], rows: Sequence[Row], solver: Solver, time_limit: float) -> set[str] | None:
    """Return the weighted names of the best choice, or ``None``; whatever the solver says is checked."""
    names = sorted({*weights, *(name for row in rows for name in row.counts)})
    problem = pulp.LpProblem("selection", pulp.LpMaximize)
    variables = {name: problem.add_variable(f"x{i:05d}", cat="Binary") for i, name in enumerate(names)}
    problem += pulp.lpSum(weights[name] * variables[name] for name in sorted(weights))
    for row in rows:
        if not any(row.counts.values()):
            if not _met(row, ()):
                return None
            continue
        total = pulp.lpSum(count * variables[name] for name, count in row.counts.items())
        if row.low is not None and row.low == row.high:
            problem += total == row.low
            continue
        if row.low is not None:
            problem += total >= row.low
        if row.high is not None:
            problem += total <= row.high
    try:
        problem.solve(_solver(solver, time_limit))
    except pulp.PulpSolverError as error:
        raise InfrastructureError("solver_failed", f"{solver} did not run: {error}") from error
    if problem.status == pulp.LpStatusInfeasible:
        return None
    if problem.status != pulp.LpStatusOptimal or problem.sol_status != pulp.LpSolutionOptimal:
        found = pulp.LpSolution[problem.sol_status].lower()
        raise InfrastructureError(
            "solver_unfinished", f"{solver} came to no end within {time_limit:.0f} s ({found}): try on an idle machine"
        )
    chosen = {name for name, variable in variables.items() if (variable.value() or 0) > 0.5}
    if not all(_met(row, chosen) for row in rows):
        raise InfrastructureError("solver_wrong", f"{solver} returned a choice that does not meet the numbers")
    return chosen & set(weights)


def _met(row: Row, chosen: Collection[str]) -> bool:
    total = _sum(row.counts, chosen)
    return (row.low is None or total >= row.low) and (row.high is None or total <= row.high)


def _solver(name: Solver, time_limit: float) -> pulp.LpSolver:
    if name == "highs":
        return pulp.HiGHS(msg=False, threads=1, gapRel=0, gapAbs=_GAP, timeLimit=time_limit)
    # Without a number of threads CBC starts none. With one, it now and then waits ten seconds for nothing.
    return pulp.PULP_CBC_CMD(msg=False, gapRel=0, gapAbs=_GAP, timeLimit=time_limit)
