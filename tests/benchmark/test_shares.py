"""Whole numbers from shares."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.shares import dealt, largest_remainder
from riskchain_gym.protocol.keyed import key_from_seed

WEIGHTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 1000), min_size=1).filter(
    lambda w: any(w.values())
)


@settings(deadline=None)
@given(total=st.integers(0, 3000), weights=WEIGHTS)
def test_they_sum_and_are_less_than_one_away(total: int, weights: dict[str, int]) -> None:
    counts = largest_remainder(total, weights)
    assert sum(counts.values()) == total
    assert set(counts) == set(weights)
    for name, weight in weights.items():
        assert abs(counts[name] - total * weight / sum(weights.values())) < 1 + 1e-6


@settings(deadline=None, max_examples=20)
@given(count=st.integers(0, 200), weights=WEIGHTS)
def test_what_is_dealt_has_these_numbers_in_an_order_of_the_key(count: int, weights: dict[str, int]) -> None:
    deck = dealt(key_from_seed(1), "cards", count, weights)
    assert Counter(deck) == Counter(largest_remainder(count, weights))
    assert deck == dealt(key_from_seed(1), "cards", count, dict(reversed(weights.items())))


def test_two_purposes_deal_differently() -> None:
    even = dict.fromkeys("abcdefgh", 1.0)
    assert dealt(key_from_seed(1), "one", 80, even) != dealt(key_from_seed(1), "two", 80, even)


def test_no_weight_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="above zero"):
        largest_remainder(3, {"a": 0})
