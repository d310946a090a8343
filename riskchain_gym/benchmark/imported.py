"""A split of imported sites: each behind a message of ours, its label from people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from riskchain_gym.benchmark.build import Chain, write_split
from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.imported_gold import ARCHETYPE, frozen_gold, labelled_gold
from riskchain_gym.benchmark.labels.frozen import FrozenLabels
from riskchain_gym.benchmark.plan import SplitPlan
from riskchain_gym.benchmark.splits import SplitManifest
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import build_session
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, key_from_seed, keyed_id
from riskchain_gym.sites.replay.store import load_import


def build_imported(
    folders: Sequence[Path],
    split: str,
    seed: int,
    progress: Callable[[int], None] | None = None,
    *,
    labels: FrozenLabels | None = None,
) -> list[Chain]:
    """Build a chain for each imported site; the same sites, in any order, give the same values.

    Their gold has the label that people gave and no evidence atoms, so citations cannot be scored against any.

    Args:
        folders: What ``riskchain sites import`` wrote; labels filled in, unless ``labels`` has them.
        split: Name of the split.
        seed: Chooses the messages and which of them leads to which site.
        progress: Called with the number of chains built so far.
        labels: Labels that people settled on and froze; those of the label files by default.

    Returns:
        Public and gold bundle of each chain, sorted by chain id.

    Raises:
        ConfigError: No folder is given, two hold the same site, or ``labels`` has none of a site.
        InputFileError: A site or its label cannot be read, or a label file and ``labels`` differ.
    """
    if not folders:
        raise ConfigError("There is nothing to build from: give folders that `riskchain sites import` wrote.")
    sites = sorted(((load_import(folder), folder) for folder in folders), key=lambda each: each[0].site_id)
    repeated = [site_id for site_id, n in Counter(site.site_id for site, _ in sites).items() if n > 1]
    if repeated:
        raise ConfigError(f"The site '{repeated[0]}' is given more than once: give each imported site one time.")
    golds = [labelled_gold(*each) for each in sites] if labels is None else frozen_gold(sites, labels)
    key = derive_key(key_from_seed(seed), "imported", split)
    order = list(range(len(sites)))
    KeyedRandom(key, "pairing").shuffle(order)
    bank = load_bank(pool=Pool.TRAIN)
    chains: list[Chain] = []
    for (site, _), gold, index in zip(sites, golds, order, strict=True):
        chain_id = keyed_id(key, "chain", site.site_id)
        session = build_session(key, index, platform=PAPER_PLATFORMS[index % len(PAPER_PLATFORMS)], bank=bank)
        public = PublicChain(chain_id=chain_id, variants=session.variants, recipes=session.recipes, site=site)
        chains.append((public, GoldChain(chain_id=chain_id, message=session.gold, site=gold)))
        if progress is not None:
            progress(len(chains))
    return sorted(chains, key=lambda chain: chain[0].chain_id)


def write_imported(
    chains: list[Chain], split: str, seed: int, folder: Path, *, labels: FrozenLabels | None = None
) -> SplitManifest:
    """Write a split of imported sites as a whole; its manifest names the frozen labels that it has.

    Raises:
        InputFileError: The folder holds something that is no such split.
        OSError: A file cannot be written.
    """
    plan = SplitPlan(seed=seed, archetypes={ARCHETYPE: len(chains)})
    return write_split(chains, plan, split, folder, labels_sha256=labels.content_sha256 if labels else None)
