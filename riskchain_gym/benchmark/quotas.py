"""What the selection must come to, worked out from the plan and the candidates, and checked against what there is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from riskchain_gym.benchmark.allotment import CANDIDATES
from riskchain_gym.benchmark.pool_plan import PoolPlan, SelectionPlan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.shares import largest_remainder
from riskchain_gym.protocol.codebook import Decision
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
    "violation_type": lambda site: site.violation_type,
    "alone": lambda site: site.decision if site.alone else "no",
    "archetype": lambda site: site.archetype,
}
"""What is counted of a site, by name."""

PROPORTIONAL = ("presentation", "theme", "language")
"""Attributes whose exact numbers follow from the candidates by largest remainders."""


class Quotas(Frozen):
    """What the selection must come to.

    Attributes:
        sites: Number of sites.
        hosts: Number of host families they come from.
        per_host: Most sites of one host family.
        exact: Number of sites by attribute and value.
        bounds: Fewest and most sites by attribute and value.
    """

    sites: int
    hosts: int
    per_host: int
    exact: dict[str, dict[str, int]]
    bounds: dict[str, dict[str, Range]]


def quotas_of(plan: PoolPlan, pool: Sequence[PoolSite]) -> Quotas:
    """Return the quotas of the selection.

    Args:
        plan: The plan.
        pool: The whole pool.

    Raises:
        ConfigError: The candidates cannot meet them; the text says of what there is too little.
    """
    selection, tolerance = plan.selection, plan.selection.tolerance
    free = candidates(pool)
    if not free:
        raise ConfigError("The splits take the whole pool, there is nothing to select test from: raise 'sites'.")
    exact = {name: largest_remainder(selection.sites, _counts(name, free)) for name in PROPORTIONAL}
    exact["decision"] = {str(decision): count for decision, count in selection.decisions.items()}
    for name, count in (("click_replay", selection.click_replay), ("stateful", selection.stateful)):
        exact[name] = {"yes": count, "no": selection.sites - count}
    points = {"depth": tolerance.depth, "difficulty": tolerance.difficulty, "stratum": tolerance.stratum}
    bounds = {
        name: _bounds(_counts(name, free), selection.sites, selection.sites * value / 100)
        for name, value in points.items()
    }
    bounds["alone"] = _alone(selection, free)
    known = {site.violation_type for site in pool if site.decision is Decision.VIOLATION}
    bounds["archetype"] = _archetypes(selection, free)
    bounds["violation_type"] = {str(kind): (selection.of_each_type, selection.sites) for kind in sorted(known)}
    quotas = Quotas(
        sites=selection.sites, hosts=selection.hosts, per_host=selection.per_host, exact=exact, bounds=bounds
    )
    if short := shortages(quotas, free):
        raise ConfigError("The pool cannot meet the numbers of the selection: " + "; ".join(short) + ".")
    return quotas


def candidates(pool: Sequence[PoolSite]) -> list[PoolSite]:
    """Return the sites that may be selected."""
    return [site for site in pool if site.part == CANDIDATES]


def _counts(name: str, sites: Iterable[PoolSite]) -> Counter[str]:
    return Counter(map(ATTRIBUTES[name], sites))


def _bounds(counts: Mapping[str, int], sites: int, slack: float) -> dict[str, Range]:
    whole = sum(counts.values())
    shares = {value: sites * counts[value] / whole for value in sorted(counts)}
    return {
        value: (max(0, math.floor(share - slack)), min(sites, math.ceil(share + slack)))
        for value, share in shares.items()
    }


def _alone(selection: SelectionPlan, free: Sequence[PoolSite]) -> dict[str, Range]:
    """Bound the labels of sites alone, so that how often an operator is seen does not tell a label."""
    hosts = len({site.host_family for site in free})
    share = sum(site.alone for site in free) / hosts * selection.hosts / selection.sites
    slack = selection.sites * selection.tolerance.alone / 100
    return {
        str(decision): (max(0, math.floor(count * share - slack)), math.ceil(count * share + slack))
        for decision, count in sorted(selection.decisions.items())
    }


def _archetypes(selection: SelectionPlan, free: Sequence[PoolSite]) -> dict[str, Range]:
    """Bound each archetype by its share of the sites with its label, so that selections of two keys are as hard."""
    ranges: dict[str, Range] = {}
    for decision, count in sorted(selection.decisions.items()):
        own = _counts("archetype", (site for site in free if site.decision is decision))
        ranges |= _bounds(own, count, selection.tolerance.archetype)
    return ranges


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
            f"{name}: {count} of '{value}' are wanted, there are {have[value]}"
            for value, count in sorted(wanted.items())
            if count > have[value]
        ]
    for name, ranges in quotas.bounds.items():
        have = _counts(name, free)
        most = sum(min(ranges[value][1], n) if value in ranges else n for value, n in have.items())
        if most < quotas.sites:
            short.append(f"{name}: its bounds let {most} sites through at most, {quotas.sites} are wanted")
        short += [
            f"{name}: {low} of '{value}' or more are wanted, there are {have[value]}"
            for value, (low, _) in sorted(ranges.items())
            if low > have[value]
        ]
    sizes = sorted((min(n, quotas.per_host) for n in Counter(s.host_family for s in free).values()), reverse=True)
    most = sum(sizes[: quotas.hosts])
    if len(sizes) < quotas.hosts:
        short.append(f"hosts: {quotas.hosts} host families are wanted, there are {len(sizes)}")
    elif most < quotas.sites:
        short.append(f"hosts: {quotas.hosts} host families have {most} sites at most, {quotas.sites} are wanted")
    elif quotas.hosts > quotas.sites:
        short.append(f"hosts: {quotas.hosts} host families are wanted for {quotas.sites} sites")
    return short
