"""Certificates: the way through a site, bound to the site, to its gold and to every page that the way shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from riskchain_gym.protocol.gold import PathStep, SiteGold
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.sites.certify import CertificateError, prove
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.grade import grades_of
from riskchain_gym.sites.pageview import PageView


class Certificate(Frozen):
    """The proof that what decides a site's label can be seen within the budget; gold, never shown to an agent.

    Attributes:
        site_id: The site's opaque id.
        site_sha256: SHA-256 of the canonical JSON of its public bundle.
        gold_sha256: SHA-256 of the canonical JSON of its gold: label, atoms, path, grades and whatever else it holds.
        path: The way through, as in its gold.
        steps: Number of actions on it.
        pages: SHA-256 of the canonical JSON of each page shown on the way: the landing page, then the page after each
            action other than filling in a field.
    """

    schema_version: Literal["riskchain-certificate/v1"] = "riskchain-certificate/v1"
    site_id: str
    site_sha256: str
    gold_sha256: str
    path: tuple[PathStep, ...]
    steps: int
    pages: tuple[str, ...]


def certificate_of(site: CompiledSite, gold: SiteGold) -> Certificate:
    """Return the certificate of a site, proved anew.

    Args:
        site: The public bundle.
        gold: Its gold, path included.

    Raises:
        CertificateError: The label or the path does not hold, see :func:`~riskchain_gym.sites.certify.prove`; the gold
            is not of this site, or its depth, difficulty or ``click_replay`` is not what the path has.
    """
    pages = prove(site, gold)
    found = {"site_id": site.site_id, "lang": site.lang, **vars(grades_of(site, gold, pages))}
    for name, now in found.items():
        if (given := getattr(gold, name)) != now:
            raise CertificateError(f"The gold of site {gold.site_id} says {name} is '{given}', the site has '{now}'.")
    return sealed(site, gold, pages)


def sealed(site: CompiledSite, gold: SiteGold, pages: Sequence[PageView]) -> Certificate:
    """Return the certificate of a site whose proof has shown these pages."""
    return Certificate(
        site_id=site.site_id,
        site_sha256=sha256_of(site),
        gold_sha256=sha256_of(gold),
        path=gold.path,
        steps=len(gold.path),
        pages=tuple(sha256_of(page.canonical()) for page in pages),
    )


def check_certificate(site: CompiledSite, gold: SiteGold, certificate: Certificate) -> None:
    """Prove a site anew and compare everything with its certificate.

    Args:
        site: The public bundle.
        gold: Its gold.
        certificate: Its certificate, e.g. as a pool holds it.

    Raises:
        CertificateError: The proof does not hold, or something is not what was certified; the text names what.
    """
    found = certificate_of(site, gold)
    for name in ("site_id", "site_sha256", "path", "steps", "gold_sha256"):
        given, now = getattr(certificate, name), getattr(found, name)
        if given != now:
            what = "another path" if name == "path" else f"'{given}' where the site has '{now}'"
            raise CertificateError(f"The certificate of site {site.site_id} does not fit it: {name} is {what}.")
    if certificate.pages != found.pages:
        pairs = enumerate(zip(certificate.pages, found.pages, strict=False))
        first = next((i for i, (given, now) in pairs if given != now), min(len(certificate.pages), len(found.pages)))
        raise CertificateError(
            f"The certificate of site {site.site_id} does not fit it: page {first} of the way is not the one certified "
            f"({len(certificate.pages)} pages certified, {len(found.pages)} shown)."
        )
