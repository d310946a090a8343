"""The lines of the sites of ``train``, with what the gold says of each: what the reader's lexicon is fitted from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.agents.read.folding import default_folding
from riskchain_gym.agents.read.phrases import phrase_of, pieces
from riskchain_gym.benchmark.pool import planned_orders, pool_key, site_of
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.protocol.codebook import AnchorType, Component, ViolationType
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import library
from riskchain_gym.sites.slots import Slot, iter_slots

SPLIT = "train"
"""The only split that anything is learnt from."""

SEED = 2026
"""The public seed of the splits."""

_NEVER_SHOWN = (".fixture", ".alt")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")


@dataclass(frozen=True, order=True)
class GoldLine:
    """One wording of a line and what it says there.

    Attributes:
        text: The line in the lexicon's spelling, numbers left open.
        part: Its part in the codebook's rule; ``""`` for a line that decides nothing.
        violation_type: Type of a claim or an action; ``""`` for all others.
        anchor: Anchor type of an atom; ``""`` for a line that decides nothing.
    """

    text: str
    part: Component | str = ""
    violation_type: ViolationType | str = ""
    anchor: AnchorType | str = ""


Site = tuple[CompiledSite, SiteGold]


def built_sites(seed: int = SEED, split: str = SPLIT) -> Iterator[Site]:
    """Yield the sites of a split and their gold.

    Args:
        seed: Public seed of the pool.
        split: The split; only tests look at another than ``train``.
    """
    root, key = content_dir("sites"), pool_key(key_from_seed(seed))
    for order in planned_orders(key, library(root)):
        if order.part == split:
            site, gold, _ = site_of(root, key, order)
            yield site, gold


def read_sites(folder: Path) -> Iterator[Site]:
    """Yield the sites of a split that ``riskchain build sites`` wrote, and their gold.

    Args:
        folder: Folder of the split.

    Raises:
        UnknownNameError: It is no split.
        InputFileError: A file is damaged.
    """
    gold = load_gold(f"{folder}/")
    for chain in load_public(f"{folder}/"):
        if isinstance(chain.site, CompiledSite):
            yield chain.site, gold[chain.chain_id].site


def gold_lines(sites: Iterable[Site]) -> list[GoldLine]:
    """Return every wording of the lines of sites with everything that is said of it, sorted.

    Args:
        sites: Sites and their gold.
    """
    return sorted({line for site, gold in sites for line in _lines_of(site, gold)}, key=_order)


def spelling(text: str) -> str:
    """Return a text in the lexicon's spelling, numbers left open, without what is filled in when it is shown."""
    cut = pieces(default_folding().fold(_PLACEHOLDER.sub(" ", text)))
    return phrase_of(cut) if cut else ""


def shown_texts(site: CompiledSite) -> Iterator[tuple[str, str]]:
    """Yield path and text of everything that the pages of a site show in one state or another."""
    for path, page in site.pages.items():
        for slot, text, place in iter_slots(page):
            if slot is Slot.TEXT and not place.endswith(_NEVER_SHOWN):
                yield path, text


def _lines_of(site: CompiledSite, gold: SiteGold) -> Iterator[GoldLine]:
    atoms = {(atom.path, atom.text): atom for atom in gold.atoms}
    for path, text in shown_texts(site):
        if not (line := spelling(text)):
            continue
        if (atom := atoms.get((path, text))) is None:
            yield GoldLine(line)
        else:
            typed = atom.component in {Component.CLAIM, Component.ACTION}
            yield GoldLine(line, atom.component, atom.violation_type if typed else "", atom.anchor)


def _order(line: GoldLine) -> tuple[str, str, str, str]:
    return line.text, str(line.part), str(line.violation_type), str(line.anchor)
