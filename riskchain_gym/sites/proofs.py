"""Many proofs: sites drawn anew, or those that a pool holds with their certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.certificate import Certificate, check_certificate
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.find import GOLD, SITES, rows
from riskchain_gym.sites.library import Library

CERTIFICATES = "certificates.jsonl"
"""File of a pool with a certificate a line; it stands beside the splits."""


@dataclass(frozen=True)
class Proof:
    """The outcome for one site.

    Attributes:
        archetype: Name of its archetype.
        steps: Actions on the way that was proved; 0 when none was.
        problem: What keeps it from being certified, ``""`` when nothing does.
    """

    archetype: str
    steps: int = 0
    problem: str = ""


def prove_archetypes(names: Sequence[str], key: bytes, count: int, content: Library) -> Iterator[Proof]:
    """Yield the outcome of building and certifying sites of some archetypes, in every language they have in turn.

    Args:
        names: The archetypes.
        key: Key that the sites are drawn under.
        count: Sites of each.
        content: The content folder.
    """
    for name in names:
        languages = content.languages(name)
        for i in range(count):
            lang = languages[i % len(languages)]
            try:
                made = build_certified_site(name, key, f"{name} {i + 1}", lang=lang, content=content)
                check_certificate(*made)
            except RiskChainError as error:
                yield Proof(name, problem=f"site {i + 1} ({lang}): {error}")
            else:
                yield Proof(name, made[2].steps)


def prove_pool(folder: Path) -> tuple[int, Iterator[Proof]]:
    """Return the number of sites of a pool and, as it is made, the outcome of checking the certificate of each.

    Args:
        folder: Folder of a built pool, of one split of it, or of bare bundles with their certificates.

    Raises:
        InputFileError: A file is missing or a line of it is wrong.
    """
    sites = list(rows(folder, SITES, CompiledSite))
    golds = {gold.site_id: gold for gold in rows(folder, GOLD, SiteGold)}
    beside = (folder / CERTIFICATES).is_file() or not (folder.parent / CERTIFICATES).is_file()
    certificates = {each.site_id: each for each in rows(folder if beside else folder.parent, CERTIFICATES, Certificate)}
    return len(sites), (_checked(s, golds.get(s.site_id), certificates.get(s.site_id)) for s in sites)


def _checked(site: CompiledSite, gold: SiteGold | None, certificate: Certificate | None) -> Proof:
    if gold is None or certificate is None:
        return Proof("?" if gold is None else gold.archetype, problem=f"site {site.site_id} has no gold or certificate")
    try:
        check_certificate(site, gold, certificate)
    except RiskChainError as error:
        return Proof(gold.archetype, problem=str(error))
    return Proof(gold.archetype, certificate.steps)
