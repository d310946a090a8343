"""The manifest of a release: what it holds, and the hashes that freeze it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from riskchain_gym.benchmark.quotas import Quotas
from riskchain_gym.benchmark.splits import MANIFEST
from riskchain_gym.protocol.invalid import read_model
from riskchain_gym.protocol.model import Frozen, sha256_of

POOL, CERTIFICATES = "pool.jsonl", "certificates.jsonl"
"""Files beside the folders of the splits; both are gold, never shown to an agent."""

Origin = Literal["open", "sealed"]


class SelectionRecord(Frozen):
    """How ``test`` was selected.

    Attributes:
        solver: Name of the solver.
        status: What it came to.
        weight: Sum of the weights chosen.
        runner_up: The greatest sum of any other choice; ``None`` when no other meets the numbers.
        sha256: SHA-256 of the canonical JSON of the sorted site ids.
    """

    solver: str
    status: str
    weight: int
    runner_up: int | None
    sha256: str


class SplitRecord(Frozen):
    """One split of a release.

    Attributes:
        chains: Number of chains.
        hosts: Number of host families its sites come from.
        counts: Sites by attribute and value.
        sha256: SHA-256 by file name.
    """

    chains: int
    hosts: int
    counts: dict[str, dict[str, int]]
    sha256: dict[str, str]


class ReleaseManifest(Frozen):
    """What a release holds, and the hashes that freeze it.

    Attributes:
        origin: ``open`` (a public seed) or ``sealed`` (a secret key).
        seed: The public seed, or ``None`` for a sealed release.
        key_commitment: What may be published of the secret of a sealed release, or ``None``.
        versions: Versions of what made it; no hash covers them.
        made_from_sha256: SHA-256 of the content folder it was made from; no other hash covers it.
        pool_sites: Number of sites of the pool; 0 where no pool was built.
        pool_hosts: Number of its host families.
        pool_counts: Its sites by attribute and value.
        quotas: What the selection had to come to, or ``None`` where no pool was built.
        selection: How it was made, likewise.
        sha256: SHA-256 of the files beside the splits, by name.
        splits: Its splits.
        content_sha256: One hash of all other hashes.
    """

    schema_version: Literal["riskchain-sites/v1"] = "riskchain-sites/v1"
    origin: Origin
    seed: int | None
    key_commitment: str | None
    versions: dict[str, str]
    made_from_sha256: str
    pool_sites: int
    pool_hosts: int
    pool_counts: dict[str, dict[str, int]]
    quotas: Quotas | None
    selection: SelectionRecord | None
    sha256: dict[str, str]
    splits: dict[str, SplitRecord]
    content_sha256: str


def content_sha256(files: dict[str, str], splits: dict[str, SplitRecord]) -> str:
    """Return the one hash of all files of a release; versions are no part of it."""
    return sha256_of({"files": files, "splits": {name: split.sha256 for name, split in splits.items()}})


def load_release(folder: Path) -> ReleaseManifest:
    """Return the manifest of a release.

    Raises:
        InputFileError: It is missing or malformed.
    """
    return read_model(folder / MANIFEST, ReleaseManifest, "give a folder that `riskchain build sites` wrote")
