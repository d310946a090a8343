"""The selection of ``test`` from the candidates of the pool, by one mixed-integer program.

Every site has an independent weight drawn from the key; the choice of greatest weight that meets the numbers of the
plan is the selection, so that it is blind to everything that is not constrained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.program import Row, Solver, optimum, weights_of
from riskchain_gym.benchmark.quotas import ATTRIBUTES, Quotas
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.model import Frozen

_HOSTS = "hosts"
_BLAME_LIMIT = 20.0
"""Seconds that the search for what is to blame may take for each family of numbers."""


class Selection(Frozen):
    """The sites selected, and how they were found.

    Attributes:
        site_ids: The sites, sorted.
        solver: Name of the solver.
        status: What it came to: the choice is the best, and the next best weighs less.
        weight: Sum of the weights chosen.
        runner_up: The greatest sum of any other choice; ``None`` when no other meets the numbers.
    """

    site_ids: tuple[str, ...]
    solver: str
    status: str
    weight: int
    runner_up: int | None


def select(
    sites: Sequence[PoolSite],
    quotas: Quotas,
    key: bytes,
    solver: Solver = "cbc",
    progress: Callable[[str, int, int], None] | None = None,
) -> Selection:
    """Return the one best choice of sites that meets the quotas.

    Args:
        sites: The sites to choose from.
        quotas: What the choice must come to.
        key: Key that the weights are drawn from.
        solver: ``cbc``, which comes with PuLP, or ``highs``, which the extra ``dev`` brings; both find the same.
        progress: Called with what is being done, how much of it is done and how much there is.

    Raises:
        ConfigError: No choice meets the quotas, or two are equally good; the text names what is in the way.
        InfrastructureError: The solver came to no end, or to a wrong one.
    """

    def told(what: str, done: int, whole: int) -> None:
        if progress is not None:
            progress(what, done, whole)

    told("Selecting test", 0, 1)
    found = optimum(weights_of(key, "site", (site.site_id for site in sites)), _rows(sites, quotas), solver)
    told("Selecting test", 1, 1)
    if found is not None:
        return Selection(
            site_ids=found.chosen,
            solver=solver,
            status="optimal and unique",
            weight=found.weight,
            runner_up=found.runner_up,
        )
    families = [*quotas.exact, *quotas.bounds, _HOSTS]
    blamed = []
    for number, name in enumerate(families):
        told("No selection; asking what is to blame", number, len(families))
        if _possible(sites, quotas, solver, without=name):
            blamed.append(name)
    told("No selection; asking what is to blame", len(families), len(families))
    if not blamed:
        reason = "no family of numbers was found that alone is to blame: more sites or looser numbers are needed"
    else:
        reason = f"without its numbers for {' or for '.join(blamed)} there is one: loosen those, or add such sites"
    raise ConfigError(f"No choice of sites meets all numbers of the selection; {reason}.")


def _possible(sites: Sequence[PoolSite], quotas: Quotas, solver: Solver, *, without: str) -> bool:
    """Return whether some choice meets the quotas but one family of them; not, where that takes too long to tell."""
    weights = dict.fromkeys((site.site_id for site in sites), 0)
    try:
        return optimum(weights, _rows(sites, quotas, without), solver, time_limit=_BLAME_LIMIT) is not None
    except ConfigError:
        return True
    except InfrastructureError:
        return False


def _rows(sites: Sequence[PoolSite], quotas: Quotas, without: str = "") -> list[Row]:
    owners: dict[str, list[str]] = {}
    for site in sites:
        owners.setdefault(site.host_family, []).append(site.site_id)
    rows = [Row({site.site_id: 1 for site in sites}, low=quotas.sites, high=quotas.sites)]
    if without != _HOSTS:
        rows += _host_rows(owners, quotas)
    for name, value, low, high in _wanted(quotas, without):
        value_of = ATTRIBUTES[name]
        rows.append(Row({site.site_id: 1 for site in sites if value_of(site) == value}, low=low, high=high))
    return rows


def _host_rows(owners: dict[str, list[str]], quotas: Quotas) -> list[Row]:
    """Return the rows that say which host families are used, how many, and how often each."""
    # A host family of one site is used when its site is.
    used = {host: own[0] if len(own) == 1 else f"host {host}" for host, own in owners.items()}
    rows = [Row(dict.fromkeys(used.values(), 1), low=quotas.hosts, high=quotas.hosts)]
    for host, own in owners.items():
        if len(own) > 1:
            rows.append(Row({**dict.fromkeys(own, 1), used[host]: -1}, low=0))
            rows += [Row({used[host]: 1, site: -1}, low=0) for site in own]
        if len(own) > quotas.per_host:
            rows.append(Row(dict.fromkeys(own, 1), high=quotas.per_host))
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
