"""The program against brute force, and what happens when a solver errs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pulp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark import program
from riskchain_gym.benchmark.program import Optimum, Row, Solver, optimum, weights_of
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.keyed import key_from_seed

NAMES = tuple("abcdefgh")
TWO_OF_FOUR = [Row(dict.fromkeys("abcd", 1), low=2, high=2)]
COUNTS = st.dictionaries(st.sampled_from(NAMES), st.integers(-2, 3))
ROWS = st.lists(st.builds(Row, COUNTS, st.none() | st.integers(-2, 4), st.none() | st.integers(0, 8)), max_size=3)


def sums(weights: dict[str, int], rows: list[Row]) -> list[tuple[int, tuple[str, ...]]]:
    """Return every choice that meets the rows with its weight, the best first."""
    found = []
    for size in range(len(weights) + 1):
        for chosen in combinations(sorted(weights), size):
            totals = [sum(row.counts.get(name, 0) for name in chosen) for row in rows]
            if all(
                (row.low is None or row.low <= total) and (row.high is None or total <= row.high)
                for row, total in zip(rows, totals, strict=True)
            ):
                found.append((sum(weights[name] for name in chosen), chosen))
    return sorted(found, reverse=True)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), rows=ROWS, fewest=st.integers(0, 3))
def test_it_finds_what_trying_everything_finds(seed: int, rows: list[Row], fewest: int) -> None:
    weights = weights_of(key_from_seed(seed), "test", NAMES)
    rows = [*rows, Row(dict.fromkeys(NAMES, 1), low=fewest, high=5)]
    known = sums(weights, rows)
    found = optimum(weights, rows, "cbc")
    if not known:
        assert found is None
        return
    assert found == Optimum(known[0][1], known[0][0], known[1][0] if len(known) > 1 else None)


@pytest.mark.parametrize("solver", ["cbc", "highs"])
@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row({"a": 1}, low=2), False),
        (Row({}, low=1), False),
        (Row({"a": 0}, high=-1), False),
        (Row({}, low=0, high=3), True),
        (Row({"a": 2, "b": 2}, low=3, high=3), False),
    ],
)
def test_rows_that_nothing_or_everything_meets(solver: Solver, row: Row, met: bool) -> None:
    if solver == "highs":
        pytest.importorskip("highspy")
    assert (optimum({"a": 5, "b": 3}, [row], solver) is not None) is met


def test_what_stands_in_rows_alone_is_chosen_without_a_weight() -> None:
    # The host is used when one of its two sites is; one host at most, so that the sites of another stay out.
    rows = [Row({"host 1": 1, name: -1}, low=0) for name in ("a", "b")]
    rows += [Row({"host 2": 1, "c": -1}, low=0), Row({"host 1": 1, "host 2": 1}, high=1)]
    assert optimum({"a": 2, "b": 2, "c": 3}, rows, "cbc") == Optimum(("a", "b"), 4, 3)


def test_two_equal_choices_are_no_selection() -> None:
    with pytest.raises(ConfigError, match="equally good"):
        optimum({"a": 5, "b": 3, "c": 3, "d": 1}, TWO_OF_FOUR, "cbc")


def failing(monkeypatch: pytest.MonkeyPatch, at: int, spoil: Callable[[pulp.LpProblem], None]) -> None:
    """Let the solver do its work, and spoil what it says the ``at``-th time."""
    solve, calls = pulp.LpProblem.solve, []

    def spoiled(self: pulp.LpProblem, *arguments: object) -> int:
        status = int(solve(self, *arguments))
        calls.append(self)
        if len(calls) == at:
            spoil(self)
        return status

    monkeypatch.setattr(pulp.LpProblem, "solve", spoiled)


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize(
    ("status", "solution"),
    [
        (pulp.LpStatusNotSolved, pulp.LpSolutionNoSolutionFound),
        (pulp.LpStatusUndefined, pulp.LpSolutionNoSolutionFound),
        (pulp.LpStatusOptimal, pulp.LpSolutionIntegerFeasible),
    ],
)
def test_a_solver_that_came_to_no_end_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, at: int, status: int, solution: int
) -> None:
    failing(monkeypatch, at, lambda problem: problem.assignStatus(status, solution))
    with pytest.raises(InfrastructureError, match="solver_unfinished"):
        optimum({"a": 5, "b": 3, "c": 2, "d": 1}, TWO_OF_FOUR, "cbc")


def choose(problem: pulp.LpProblem, chosen: str) -> None:
    for variable, name in zip(problem.variables(), "abcd", strict=True):
        variable.varValue = float(name in chosen)


@pytest.mark.parametrize("wrong", ["abc", "a", "cd"])
def test_a_wrong_choice_is_found_out(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    failing(monkeypatch, 1, lambda problem: choose(problem, wrong))
    with pytest.raises(InfrastructureError, match="solver_wrong"):
        optimum({"a": 5, "b": 3, "c": 2, "d": 1}, TWO_OF_FOUR, "cbc")


def test_a_solver_that_does_not_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: Solver, time_limit: float) -> pulp.LpSolver:
        return pulp.COIN_CMD(path="/nowhere/cbc", msg=False)

    monkeypatch.setattr(program, "_solver", broken)
    with pytest.raises(InfrastructureError, match="solver_failed"):
        optimum({"a": 5, "b": 3}, [], "cbc")
