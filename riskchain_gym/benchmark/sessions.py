"""The sessions that chains begin with: those of the message split of the same name, in several disguises each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from riskchain_gym.benchmark.pool_plan import DEMO
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.drafts import unique_drafts
from riskchain_gym.messages.plan import Draft
from riskchain_gym.messages.plans import PAPER_PLATFORMS, get_plan
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import Session, build_session
from riskchain_gym.messages.splits import write_variants
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import derive_key
from riskchain_gym.protocol.model import canonical_json

VARIANTS = 6
"""Disguises of each session."""

HARD = "hard"
"""The message split that goes with the sites of ``test``; its sessions have one disguise."""


@dataclass(frozen=True)
class SessionOrder:
    """What one session is to be.

    Attributes:
        split: Name of the message split.
        draft: The session, not yet disguised.
    """

    split: str
    draft: Draft


@dataclass(frozen=True)
class WrittenSession:
    """One session, as canonical JSON.

    Attributes:
        entry: Its canonical entry.
        variants: The message in each disguise, by variant.
        recipes: Name of the recipe behind each variant.
        gold: What it must restore.
    """

    entry: str
    variants: str
    recipes: str
    gold: str


@dataclass(frozen=True)
class SessionPlan:
    """The sessions of a release.

    Attributes:
        splits: What is to be written for each split.
        addresses: Every address that a session of any split names.
    """

    splits: dict[str, list[SessionOrder]]
    addresses: frozenset[str]


def plan_sessions(key: bytes, counts: Mapping[str, int]) -> SessionPlan:
    """Return the sessions of splits: the first of each message split that name an entry, all addresses different.

    They are the sessions that ``riskchain build messages`` writes with the same key.

    Args:
        key: Key of the whole set.
        counts: Number of sessions by name of the message split.

    Raises:
        ConfigError: A message split has too few sessions.
    """
    sizes = {name: _looked_at(name, count) for name, count in counts.items()}
    found: dict[str, list[SessionOrder]] = {}
    addresses: set[str] = set()
    for name, units in unique_drafts(key, sizes).items():
        addresses.update(address for unit in units for draft in unit for address in draft.addresses)
        drafts = [draft for unit in units for draft in unit if draft.plain.entry is not None]
        if len(drafts) < counts[name]:
            raise ConfigError(
                f"Message split '{name}' has {len(drafts)} sessions that name an entry, {counts[name]} chains need "
                "one: lower the number in pool.toml."
            )
        found[name] = [SessionOrder(name, draft) for draft in drafts[: counts[name]]]
    return SessionPlan(found, frozenset(addresses))


def _looked_at(split: str, count: int) -> int:
    """Return how many sessions to draft; some of an endless split name no entry."""
    plan = get_plan(split)
    return count + count // 4 + 20 if plan.endless else plan.sessions


def write_order(key: bytes, order: SessionOrder) -> WrittenSession:
    """Write one session; for worker processes too.

    Args:
        key: Key of the whole set.
        order: What the session is to be.

    Raises:
        ConfigError: Too few recipes were found for it.
    """
    plan = get_plan(order.split)
    return _written(write_variants(plan, key, order.draft, 1 if order.split == HARD else VARIANTS))


def demo_sessions(key: bytes, count: int, taken: Collection[str]) -> list[WrittenSession]:
    """Return the sessions of the demonstration split: of the published kind, with entries that no other split has.

    Args:
        key: Key of the whole set.
        count: How many.
        taken: Addresses of the other splits.
    """
    own, bank, known = derive_key(key, "chains", DEMO), load_bank(pool=Pool.TRAIN), set(taken)
    found: list[WrittenSession] = []
    index = 0
    while len(found) < count:
        session = build_session(own, index, platform=PAPER_PLATFORMS[index % len(PAPER_PLATFORMS)], bank=bank)
        if session.gold.entry is not None and session.gold.entry not in known:
            known.add(session.gold.entry)
            found.append(_written(session))
        index += 1
    return found


def _written(session: Session) -> WrittenSession:
    assert session.gold.entry is not None, "only sessions that name an entry are written"
    row = session.model_dump(mode="json")
    return WrittenSession(
        entry=session.gold.entry,
        variants=canonical_json(row["variants"]),
        recipes=canonical_json(row["recipes"]),
        gold=canonical_json(row["gold"]),
    )
