"""A release as its audit sees it, every file read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.release_manifest import CERTIFICATES, POOL, ReleaseManifest
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.sites.certificate import Certificate

M = TypeVar("M", bound=Frozen)


@dataclass(frozen=True)
class AuditedRelease:
    """A release as the checks see it.

    Attributes:
        folder: Where it is.
        manifest: Its manifest.
        certificates: How many certificates to walk; all when ``None``.
    """

    folder: Path
    manifest: ReleaseManifest
    certificates: int | None

    @cached_property
    def pool_rows(self) -> tuple[PoolSite, ...]:
        """Rows of the pool as they stand in its file; none for a release without one."""
        return self._rows(POOL, PoolSite)

    @cached_property
    def pool(self) -> dict[str, PoolSite]:
        """Rows of the pool by site id."""
        return {row.site_id: row for row in self.pool_rows}

    @cached_property
    def proof_rows(self) -> tuple[Certificate, ...]:
        """Certificates as they stand in their file."""
        return self._rows(CERTIFICATES, Certificate)

    @cached_property
    def proofs(self) -> dict[str, Certificate]:
        """Certificates by site id."""
        return {row.site_id: row for row in self.proof_rows}

    @cached_property
    def public(self) -> dict[str, tuple[PublicChain, ...]]:
        """Public chains by split, sorted by id."""
        return {name: load_public(f"{self.folder / name}/") for name in self.manifest.splits}

    @cached_property
    def gold(self) -> dict[str, dict[str, GoldChain]]:
        """Gold by split and chain id."""
        return {name: dict(load_gold(f"{self.folder / name}/")) for name in self.manifest.splits}

    @cached_property
    def chains(self) -> dict[str, list[tuple[PublicChain, GoldChain]]]:
        """Both bundles of every chain that has both, by split."""
        return {
            name: [(chain, self.gold[name][chain.chain_id]) for chain in chains if chain.chain_id in self.gold[name]]
            for name, chains in self.public.items()
        }

    @cached_property
    def site_hashes(self) -> dict[str, str]:
        """SHA-256 of the canonical JSON of each chain's site, by chain id."""
        return {chain.chain_id: sha256_of(chain.site) for chains in self.public.values() for chain in chains}

    def _rows(self, name: str, model: type[M]) -> tuple[M, ...]:
        if name not in self.manifest.sha256:
            return ()
        path = self.folder / name
        rows = []
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                rows.append(model.model_validate_json(line))
            except ValidationError as error:
                raise invalid(path, error, f"line {number}") from error
        return tuple(rows)
