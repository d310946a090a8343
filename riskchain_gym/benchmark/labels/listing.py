"""Which id is which site: what the public data of sites says, for whoever must name one."""

from __future__ import annotations

from riskchain_gym.benchmark.labels.sources import IMPORT, ItemSites
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite


class ListedSite(Frozen):
    """A site as it can be told from others.

    Attributes:
        item_id: Its id, in plans and in files of labels.
        language: Language of its landing page.
        title: Title of its landing page.
        operator: Name in its header, ``""`` of a captured site.
        chains: Chains of the split that lead to it; a file of labels may name one in place of the site.
        folder: Import folder that it lies in, ``""`` of a site of a split.
    """

    item_id: str
    language: str
    title: str
    operator: str
    chains: tuple[str, ...]
    folder: str


def listed_sites(sites: ItemSites) -> tuple[ListedSite, ...]:
    """Return what tells sites apart, in order of id; no gold is read.

    Args:
        sites: The sites.

    Raises:
        InputFileError: A file of an import is missing, malformed or not the one that is pinned.
    """
    chains: dict[str, list[str]] = {}
    if sites.source != IMPORT:
        for chain in load_public(sites.source):
            chains.setdefault(chain.site.site_id, []).append(chain.chain_id)
    return tuple(
        ListedSite(
            item_id=item,
            language=site.lang if isinstance(site, CompiledSite) else site.replay.lang,
            title=_title(site),
            operator=site.operator if isinstance(site, CompiledSite) else "",
            chains=tuple(chains.get(item, ())),
            folder=str(sites.folders.get(item, "")),
        )
        for item, site in sites.items()
    )


def _title(site: AnySite) -> str:
    return site.pages[site.home].title if isinstance(site, CompiledSite) else site.replay.title
