"""A release on disk: its pool, certificates and split folders, and the manifest that pins them, written last."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from riskchain_gym.benchmark.chains import ChainRows
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.quotas import ATTRIBUTES, Quotas
from riskchain_gym.benchmark.release import Release
from riskchain_gym.benchmark.selection import Solve
from riskchain_gym.benchmark.splits import GOLD, MANIFEST, PUBLIC, SplitManifest
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen, canonical_json, sha256_of

POOL, CERTIFICATES = "pool.jsonl", "certificates.jsonl"
"""Files beside the folders of the splits; both are gold, never shown to an agent."""

Origin = Literal["open", "sealed"]


class SelectionRecord(Frozen):
    """How ``test`` was selected.

    Attributes:
        solver: Name of the solver.
        status: What it came to.
        room: How much of everything the host families were asked to have for each that is wanted.
        hosts: The program that chose host families.
        sites: The program that chose their sites.
        sha256: SHA-256 of the canonical JSON of the sorted site ids.
    """

    solver: str
    status: str
    room: float
    hosts: Solve
    sites: Solve
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
        key_sha256: SHA-256 of the secret of a sealed release, or ``None``.
        versions: Versions of what the bytes depend on.
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
    key_sha256: str | None
    versions: dict[str, str]
    pool_sites: int
    pool_hosts: int
    pool_counts: dict[str, dict[str, int]]
    quotas: Quotas | None
    selection: SelectionRecord | None
    sha256: dict[str, str]
    splits: dict[str, SplitRecord]
    content_sha256: str


def counts_of(rows: Sequence[PoolSite]) -> dict[str, dict[str, int]]:
    """Return how many sites have each value of each attribute."""
    found = {name: Counter(map(value_of, rows)) for name, value_of in ATTRIBUTES.items()}
    return {name: dict(sorted(counter.items())) for name, counter in found.items()}


def content_sha256(files: dict[str, str], splits: dict[str, SplitRecord]) -> str:
    """Return the one hash of all files of a release; versions are no part of it."""
    return sha256_of({"files": files, "splits": {name: split.sha256 for name, split in splits.items()}})


def load_release(folder: Path) -> ReleaseManifest:
    """Return the manifest of a release.

    Raises:
        InputFileError: It is missing or malformed.
    """
    path = folder / MANIFEST
    try:
        return ReleaseManifest.model_validate_json(path.read_bytes())
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), give a folder that `riskchain build sites` wrote"
        raise InputFileError(path, "", problem) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputFileError(path, ".".join(str(part) for part in first["loc"]), first["msg"]) from error


def check_target(folder: Path) -> None:
    """Refuse a folder that holds something else than a release, before a build replaces what is there.

    Raises:
        InputFileError: It holds something that no build of sites writes, or a link to somewhere else.
    """
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        inside = path.relative_to(folder).parts
        known = (PUBLIC, GOLD, MANIFEST) if len(inside) == 2 else (POOL, CERTIFICATES, MANIFEST)
        is_folder = len(inside) == 1 and path.is_dir() and (path / MANIFEST).is_file()
        named = any(inside[-1] == name or inside[-1].startswith(f".{name}.") for name in known)
        if path.is_symlink() or len(inside) > 2 or not (is_folder or (named and path.is_file())):
            problem = f"holds '{path.relative_to(folder)}', which no build of sites wrote: empty it or give another"
            raise InputFileError(folder, "", problem)
    if (folder / MANIFEST).exists():
        load_release(folder)


def write_release(folder: Path, release: Release, *, seed: int | None, key_sha256: str | None) -> ReleaseManifest:
    """Write a release, every file atomically, its manifest last; then remove what an earlier one has left.

    Args:
        folder: Folder to write into; made if missing.
        release: What :func:`riskchain_gym.benchmark.release.build_release` returned.
        seed: The public seed it was made from, or ``None`` for a secret key.
        key_sha256: SHA-256 of the secret key, or ``None``.

    Raises:
        OSError: A file cannot be written.
    """
    origin: Origin = "sealed" if seed is None else "open"
    files = {}
    if release.pool:
        files[POOL] = "".join(f"{canonical_json(site.row)}\n" for site in release.pool)
        files[CERTIFICATES] = "".join(f"{site.certificate}\n" for site in release.pool)
    for name, text in files.items():
        write_atomically(folder / name, text.encode())
    splits = {name: _write_split(folder / name, name, chains, origin, seed) for name, chains in release.splits.items()}
    rows = [site.row for site in release.pool]
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    manifest = ReleaseManifest(
        origin=origin,
        seed=seed,
        key_sha256=key_sha256,
        versions={**versions(), "pulp": version("pulp")},
        pool_sites=len(rows),
        pool_hosts=len({row.host_family for row in rows}),
        pool_counts=counts_of(rows),
        quotas=release.quotas,
        selection=_record(release),
        sha256=hashes,
        splits=splits,
        content_sha256=content_sha256(hashes, splits),
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in splits:
            shutil.rmtree(path)
        elif path.name in {POOL, CERTIFICATES} and path.name not in files:
            path.unlink()
    return manifest


def _write_split(folder: Path, name: str, chains: Sequence[ChainRows], origin: Origin, seed: int | None) -> SplitRecord:
    rows = [chain.row for chain in chains]
    files = {PUBLIC: "".join(chain.public for chain in chains), GOLD: "".join(chain.gold for chain in chains)}
    hashes = {file: hashlib.sha256(text.encode()).hexdigest() for file, text in files.items()}
    manifest = SplitManifest(
        split=name,
        origin=origin,
        seed=seed,
        chains=len(chains),
        decisions=dict(sorted(Counter(str(row.decision) for row in rows).items())),
        archetypes=dict(sorted(Counter(row.archetype for row in rows).items())),
        versions=versions(),
        sha256=hashes,
    )
    for file, text in files.items():
        write_atomically(folder / file, text.encode())
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    return SplitRecord(
        chains=len(rows), hosts=len({row.host_family for row in rows}), counts=counts_of(rows), sha256=hashes
    )


def _record(release: Release) -> SelectionRecord | None:
    found = release.selection
    if found is None:
        return None
    return SelectionRecord(**found.model_dump(exclude={"site_ids"}), sha256=sha256_of(list(found.site_ids)))
