"""The draws equal CPython's, the percentiles the published ones."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.scoring.bootstrap import counts, percentile_interval, resampled


def _cpython(n: int, seed: int, replicates: int) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(n) for _ in range(n)] for _ in range(replicates)]


@pytest.mark.parametrize("n", [1, 2, 3, 8, 599, 600, 601, 1023, 1024, 1025, 3600, 6000, 70_000])
@pytest.mark.parametrize("seed", [0, 7, -7, 20260726, 2**200 + 1])
def test_the_draws_are_those_of_cpython(n: int, seed: int) -> None:
    replicates = 2 if n > 5000 else 5

    drawn = resampled(n, seed=seed, replicates=replicates)

    assert drawn.shape == (replicates, n)
    assert drawn.tolist() == _cpython(n, seed, replicates)


def test_the_draws_are_those_of_cpython_over_more_words_than_are_made_at_once() -> None:
    assert resampled(1024, seed=3, replicates=700).tolist() == _cpython(1024, 3, 700)


@given(st.integers(1, 300), st.integers(), st.integers(1, 20))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_any_seed_and_number_of_clusters(n: int, seed: int, replicates: int) -> None:
    drawn = resampled(n, seed=seed, replicates=replicates)

    assert drawn.tolist() == _cpython(n, seed, replicates)
    counted = counts(drawn, n)
    assert (counted.sum(axis=1) == n).all()
    assert counted.tolist() == [[row.count(i) for i in range(n)] for row in drawn.tolist()]


def test_linear_percentiles_of_one_to_twenty() -> None:  # T066
    assert percentile_interval(range(1, 21), method="linear") == pytest.approx((1.475, 19.525), abs=1e-12)


def test_nearest_percentiles_of_one_to_twenty() -> None:  # T067
    assert percentile_interval(range(1, 21), method="nearest") == (1, 20)


def test_nearest_percentiles_of_2000_are_the_51st_and_the_1950th_value() -> None:
    assert percentile_interval(np.arange(2000)[::-1], method="nearest") == (50, 1949)


def test_nearest_rounds_halves_to_even() -> None:
    assert percentile_interval(range(21), method="nearest") == (0, 20)  # 0.5 and 19.5
    assert percentile_interval(range(61), method="nearest") == (2, 58)  # 1.5 and 58.5


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_one_value_is_its_own_interval(method: str) -> None:
    assert percentile_interval([0.25], method=method) == (0.25, 0.25)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "replicates", "named"), [(0, 1, "got 0"), (2**31, 1, "clusters"), (3, 0, "replicate")])
def test_numbers_that_cannot_be_drawn_are_refused(n: int, replicates: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        resampled(n, seed=1, replicates=replicates)


@pytest.mark.parametrize("values", [[], [0.5, float("nan")], [float("inf")]])
def test_an_interval_of_no_numbers_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="interval needs"):
        percentile_interval(values, method="linear")
