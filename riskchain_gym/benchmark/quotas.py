"""What the selection must come to, worked out from the plan and the pool, and checked against what the pool has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from riskchain_gym.benchmark.pool_plan import DEMO, OUT_OF_DISTRIBUTION, PoolPlan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.shares import largest_remainder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen

Range = tuple[int, int]

ATTRIBUTES: Mapping[str, Callable[[PoolSite], str]] = {
    "decision": lambda site: site.decision,
    "presentation": lambda site: site.presentation,
    "theme": lambda site: site.theme,
    "language": lambda site: site.lang,
    "click_replay": lambda site: "yes" if site.click_replay else "no",
    "stateful": lambda site: "yes" if site.stateful else "no",
    "depth": lambda site: site.depth,
    "difficulty": lambda site: site.difficulty,
    "stratum": lambda site: site.stratum,
}
"""What is counted of a site, by name."""

PROPORTIONAL = ("presentation", "theme", "language")
"""Attributes whose exact numbers follow from the pool by largest remainders."""


class Quotas(Frozen):
    """What the selection must come to.

    Attributes:
        sites: Number of sites.
        hosts: Number of host families they come from.
        per_host: Most sites of one host family.
        exact: Number of sites by attribute and value.
        bounds: Fewest and most sites by attribute and value.
        used: Most sites, chosen or not, in the host families used, by part of the pool and label: what is left must do
            for the other splits.
    """

    sites: int
    hosts: int
    per_host: int
    exact: dict[str, dict[str, int]]
    bounds: dict[str, dict[str, Range]]
    used: dict[str, int]


def part_of(site: PoolSite) -> str:
    """Return the part of the pool that a split draws from: core or held out, and the label."""
    return f"{'held-out' if site.held_out else 'core'} {site.decision}"


def quotas_of(plan: PoolPlan, pool: Sequence[PoolSite], spoken_for: Collection[str]) -> Quotas:
    """Return the quotas of the selection.

    Args:
        plan: The plan.
        pool: The whole pool.
        spoken_for: Host families that the selection must not use.

    Raises:
        ConfigError: The pool cannot meet them; the text says of what it has too little.
    """
    selection = plan.selection
    exact = {name: largest_remainder(selection.sites, _counts(name, pool)) for name in PROPORTIONAL}
    exact["decision"] = {str(decision): count for decision, count in selection.decisions.items()}
    for name, count in (("click_replay", selection.click_replay), ("stateful", selection.stateful)):
        exact[name] = {"yes": count, "no": selection.sites - count}
    tolerance: dict[str, float] = selection.tolerance.model_dump()
    quotas = Quotas(
        sites=selection.sites,
        hosts=selection.hosts,
        per_host=selection.per_host,
        exact=exact,
        bounds={name: _bounds(_counts(name, pool), selection.sites, points) for name, points in tolerance.items()},
        used=_used(plan, [site for site in pool if site.host_family not in spoken_for]),
    )
    if short := shortages(quotas, [site for site in pool if site.host_family not in spoken_for]):
        raise ConfigError("The pool cannot meet the numbers of the selection: " + "; ".join(short) + ".")
    return quotas


def _counts(name: str, sites: Iterable[PoolSite]) -> Counter[str]:
    return Counter(map(ATTRIBUTES[name], sites))


def _bounds(counts: Mapping[str, int], sites: int, points: float) -> dict[str, Range]:
    whole = sum(counts.values())
    slack = sites * points / 100
    shares = {value: sites * counts[value] / whole for value in sorted(counts)}
    return {
        value: (max(0, math.floor(share - slack)), min(sites, math.ceil(share + slack)))
        for value, share in shares.items()
    }


def _used(plan: PoolPlan, free: Sequence[PoolSite]) -> dict[str, int]:
    left = Counter(map(part_of, free))
    need: Counter[str] = Counter()
    for split, decisions in plan.splits.items():
        if split != DEMO:
            side = "held-out" if split == OUT_OF_DISTRIBUTION else "core"
            need.update({f"{side} {decision}": count for decision, count in decisions.items()})
    spare = 1 + plan.selection.spare / 100
    return {part: left[part] - math.ceil(need[part] * spare) for part in sorted({*left, *need})}


def shortages(quotas: Quotas, free: Sequence[PoolSite]) -> list[str]:
    """Return what the sites that may be selected have too little of, family of constraints by family; none is fine.

    Args:
        quotas: The quotas.
        free: The sites.
    """
    short: list[str] = []
    for name, wanted in quotas.exact.items():
        have = _counts(name, free)
        short += [
            f"{name}: {count} of '{value}' are wanted, the pool has {have[value]}"
            for value, count in sorted(wanted.items())
            if count > have[value]
        ]
    for name, ranges in quotas.bounds.items():
        have = _counts(name, free)
        most = sum(min(high, have[value]) for value, (_, high) in ranges.items())
        if most < quotas.sites:
            short.append(f"{name}: its bounds let {most} sites through at most, {quotas.sites} are wanted")
        short += [
            f"{name}: {low} of '{value}' or more are wanted, the pool has {have[value]}"
            for value, (low, _) in sorted(ranges.items())
            if low > have[value]
        ]
    sizes = sorted((min(n, quotas.per_host) for n in Counter(s.host_family for s in free).values()), reverse=True)
    most = sum(sizes[: quotas.hosts])
    if len(sizes) < quotas.hosts:
        short.append(f"hosts: {quotas.hosts} host families are wanted, the pool has {len(sizes)}")
    elif most < quotas.sites:
        short.append(f"hosts: {quotas.hosts} host families have {most} sites at most, {quotas.sites} are wanted")
    elif quotas.hosts > quotas.sites:
        short.append(f"hosts: {quotas.hosts} host families are wanted for {quotas.sites} sites")
    short += [
        f"other splits: of the {part} sites {-count} more are needed than the pool has"
        for part, count in quotas.used.items()
        if count < 0
    ]
    if (room := sum(quotas.used.values())) < quotas.sites:
        short.append(f"other splits: they leave room for {room} sites in used host families, {quotas.sites} are wanted")
    return short
