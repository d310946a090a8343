"""Which sites the splits beside ``test`` get: whole host families are dealt to them, then the sites are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from riskchain_gym.benchmark.pool import SiteOrder, number_of
from riskchain_gym.benchmark.pool_plan import DEMO, OUT_OF_DISTRIBUTION, PoolPlan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom

_SCARCE_FIRST = (Decision.INSUFFICIENT_EVIDENCE, Decision.NON_VIOLATION, Decision.VIOLATION)


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def violation_type(self) -> ViolationType: ...


S = TypeVar("S", bound=_Labelled)


def demo_sites(plan: PoolPlan, key: bytes, orders: Sequence[SiteOrder]) -> list[SiteOrder]:
    """Return the sites of the demonstration split, in order of label: one a host family, from the core.

    They are known before a site is built, so that the split can be made without the pool. Host families of one site
    come first, for they leave nothing over.

    Args:
        plan: The plan.
        key: The pool's key.
        orders: The sites of the pool.

    Raises:
        ConfigError: The core has too few host families for it.
    """
    sizes = Counter(order.host for order in orders)
    core = _shuffled(key, DEMO, (order for order in orders if not order.held_out))
    core.sort(key=lambda order: sizes[order.host])
    first = {order.host: order for order in reversed(core)}
    kept = [order for order in core if first[order.host] is order]
    chosen = [order for want in plan.splits[DEMO] for order in _drawn(DEMO, kept, want, plan.splits[DEMO][want])]
    return _by_label(chosen)


def allot(plan: PoolPlan, key: bytes, pool: Sequence[PoolSite], used: Collection[str]) -> dict[str, list[PoolSite]]:
    """Return the sites of ``train``, ``dev`` and ``ood``, each split's in order of label; no host family comes twice.

    Args:
        plan: The plan.
        key: The pool's key.
        pool: The pool.
        used: Host families that are taken already.

    Raises:
        ConfigError: Too few sites are left for a split; the text names it and the label.
    """
    hosts: dict[str, list[PoolSite]] = {}
    for site in pool:
        if site.host_family not in used:
            hosts.setdefault(site.host_family, []).append(site)
    names = [name for name in plan.splits if name != DEMO]
    found: dict[str, list[PoolSite]] = {name: [] for name in names}
    left = {name: Counter(plan.splits[name]) for name in names}
    for host in _richest_first(key, hosts):
        own = hosts[host]
        takers = [name for name in names if (name == OUT_OF_DISTRIBUTION) == own[0].held_out]
        taker = _neediest(takers, own, left, plan)
        if taker is not None:
            found[taker] += own
            left[taker].subtract(site.decision for site in own)
    drawn = {
        name: _by_label(
            site
            for decision, count in plan.splits[name].items()
            for site in _drawn(name, _shuffled(key, name, sites), decision, count)
        )
        for name, sites in found.items()
    }
    for name, sites in drawn.items():
        known = {site.violation_type for site in pool if site.held_out == (name == OUT_OF_DISTRIBUTION)}
        if missing := sorted(known - {site.violation_type for site in sites}):
            raise ConfigError(
                f"Split '{name}' got no site of type {missing[0]}, of which too few are left for it: raise the "
                "selection's 'spare' or the pool's size, or add archetypes of that type."
            )
    return drawn


def _richest_first(key: bytes, hosts: Mapping[str, Sequence[PoolSite]]) -> list[str]:
    """Return the host families, those with most of the scarcest label first."""
    order = sorted(hosts)
    KeyedRandom(key, "allotment").shuffle(order)
    counts = {host: Counter(site.decision for site in own) for host, own in hosts.items()}
    return sorted(order, key=lambda host: [-counts[host][decision] for decision in _SCARCE_FIRST])


def _neediest(
    takers: Sequence[str], own: Sequence[PoolSite], left: Mapping[str, Counter[Decision]], plan: PoolPlan
) -> str | None:
    """Return the split that lacks most of the scarcest label that the host family has, in relation to its size."""
    has = {site.decision for site in own}
    for decision in _SCARCE_FIRST:
        if decision in has:
            lacking = {n: left[n][decision] / plan.splits[n][decision] for n in takers if left[n][decision] > 0}
            if lacking:
                return max(lacking, key=lambda name: (lacking[name], name))
    return None


def _drawn(split: str, sites: Iterable[S], decision: Decision, count: int) -> list[S]:
    """Return the first sites with a label, one of each type before a type comes again more often than need be."""
    own = [site for site in sites if site.decision is decision]
    if len(own) < count:
        raise ConfigError(
            f"Split '{split}' needs {count} sites labelled {decision}, only {len(own)} are left for it: lower its "
            "number in pool.toml, or raise the selection's 'spare' or the pool's size."
        )
    first = {site.violation_type: site for site in reversed(own)}
    ahead = [site for site in own if first[site.violation_type] is site]
    return [*ahead, *(site for site in own if first[site.violation_type] is not site)][:count]


def _shuffled(key: bytes, purpose: str, sites: Iterable[S]) -> list[S]:
    ordered = _by_label(sites)
    KeyedRandom(key, "drawn", purpose).shuffle(ordered)
    return ordered


def _by_label(sites: Iterable[S]) -> list[S]:
    return sorted(sites, key=lambda site: number_of(site.label))
