"""A split of imported sites: each behind a message of ours, its label from a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from riskchain_gym.benchmark.build import Chain, write_split
from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.plan import SplitPlan
from riskchain_gym.benchmark.splits import SplitManifest
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import build_session
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain, SiteGold
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, key_from_seed, keyed_id
from riskchain_gym.sites.replay.label import SiteLabel, read_label
from riskchain_gym.sites.replay.model import ImportedSite
from riskchain_gym.sites.replay.store import load_import

ARCHETYPE = "imported"
"""What stands for the archetype of a site that was made from none."""


def build_imported(
    folders: Sequence[Path], split: str, seed: int, progress: Callable[[int], None] | None = None
) -> list[Chain]:
    """Build a chain for each imported site; the same sites, in any order, give the same values.

    Their gold has the label of a person and no evidence atoms, so citations cannot be scored against any.

    Args:
        folders: What ``riskchain sites import`` wrote, labels filled in.
        split: Name of the split.
        seed: Chooses the messages and which of them leads to which site.
        progress: Called with the number of chains built so far.

    Returns:
        Public and gold bundle of each chain, sorted by chain id.

    Raises:
        ConfigError: No folder is given, or two hold the same site.
        InputFileError: A site or its label cannot be read.
    """
    if not folders:
        raise ConfigError("There is nothing to build from: give folders that `riskchain sites import` wrote.")
    sites = sorted(((load_import(folder), read_label(folder)) for folder in folders), key=lambda each: each[0].site_id)
    repeated = [site_id for site_id, n in Counter(site.site_id for site, _ in sites).items() if n > 1]
    if repeated:
        raise ConfigError(f"The site '{repeated[0]}' is given more than once: give each imported site one time.")
    key = derive_key(key_from_seed(seed), "imported", split)
    order = list(range(len(sites)))
    KeyedRandom(key, "pairing").shuffle(order)
    bank = load_bank(pool=Pool.TRAIN)
    chains: list[Chain] = []
    for (site, label), index in zip(sites, order, strict=True):
        chain_id = keyed_id(key, "chain", site.site_id)
        session = build_session(key, index, platform=PAPER_PLATFORMS[index % len(PAPER_PLATFORMS)], bank=bank)
        public = PublicChain(chain_id=chain_id, variants=session.variants, recipes=session.recipes, site=site)
        chains.append((public, GoldChain(chain_id=chain_id, message=session.gold, site=_gold(site, label))))
        if progress is not None:
            progress(len(chains))
    return sorted(chains, key=lambda chain: chain[0].chain_id)


def write_imported(chains: list[Chain], split: str, seed: int, folder: Path) -> SplitManifest:
    """Write a split of imported sites as a whole.

    Raises:
        InputFileError: The folder holds something that is no such split.
        OSError: A file cannot be written.
    """
    return write_split(chains, SplitPlan(seed=seed, archetypes={ARCHETYPE: len(chains)}), split, folder)


def _gold(site: ImportedSite, label: SiteLabel) -> SiteGold:
    return SiteGold(
        site_id=site.site_id,
        archetype=ARCHETYPE,
        family=ARCHETYPE,
        decision=label.decision,
        violation_type=label.violation_type,
        secondary_types=label.secondary_types,
        label_source="human",
        atoms=(),
        path=(),
        depth=label.depth,
        track="L2_OBSERVATION",
        lang=site.replay.lang,
    )
