"""Values dealt out to a pool: what two keys have in common is the numbers, what they differ in is the order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.dealing import Taker, balanced, stratified
from riskchain_gym.benchmark.pool import SiteOrder, planned_orders, pool_key
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import library

KEY = key_from_seed(1)
SHARES = {"zh-CN": 60.0, "zh-TW": 15.0, "mixed": 10.0, "en": 15.0}
COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 40), min_size=1).filter(lambda c: any(c.values()))


@settings(deadline=None, max_examples=50)
@given(counts=COUNTS, families=st.integers(1, 7), seed=st.integers(0, 99))
def test_every_stratum_gets_its_share_and_the_whole_the_exact_numbers(
    counts: dict[str, int], families: int, seed: int
) -> None:
    strata = [(f"family{place % families}",) for place in range(sum(counts.values()))]
    found = stratified(key_from_seed(seed), "labels", counts, strata)
    assert Counter(found) == Counter({name: count for name, count in counts.items() if count})
    for family in range(families):
        own = found[family::families]
        for name, count in counts.items():
            share = count / len(strata)
            assert abs(own.count(name) - share * len(own)) < 1 + len([c for c in counts.values() if c])


def test_three_labels_are_less_than_two_off_in_every_stratum() -> None:
    counts = {"V": 584, "N": 322, "U": 70}
    strata = [(f"family{place % 23}", place % 2 == 0) for place in range(976)]
    for seed in range(20):
        found = stratified(key_from_seed(seed), "labels", counts, strata)
        for stratum in set(strata):
            own = [label for label, place in zip(found, strata, strict=True) if place == stratum]
            assert all(abs(own.count(name) - len(own) * count / 976) < 2 for name, count in counts.items())


def test_a_single_place_gets_any_value_as_often_as_its_weight_says() -> None:
    found = Counter(stratified(KEY, f"one {n}", {"often": 3, "seldom": 1, "never": 0}, [("a",)])[0] for n in range(400))
    assert found.keys() == {"often", "seldom"}
    assert 60 < found["seldom"] < 140


def test_the_order_is_drawn_from_key_and_purpose() -> None:
    strata = [("a",)] * 40
    orders = {
        tuple(stratified(key, purpose, {"x": 1, "y": 1}, strata))
        for key in (KEY, key_from_seed(2))
        for purpose in ("one", "two")
    }
    assert len(orders) == 4


def test_takers_of_many_sites_and_of_one_get_the_shares_of_sites() -> None:
    takers = [Taker(1 + place % 8, f"family{place % 5}", SHARES) for place in range(200)]
    for seed in range(10):
        given_out = balanced(key_from_seed(seed), "languages", takers)
        sites = Counter[str]()
        within = Counter[tuple[str, str]]()
        for taker, lang in zip(takers, given_out, strict=True):
            sites[lang] += taker.sites
            within[taker.group, lang] += taker.sites
        for lang, share in SHARES.items():
            assert abs(sites[lang] - 900 * share / 100) <= 2
            assert all(abs(within[f"family{n}", lang] - 180 * share / 100) <= 8 for n in range(5))


def test_a_taker_gets_only_what_it_may_have() -> None:
    takers = [Taker(1, "a", {"x": 1, "y": 0}), Taker(1, "a", {"y": 1}), Taker(3, "b", {"z": 2})]
    assert balanced(KEY, "forms", takers) == ["x", "y", "z"]


def test_no_weight_above_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="above zero"):
        balanced(KEY, "forms", [Taker(1, "a", {"x": 0})])
    with pytest.raises(ValueError, match="above zero"):
        stratified(KEY, "labels", {"x": 0}, [("a",)])


def orders(seed: int, part: str) -> list[SiteOrder]:
    return [order for order in planned_orders(pool_key(key_from_seed(seed)), library()) if order.part == part]


def test_pools_of_two_keys_are_made_of_the_same_numbers_of_each_archetype_and_language() -> None:
    first, second = orders(2026, "candidates"), orders(11, "candidates")
    for count in (
        lambda own: Counter(order.archetype for order in own),
        lambda own: Counter(order.lang for order in own),
        lambda own: Counter((order.stratum, order.decision) for order in own),
    ):
        one, other = count(first), count(second)
        assert one.keys() == other.keys()
        assert all(abs(one[name] - other[name]) <= 3 for name in one)


def test_the_demonstration_split_shows_every_form_theme_and_language() -> None:
    mini = orders(2026, "mini")
    for values in (
        [order.presentation for order in mini],
        [order.theme for order in mini],
        [order.archetype for order in mini],
    ):
        assert max(Counter(values).values()) <= 3
    assert len({order.presentation for order in mini}) == 16
    assert {order.lang for order in mini} == {"zh-CN", "zh-TW", "mixed", "en"}
