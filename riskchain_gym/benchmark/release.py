"""A release: the pool and its splits of chains, made from one key."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from riskchain_gym.benchmark.allotment import allot, demo_sites
from riskchain_gym.benchmark.chains import ChainRows, pair
from riskchain_gym.benchmark.families import pool_families
from riskchain_gym.benchmark.hosts import plan_hosts
from riskchain_gym.benchmark.pool import BuiltSite, SiteOrder, build_order, number_of, plan_sites, pool_key
from riskchain_gym.benchmark.pool_plan import DEMO, SELECTED, PoolPlan, load_pool_plan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.quotas import Quotas, quotas_of
from riskchain_gym.benchmark.selection import Selection, select
from riskchain_gym.benchmark.sessions import HARD, WrittenSession, demo_sessions, plan_sessions, write_order
from riskchain_gym.benchmark.workers import workers
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.sites.library import Library, library


@dataclass(frozen=True)
class Release:
    """What a build made.

    Attributes:
        pool: Every site of the pool in order of label; empty when only the demonstration split was asked for.
        quotas: What the selection had to come to, or ``None``, likewise.
        selection: The selection, or ``None``, likewise.
        splits: The chains of each split.
    """

    pool: tuple[BuiltSite, ...]
    quotas: Quotas | None
    selection: Selection | None
    splits: dict[str, list[ChainRows]]


def release_splits(plan: PoolPlan, only: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the names of the splits to build, in order.

    Args:
        plan: The plan.
        only: Names asked for; all by default.

    Raises:
        UnknownNameError: A name is no split.
    """
    known = (SELECTED, HARD, *plan.splits)
    for name in only or ():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UnknownNameError(f"There is no split '{name}' of sites.{hint} Splits: {', '.join(known)}.")
    return tuple(name for name in known if only is None or name in only)


def build_release(
    key: bytes,
    *,
    only: Collection[str] | None = None,
    worker_count: int = 1,
    content: Library | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Release:
    """Build the pool, select ``test`` from it, allot the other splits and put a session before every site.

    The same key and content give the same values, however many processes work on them and whichever splits are named.

    Args:
        key: Key of the whole set: that of a public seed, or a secret.
        only: Names of the splits to build, all by default. ``mini`` alone needs no pool.
        worker_count: Number of processes.
        content: Content folder, with its ``pool.toml``; the project's own by default.
        progress: Called with what is being done, how much of it is done and how much there is.

    Raises:
        UnknownNameError: A name is no split.
        InputFileError: The content is wrong, or lacks what a pool needs.
        ConfigError: The pool cannot meet the numbers of its plan.
        CertificateError: A site cannot be certified.
        InfrastructureError: A process died.
    """
    content = content or library()
    plan = load_pool_plan(content.root)
    wanted = release_splits(plan, only)
    own = pool_key(key)
    orders = plan_sites(plan, own, plan_hosts(plan, own, pool_families(plan, content), content), content)
    demo = demo_sites(plan, own, orders)
    ordered = demo if wanted == (DEMO,) else orders
    planned = plan_sessions(key, _session_counts(plan))
    lines = [order for name in wanted for order in planned.splits.get(name, ())]

    def told(what: str, done: int, whole: int) -> None:
        if progress is not None:
            progress(what, done, whole)

    with workers(worker_count) as run:
        sites: list[BuiltSite] = []
        # What an archetype needs in a language is read and checked once a process: those that share it stay together.
        grouped = sorted(ordered, key=lambda order: (order.archetype, order.lang))
        for site in run(partial(build_order, content.root, own), grouped):
            sites.append(site)
            told("Building sites", len(sites), len(ordered))
        sites.sort(key=lambda site: number_of(site.row.label))
        writing = run(partial(write_order, key), lines)
        quotas, selection, chosen = None, None, {DEMO: _named(sites, demo)}
        if wanted != (DEMO,):
            quotas, selection, rest = _divide(plan, own, sites, chosen[DEMO])
            chosen |= rest
        written = []
        for session in writing:
            written.append(session)
            told("Writing messages", len(written), len(lines))
    sessions: dict[str, list[WrittenSession]] = {name: [] for name in wanted}
    for order, session in zip(lines, written, strict=True):
        sessions[order.split].append(session)
    if DEMO in wanted:
        sessions[DEMO] = demo_sessions(key, len(demo), planned.addresses)
    splits = {}
    for name in wanted:
        like = SELECTED if name == HARD else name
        splits[name] = pair(key, name, chosen[like], sessions[name], shuffled_as=like)
    return Release(tuple(sites) if selection else (), quotas, selection, splits)


def _session_counts(plan: PoolPlan) -> dict[str, int]:
    """Return how many sessions every split takes from its message split; the demonstration split has its own."""
    sizes = {name: sum(decisions.values()) for name, decisions in plan.splits.items() if name != DEMO}
    return {SELECTED: plan.selection.sites, HARD: plan.selection.sites, **sizes}


def _named(sites: list[BuiltSite], orders: list[SiteOrder]) -> list[BuiltSite]:
    labels = {order.label for order in orders}
    return [site for site in sites if site.row.label in labels]


def _divide(
    plan: PoolPlan, key: bytes, sites: list[BuiltSite], demo: list[BuiltSite]
) -> tuple[Quotas, Selection, dict[str, list[BuiltSite]]]:
    """Select ``test`` and allot what is left to the other splits."""
    pool: list[PoolSite] = [site.row for site in sites]
    set_aside = {site.row.host_family for site in demo}
    quotas = quotas_of(plan, pool, set_aside)
    selection = select([row for row in pool if row.host_family not in set_aside], quotas, key)
    picked = set(selection.site_ids)
    used = set_aside | {row.host_family for row in pool if row.site_id in picked}
    rows = {SELECTED: [row for row in pool if row.site_id in picked], **allot(plan, key, pool, used)}
    built = {site.row.label: site for site in sites}
    return quotas, selection, {name: [built[row.label] for row in found] for name, found in rows.items()}
