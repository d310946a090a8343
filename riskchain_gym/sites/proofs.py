"""Many proofs: sites drawn anew, or those that a pool holds with their certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ConfigDict

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.certificate import Certificate, check_certificate
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.find import GOLD, SITES, lines_of
from riskchain_gym.sites.library import Library

CERTIFICATES = "certificates.jsonl"
"""File of a pool with a certificate a line; it stands beside the splits."""

POOL = "pool.jsonl"
"""File of a built pool with a row for each of its sites, those that no split took included."""

M = TypeVar("M", bound=Frozen)


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

    Every id must have one bundle, one gold and one certificate. Splits may have a site in common when they say the same
    of it. Of a site that no split took, a built pool holds the certificate and the row in :data:`POOL` alone.

    Args:
        folder: Folder of a built pool, of one split of it, or of bare bundles with their certificates.

    Raises:
        InputFileError: A file is missing or a line of it is wrong.
    """
    beside = (folder / CERTIFICATES).is_file() or not (folder.parent / CERTIFICATES).is_file()
    sites, golds = _Table(folder, SITES, CompiledSite), _Table(folder, GOLD, SiteGold)
    certificates = _Table(folder if beside else folder.parent, CERTIFICATES, Certificate)
    ids = {**sites.found, **golds.found}
    if beside:
        left_out = {row.site_id for _, row in lines_of(folder, POOL, _Row)} if (folder / POOL).is_file() else set()
        ids |= {site_id: certificates.found[site_id] for site_id in certificates.found if site_id not in left_out}
    return len(ids), (_checked(site_id, sites, golds, certificates) for site_id in ids)


class _Row(Frozen):
    """As much of a pool's row as says which site it is of."""

    model_config = ConfigDict(extra="ignore")
    site_id: str


class _Table(Generic[M]):
    """One file of every split: what it says of each site, and of which sites it says it twice or in two ways."""

    def __init__(self, folder: Path, name: str, model: type[M]) -> None:
        self.name = name
        self.found: dict[str, M] = {}
        self.problems: dict[str, str] = {}
        lines: set[tuple[Path, str]] = set()
        for path, row in lines_of(folder, name, model):
            site_id = str(getattr(row, "site_id", ""))
            if (path, site_id) in lines:
                self.problems[site_id] = f"stands twice in {path.parent.name}/{name}"
            elif self.found.setdefault(site_id, row) != row:
                self.problems[site_id] = f"is not the same in every {name}"
            lines.add((path, site_id))

    def problem(self, site_id: str) -> str | None:
        """Return why it does not say exactly one thing of a site, or ``None``."""
        return self.problems.get(site_id, None if site_id in self.found else f"is missing from {self.name}")


def _checked(
    site_id: str, sites: _Table[CompiledSite], golds: _Table[SiteGold], certificates: _Table[Certificate]
) -> Proof:
    gold = golds.found.get(site_id)
    archetype = "?" if gold is None else gold.archetype
    problems = [what for table in (sites, golds, certificates) if (what := table.problem(site_id)) is not None]
    if problems or gold is None:
        return Proof(archetype, problem=f"site {site_id} {' and '.join(problems)}")
    try:
        check_certificate(sites.found[site_id], gold, certificates.found[site_id])
    except RiskChainError as error:
        return Proof(archetype, problem=str(error))
    return Proof(archetype, certificates.found[site_id].steps)
