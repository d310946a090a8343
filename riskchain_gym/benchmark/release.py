"""A release: the pool and its splits of chains, made from one key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from riskchain_gym.benchmark.chains import ChainRows, pair
from riskchain_gym.benchmark.pool import BuiltSite, build_order, place_of, planned_orders, pool_key
from riskchain_gym.benchmark.pool_plan import DEMO, SELECTED, PoolPlan, load_pool_plan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.quotas import Quotas, candidates, quotas_of
from riskchain_gym.benchmark.selection import Selection, select
from riskchain_gym.benchmark.sessions import HARD, WrittenSession, demo_sessions, plan_sessions, write_order
from riskchain_gym.benchmark.workers import workers
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.sites.library import Library, library


@dataclass(frozen=True)
class Release:
    """What a build made.

    Attributes:
        pool: Every site of the pool in order of number; empty when only the demonstration split was asked for.
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
    """Build the pool, select ``test`` from it and put a session before every site.

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
        InfrastructureError: A process died, or the solver came to no end.
    """
    content = content or library()
    plan = load_pool_plan(content.root)
    wanted = release_splits(plan, only)
    own = pool_key(key)
    ordered = planned_orders(own, content, plan)
    if wanted == (DEMO,):
        ordered = [order for order in ordered if order.part == DEMO]
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
        sites.sort(key=lambda site: place_of(site.row))
        writing = run(partial(write_order, key), lines)
        quotas, selection, chosen = None, None, {DEMO: sites}
        if wanted != (DEMO,):
            quotas, selection, chosen = _divide(plan, own, sites, told)
        written = []
        for session in writing:
            written.append(session)
            told("Writing messages", len(written), len(lines))
    sessions: dict[str, list[WrittenSession]] = {name: [] for name in wanted}
    for order, session in zip(lines, written, strict=True):
        sessions[order.split].append(session)
    if DEMO in wanted:
        sessions[DEMO] = demo_sessions(key, len(chosen[DEMO]), planned.addresses)
    splits = {}
    for name in wanted:
        like = SELECTED if name == HARD else name
        splits[name] = pair(key, name, chosen[like], sessions[name], shuffled_as=like)
    return Release(tuple(sites) if selection else (), quotas, selection, splits)


def _session_counts(plan: PoolPlan) -> dict[str, int]:
    """Return how many sessions every split takes from its message split; the demonstration split has its own."""
    sizes = {name: sum(decisions.values()) for name, decisions in plan.splits.items() if name != DEMO}
    return {SELECTED: plan.selection.sites, HARD: plan.selection.sites, **sizes}


def _divide(
    plan: PoolPlan, key: bytes, sites: Sequence[BuiltSite], told: Callable[[str, int, int], None]
) -> tuple[Quotas, Selection, dict[str, list[BuiltSite]]]:
    """Select ``test`` from the candidates; the other splits are parts of the pool already."""
    pool: list[PoolSite] = [site.row for site in sites]
    quotas = quotas_of(plan, pool)
    selection = select(candidates(pool), quotas, key, progress=told)
    picked = set(selection.site_ids)
    chosen = {name: [site for site in sites if site.row.part == name] for name in plan.splits}
    return quotas, selection, {SELECTED: [site for site in sites if site.row.site_id in picked], **chosen}
