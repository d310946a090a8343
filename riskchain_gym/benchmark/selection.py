"""The selection of ``test`` from the pool, by two mixed-integer programs: first host families, then their sites.

Host families and sites have independent weights drawn from the key; what is sought is the choice of greatest weight
that meets the numbers of the plan, so that it is blind to everything that is not constrained. One program over both
takes CBC minutes, because what must be left to the other splits ties all host families together; in two it takes
seconds. The first asks, beside its own numbers, for some more of everything than the second needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.program import Optimum, Row, Solver, optimum, weights_of
from riskchain_gym.benchmark.quotas import ATTRIBUTES, Quotas, part_of
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen

ROOM = (1.3, 1.15, 1.45, 1.05)
"""How much of everything the host families must have for each that is wanted, tried in this order."""

_HOSTS, _SPLITS = "hosts", "other splits"


class Solve(Frozen):
    """How one program was solved.

    Attributes:
        weight: Sum of the weights chosen.
        runner_up: The greatest sum of any other choice; ``None`` when no other meets the numbers.
    """

    weight: int
    runner_up: int | None


class Selection(Frozen):
    """The sites selected, and how they were found.

    Attributes:
        site_ids: The sites, sorted.
        solver: Name of the solver.
        status: What it came to: both programs have one optimum, and the next best choice weighs less.
        room: How much of everything the host families were asked to have for each that is wanted.
        hosts: The first program.
        sites: The second.
    """

    site_ids: tuple[str, ...]
    solver: str
    status: str
    room: float
    hosts: Solve
    sites: Solve


def select(sites: Sequence[PoolSite], quotas: Quotas, key: bytes, solver: Solver = "cbc") -> Selection:
    """Return the one best choice of sites that meets the quotas.

    Args:
        sites: The sites to choose from.
        quotas: What the choice must come to.
        key: Key that the weights are drawn from.
        solver: ``cbc``, which comes with PuLP, or ``highs``, which the extra ``dev`` brings; both find the same.

    Raises:
        ConfigError: No choice meets the quotas, or two are equally good; the text names what is in the way.
    """
    found = _attempt(sites, quotas, key, solver, without="")
    if found is not None:
        return found
    families = [*quotas.exact, *quotas.bounds, _HOSTS, _SPLITS]
    blamed = [name for name in families if _attempt(sites, quotas, key, solver, without=name) is not None]
    if not blamed:
        reason = "no family of constraints alone is to blame: more sites or looser numbers are needed"
    else:
        reason = f"without its numbers for {' or for '.join(blamed)} there is one: loosen those, or add such sites"
    raise ConfigError(f"No choice of sites meets all numbers of the selection; {reason}.")


def _attempt(
    sites: Sequence[PoolSite], quotas: Quotas, key: bytes, solver: Solver, *, without: str
) -> Selection | None:
    owners: dict[str, list[PoolSite]] = {}
    for site in sorted(sites, key=lambda site: site.site_id):
        owners.setdefault(site.host_family, []).append(site)
    for room in ROOM:
        hosts = optimum(weights_of(key, "host", owners), _host_rows(owners, quotas, room, without), solver)
        if hosts is None:
            continue
        own = {host: owners[host] for host in hosts.chosen}
        site_ids = [site.site_id for sites in own.values() for site in sites]
        chosen = optimum(weights_of(key, "site", site_ids), _site_rows(own, quotas, without), solver)
        if chosen is not None:
            return Selection(
                site_ids=chosen.chosen,
                solver=solver,
                status="optimal and unique",
                room=room,
                hosts=_solve_of(hosts),
                sites=_solve_of(chosen),
            )
    return None


def _solve_of(found: Optimum) -> Solve:
    return Solve(weight=found.weight, runner_up=found.runner_up)


def _host_rows(owners: Mapping[str, Sequence[PoolSite]], quotas: Quotas, room: float, without: str) -> list[Row]:
    def counts(takes: Callable[[PoolSite], bool]) -> dict[str, int]:
        found = {host: sum(map(takes, own)) for host, own in owners.items()}
        return {host: count for host, count in found.items() if count}

    usable = {host: min(len(own), quotas.per_host) for host, own in owners.items()}
    rows = [Row("sites", usable, low=math.ceil(quotas.sites * room))]
    if without != _HOSTS:
        rows.append(Row(_HOSTS, dict.fromkeys(owners, 1), low=quotas.hosts, high=quotas.hosts))
    if without != _SPLITS:
        rows += [
            Row(_SPLITS, counts(lambda site, part=part: part_of(site) == part), high=most)  # type: ignore[misc]
            for part, most in quotas.used.items()
        ]
    for name, value, low, _ in _wanted(quotas, without):
        value_of = ATTRIBUTES[name]
        takes = counts(lambda site, value_of=value_of, value=value: value_of(site) == value)  # type: ignore[misc]
        # Where the pool has barely enough, all of it is room enough.
        least = min(math.ceil(low * room), max(low, math.floor(sum(takes.values()) * 0.9)))
        rows.append(Row(name, takes, low=least))
    return rows


def _site_rows(own: Mapping[str, Sequence[PoolSite]], quotas: Quotas, without: str) -> list[Row]:
    sites = [site for found in own.values() for site in found]
    rows = [Row("sites", {site.site_id: 1 for site in sites}, low=quotas.sites, high=quotas.sites)]
    rows += [
        Row(_HOSTS, {site.site_id: 1 for site in found}, low=1, high=min(len(found), quotas.per_host))
        for found in own.values()
    ]
    for name, value, low, high in _wanted(quotas, without):
        value_of = ATTRIBUTES[name]
        rows.append(Row(name, {site.site_id: 1 for site in sites if value_of(site) == value}, low=low, high=high))
    return rows


def _wanted(quotas: Quotas, without: str) -> list[tuple[str, str, int, int]]:
    exact = [
        (name, value, count, count)
        for name, counts in sorted(quotas.exact.items())
        if name != without
        for value, count in sorted(counts.items())
    ]
    bounds = [
        (name, value, low, high)
        for name, ranges in sorted(quotas.bounds.items())
        if name != without
        for value, (low, high) in sorted(ranges.items())
    ]
    return exact + bounds
