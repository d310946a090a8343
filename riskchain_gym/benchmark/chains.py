"""Chains of a split: each site behind one session, by a keyed shuffle that knows no label."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.pool import BuiltSite
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.sessions import WrittenSession
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, keyed_id
from riskchain_gym.protocol.model import canonical_json

_PUBLIC_VERSION = PublicChain.model_fields["schema_version"].default
_GOLD_VERSION = GoldChain.model_fields["schema_version"].default


@dataclass(frozen=True)
class ChainRows:
    """One chain as the lines of its split's files.

    Attributes:
        chain_id: Opaque id.
        row: The site's row in the pool.
        public: Line of the public file.
        gold: Line of the gold file.
    """

    chain_id: str
    row: PoolSite
    public: str
    gold: str


def places(key: bytes, split: str, count: int, *, shuffled_as: str) -> list[tuple[str, int]]:
    """Return the chain id of each site of a split, in order of number, and the place of the session it stands behind.

    Args:
        key: Key of the whole set.
        split: Name of the split.
        count: Number of its chains.
        shuffled_as: Name of the split whose shuffle to use: its own, or that of another split with the same sites.
    """
    own = derive_key(key, "chains", split)
    order = list(range(count))
    KeyedRandom(derive_key(key, "chains", shuffled_as), "pairing").shuffle(order)
    return [(keyed_id(own, "chain", str(number)), place) for number, place in enumerate(order)]


def pair(
    key: bytes, split: str, sites: Sequence[BuiltSite], sessions: Sequence[WrittenSession], *, shuffled_as: str
) -> list[ChainRows]:
    """Return the chains of a split, sorted by chain id.

    Args:
        key: Key of the whole set.
        split: Name of the split.
        sites: Its sites, in order of number.
        sessions: As many sessions, in the order of their message split.
        shuffled_as: Name of the split whose shuffle to use: its own, or that of another split with the same sites.
    """
    chains: list[ChainRows] = []
    for site, (chain_id, place) in zip(sites, places(key, split, len(sessions), shuffled_as=shuffled_as), strict=True):
        session = sessions[place]
        public = {
            "schema_version": _PUBLIC_VERSION,
            "chain_id": chain_id,
            "variants": json.loads(session.variants),
            "recipes": json.loads(session.recipes),
            "site": json.loads(site.public),
        }
        gold = {
            "schema_version": _GOLD_VERSION,
            "chain_id": chain_id,
            "message": json.loads(session.gold),
            "site": json.loads(site.gold),
        }
        chains.append(ChainRows(chain_id, site.row, f"{canonical_json(public)}\n", f"{canonical_json(gold)}\n"))
    return sorted(chains, key=lambda chain: chain.chain_id)
