"""Work in processes comes back in order, and a lost process is an error of its own."""

from __future__ import annotations

import os

import pytest

from riskchain_gym.benchmark.workers import workers
from riskchain_gym.protocol.errors import InfrastructureError


def square(number: int) -> int:
    return number * number


def die(number: int) -> int:
    os._exit(number)


@pytest.mark.parametrize("count", [1, 2])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    with workers(count) as run:
        assert list(run(square, range(100))) == [number * number for number in range(100)]


def test_a_process_that_dies_is_named() -> None:
    with pytest.raises(InfrastructureError, match="worker_lost"), workers(2) as run:
        list(run(die, [1, 2]))


def test_an_error_of_the_work_itself_is_passed_on() -> None:
    with pytest.raises(TypeError), workers(2) as run:
        list(run(square, ["not a number"]))  # type: ignore[list-item]
