"""Building a split: sites and messages are made apart, then paired by a keyed shuffle."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.plan import SplitPlan
from riskchain_gym.benchmark.splits import GOLD, MANIFEST, PUBLIC, SplitManifest
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import build_session
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, key_from_seed, keyed_id
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.build import build_site

Chain = tuple[PublicChain, GoldChain]


def build_chains(plan: SplitPlan, split: str, progress: Callable[[int], None] | None = None) -> list[Chain]:
    """Build every chain of a plan; the same plan and name always give the same values.

    Which message leads to which site is a keyed shuffle, so that wording tells nothing of the label.

    Args:
        plan: What to build.
        split: Name of the split, part of every label that randomness is drawn under.
        progress: Called with the number of chains built so far.

    Returns:
        Public and gold bundle of each chain, sorted by chain id.
    """
    key = derive_key(key_from_seed(plan.seed), "split", split)
    names = [name for name, count in sorted(plan.archetypes.items()) for _ in range(count)]
    sessions = list(range(len(names)))
    KeyedRandom(key, "pairing").shuffle(sessions)
    bank = load_bank(pool=Pool.TRAIN)
    chains: list[Chain] = []
    for ordinal, (archetype, index) in enumerate(zip(names, sessions, strict=True)):
        chain_id = keyed_id(key, "chain", str(ordinal))
        site, site_gold = build_site(archetype, key, str(ordinal))
        platform = PAPER_PLATFORMS[index % len(PAPER_PLATFORMS)]
        session = build_session(key, index, platform=platform, bank=bank)
        public = PublicChain(chain_id=chain_id, variants=session.variants, recipes=session.recipes, site=site)
        chains.append((public, GoldChain(chain_id=chain_id, message=session.gold, site=site_gold)))
        if progress is not None:
            progress(ordinal + 1)
    return sorted(chains, key=lambda chain: chain[0].chain_id)


def write_split(chains: list[Chain], plan: SplitPlan, split: str, folder: Path) -> SplitManifest:
    """Write a split's files, each atomically, the manifest last.

    Args:
        chains: What :func:`build_chains` returned.
        plan: The plan they were built from.
        split: Name of the split.
        folder: Folder to write into; made if missing.
    """
    files = {
        PUBLIC: "".join(f"{canonical_json(public)}\n" for public, _ in chains),
        GOLD: "".join(f"{canonical_json(gold)}\n" for _, gold in chains),
    }
    manifest = SplitManifest(
        split=split,
        origin="open",
        seed=plan.seed,
        chains=len(chains),
        decisions=dict(sorted(Counter(str(gold.site.decision) for _, gold in chains).items())),
        archetypes=dict(sorted(plan.archetypes.items())),
        versions=versions(),
        sha256={name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    )
    for name, text in files.items():
        write_atomically(folder / name, text.encode())
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    return manifest
