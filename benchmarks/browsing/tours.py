"""What is done on every site: open it, then click links of its navigation, each of which shows another page."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.session import SiteSession

SPLIT = "mini"


@dataclass(frozen=True)
class Tour:
    """A chain, and the names of the links to click one after the other with the path that each leads to."""

    chain: str
    clicks: tuple[tuple[str, str], ...]


def sites() -> dict[str, CompiledSite]:
    """Return the sites of the split by chain."""
    return {chain.chain_id: chain.site for chain in load_public(SPLIT) if isinstance(chain.site, CompiledSite)}


def tours(clicks: int) -> list[Tour]:
    """Return a tour of every site that has one of that many clicks, its links taken round and round."""
    found = []
    for chain, site in sites().items():
        session = SiteSession(site)
        here, names = "/", [link.text for link in site.nav]
        steps: list[tuple[str, str]] = []
        for i in range(1, 2 * (clicks + len(names)) + 1):
            if not names or len(steps) == clicks:
                break
            link = site.nav[i % len(names)]
            page = session.open(link.to).page
            if page is None or page.path == here or names[0] not in page.lines():
                break
            here = page.path
            steps.append((link.text, here))
        if len(steps) == clicks:
            found.append(Tour(chain, tuple(steps)))
    return found
