"""The selection over keys, on the project's own plan with the attributes that only building tells drawn at random."""

from __future__ import annotations

from collections import Counter

import pytest

from riskchain_gym.benchmark.pool import planned_orders, pool_key
from riskchain_gym.benchmark.pool_plan import load_pool_plan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.quotas import ATTRIBUTES, Quotas, candidates, quotas_of
from riskchain_gym.benchmark.selection import Selection, select
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed, keyed_id
from riskchain_gym.sites.library import library

DEPTHS, DEPTH_PARTS = ("D0", "D2", "D3"), (4, 13, 83)
DIFFICULTIES, DIFFICULTY_PARTS = ("easy", "medium", "hard"), (28, 37, 35)


def pool(key: bytes) -> list[PoolSite]:
    rows = []
    for order in planned_orders(key, library()):
        rng = KeyedRandom(key, "simulated", order.number)
        family = library().archetype(order.archetype).family
        rows.append(
            PoolSite(
                site_id=keyed_id(key, "site", order.number),
                number=order.number,
                part=order.part,
                host=order.host,
                host_family=keyed_id(key, "host", order.host),
                alone=order.alone,
                held_out=order.held_out,
                archetype=order.archetype,
                family=family,
                stratum=order.stratum,
                lang=order.lang,
                presentation=order.presentation,
                theme=order.theme,
                decision=order.decision,
                violation_type=order.violation_type,
                depth=rng.weighted(DEPTHS, DEPTH_PARTS),  # type: ignore[arg-type]
                difficulty=rng.weighted(DIFFICULTIES, DIFFICULTY_PARTS),  # type: ignore[arg-type]
                gates=(),
                click_replay=rng.chance(0.98),
                stateful=rng.chance(0.57),
                steps=3,
                sha256="",
            )
        )
    return rows


def holds(rows: list[PoolSite], quotas: Quotas, found: Selection) -> None:
    picked = [row for row in candidates(rows) if row.site_id in set(found.site_ids)]
    hosts = Counter(row.host_family for row in picked)
    assert (len(picked), len(hosts)) == (quotas.sites, quotas.hosts)
    assert max(hosts.values()) <= quotas.per_host
    for name, wanted in quotas.exact.items():
        assert Counter(map(ATTRIBUTES[name], picked)) == Counter(wanted), name
    for name, ranges in quotas.bounds.items():
        counts = Counter(map(ATTRIBUTES[name], picked))
        assert all(low <= counts[value] <= high for value, (low, high) in ranges.items()), name
    assert found.runner_up is not None
    assert found.runner_up < found.weight


def selected(seed: int) -> None:
    key = pool_key(key_from_seed(seed))
    rows = pool(key)
    quotas = quotas_of(load_pool_plan(library().root), rows)
    found = select(candidates(rows), quotas, key)
    holds(rows, quotas, found)
    assert select(candidates(rows)[::-1], quotas, key, "highs") == found.model_copy(update={"solver": "highs"})


def test_a_full_sized_selection_meets_every_number_under_both_solvers() -> None:
    pytest.importorskip("highspy")
    selected(seed=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(2, 12))
def test_every_key_has_a_selection(seed: int) -> None:
    pytest.importorskip("highspy")
    selected(seed)
