"""Building a split: sites and messages are made apart, then paired by a keyed shuffle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.earlier import earlier_split
from riskchain_gym.benchmark.plan import SplitPlan
from riskchain_gym.benchmark.split_files import write_split_files
from riskchain_gym.benchmark.splits import SplitManifest
from riskchain_gym.benchmark.whole_folder import check_place, replacing
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import build_session
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


def write_split(
    chains: list[Chain], plan: SplitPlan, split: str, folder: Path, *, labels_sha256: str | None = None
) -> SplitManifest:
    """Write a split as a whole; an earlier build of it there is replaced.

    Args:
        chains: What :func:`build_chains` returned.
        plan: The plan they were built from.
        split: Name of the split.
        folder: Folder to write; made if missing.
        labels_sha256: SHA-256 of the frozen labels that the gold has, where people gave them.

    Raises:
        InputFileError: The folder holds anything but an earlier build of this split.
        OSError: A file cannot be written.
    """
    check_split_target(folder, split)
    with replacing(folder, partial(earlier_split, split=split)) as new:
        return write_split_files(
            new,
            split,
            (f"{canonical_json(public)}\n" for public, _ in chains),
            (f"{canonical_json(gold)}\n" for _, gold in chains),
            seed=plan.seed,
            kinds=[(gold.site.decision, gold.site.archetype) for _, gold in chains],
            labels_sha256=labels_sha256,
        )


def check_split_target(folder: Path, split: str) -> None:
    """Refuse a folder that a split cannot take the place of, before the work begins.

    Raises:
        InputFileError: It holds anything but an earlier build of this split, or it cannot be replaced.
    """
    check_place(folder)
    earlier_split(folder, split)
