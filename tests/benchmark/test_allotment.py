"""What a pool is to be, from its key alone: parts, host families, labels and types."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from pool_content import PLAN, write_plan

from riskchain_gym.benchmark.allotment import CANDIDATES, parts_of
from riskchain_gym.benchmark.pool import SiteOrder, place_of, planned_orders, pool_key
from riskchain_gym.benchmark.pool_plan import PoolPlan, load_pool_plan
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import Library, library

FEW, MANY = range(3), range(12)


def changed(root: Path, **splits: Any) -> PoolPlan:
    plan = copy.deepcopy(PLAN)
    for name, decisions in splits.items():
        plan["splits"][name].update(decisions)
    write_plan(root, plan)
    return load_pool_plan(root)


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
def pools(request: pytest.FixtureRequest) -> list[list[SiteOrder]]:
    """The project's own pool under some keys."""
    return [planned_orders(pool_key(key_from_seed(seed)), library()) for seed in request.param]


def test_the_parts_come_to_the_whole(tmp_path: Path) -> None:
    parts = parts_of(changed(tmp_path))
    assert sum(part.sites for part in parts) == PLAN["sites"]
    for part in parts[:-1]:
        assert part.decisions == PLAN["splits"][part.name]
    assert [part.name for part in parts] == [*PLAN["splits"], CANDIDATES]


def test_splits_that_need_more_than_the_pool_has_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"need 22 more sites labelled INSUFFICIENT_EVIDENCE than a pool of 150"):
        parts_of(changed(tmp_path, train={"INSUFFICIENT_EVIDENCE": 47}))


def test_a_pool_without_splits_is_all_candidates(content: Library) -> None:
    plan = load_pool_plan(content.root).model_copy(update={"sites": 20, "splits": {}})
    orders = planned_orders(pool_key(key_from_seed(1)), content, plan)
    assert {order.part for order in orders} == {CANDIDATES}
    assert [place_of(order) for order in orders] == list(range(1, 21))


def test_a_split_too_small_for_its_types_is_named(content: Library) -> None:
    few = dict.fromkeys(Decision, 1)
    plan = load_pool_plan(content.root)
    with pytest.raises(ConfigError, match=r"Split 'dev' got no site of type [A-Z_]+ in"):
        planned_orders(pool_key(key_from_seed(1)), content, plan.model_copy(update={"splits": {"dev": few}}))


def test_every_part_has_its_numbers_and_host_families_of_its_own(pools: list[list[SiteOrder]]) -> None:
    plan = load_pool_plan(library().root)
    for orders in pools:
        assert len(orders) == plan.sites
        for name, decisions in plan.splits.items():
            assert Counter(order.decision for order in orders if order.part == name) == Counter(decisions)
        parts = defaultdict(set)
        for order in orders:
            parts[order.host].add((order.part, order.held_out))
        assert all(len(found) == 1 for found in parts.values())
        assert {order.held_out for order in orders if order.part == "ood"} == {True}
        assert not any(order.held_out for order in orders if order.part in ("train", "dev", "mini"))
        sizes = Counter(order.host for order in orders)
        assert all(order.alone == (sizes[order.host] == 1) for order in orders)


def test_every_type_is_in_every_split_that_may_have_it(pools: list[list[SiteOrder]]) -> None:
    for orders in pools:
        for part in ("train", "dev", "mini", CANDIDATES):
            assert {order.violation_type for order in orders if order.part == part} >= set(CONCRETE_TYPES)
        rarest = min(Counter(o.violation_type for o in orders if o.part == CANDIDATES).values())
        assert rarest >= 15


@pytest.mark.parametrize("part", ["train", "dev", "ood", CANDIDATES])
@pytest.mark.parametrize("what", ["size", "language", "form", "held out"])
def test_labels_have_nothing_to_do_with_the_host_family(pools: list[list[SiteOrder]], part: str, what: str) -> None:
    statistic, freedom = 0.0, 0
    for orders in pools:
        own = [order for order in orders if order.part == part]
        sizes = Counter(order.host for order in own)
        value = {
            "size": lambda order, sizes=sizes: min(sizes[order.host], 5),
            "language": lambda order: order.lang,
            "form": lambda order: order.presentation,
            "held out": lambda order: order.held_out,
        }[what]
        table = Counter((value(order), order.decision) for order in own)
        rows, columns = Counter(map(value, own)), Counter(order.decision for order in own)
        expected = {(row, column): rows[row] * columns[column] / len(own) for row in rows for column in columns}
        statistic += sum((table[cell] - want) ** 2 / want for cell, want in expected.items())
        freedom += (len(rows) - 1) * (len(columns) - 1)
    # Five standard deviations of chi-square: keys are fixed, so this is no matter of luck.
    assert statistic <= freedom + 5 * (2 * freedom) ** 0.5
