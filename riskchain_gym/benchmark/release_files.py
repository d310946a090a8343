"""A release on disk: its pool, certificates and split folders, and the manifest that pins them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from riskchain_gym.benchmark.chains import ChainRows
from riskchain_gym.benchmark.earlier import earlier_release
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.provenance import content_folder_sha256, made_by
from riskchain_gym.benchmark.quotas import ATTRIBUTES
from riskchain_gym.benchmark.release import Release
from riskchain_gym.benchmark.release_manifest import (
    CERTIFICATES,
    POOL,
    ReleaseManifest,
    SelectionRecord,
    SplitRecord,
    content_sha256,
)
from riskchain_gym.benchmark.split_files import write_split_files
from riskchain_gym.benchmark.splits import MANIFEST
from riskchain_gym.benchmark.whole_folder import check_place, replacing
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import canonical_json, sha256_of
from riskchain_gym.sites.library import Library, library


def counts_of(rows: Iterable[PoolSite]) -> dict[str, dict[str, int]]:
    """Return how many sites have each value of each attribute."""
    found: dict[str, Counter[str]] = {name: Counter() for name in ATTRIBUTES}
    for row in rows:
        for name, value_of in ATTRIBUTES.items():
            found[name][value_of(row)] += 1
    return {name: dict(sorted(counter.items())) for name, counter in found.items()}


def check_target(folder: Path, splits: Sequence[str], *, replace: bool) -> None:
    """Refuse a folder that a release cannot take the place of, before the work begins.

    Args:
        folder: The folder.
        splits: Names of the splits that the release will have.
        replace: Whether it may do away with splits of an earlier release that it will not have.

    Raises:
        InputFileError: It holds something that no build of sites wrote, or such splits, or it cannot be replaced.
    """
    check_place(folder)
    earlier_release(folder, splits, replace=replace)


def write_release(
    folder: Path,
    release: Release,
    *,
    seed: int | None,
    key_commitment: str | None,
    content: Library | None = None,
    replace: bool = False,
) -> ReleaseManifest:
    """Write a release beside its place and put it there as a whole; an earlier release is removed, and nothing else.

    Args:
        folder: Folder to write; made if missing.
        release: What :func:`riskchain_gym.benchmark.release.build_release` returned.
        seed: The public seed it was made from, or ``None`` for a secret key. Of a sealed release only the splits'
            public files and manifests may be read by others than its owner.
        key_commitment: What may be published of the secret key, or ``None``.
        content: Content folder it was made from; the project's own by default.
        replace: Whether splits of an earlier release may be removed that this one lacks.

    Raises:
        InputFileError: What is in the folder may not be replaced.
        OSError: A file cannot be written.
    """
    check_place(folder)
    made_from = content_folder_sha256((content or library()).root)
    with replacing(folder, partial(earlier_release, splits=tuple(release.splits), replace=replace)) as new:
        return _written(new, release, seed, key_commitment, made_from)


def _written(
    folder: Path, release: Release, seed: int | None, key_commitment: str | None, made_from: str
) -> ReleaseManifest:
    sealed = seed is None
    files: dict[str, bytes] = {}
    if release.pool:
        files[POOL] = "".join(f"{canonical_json(site.row)}\n" for site in release.pool).encode()
        files[CERTIFICATES] = "".join(f"{site.certificate}\n" for site in release.pool).encode()
    for name, data in files.items():
        write_atomically(folder / name, data, private=sealed)
    splits = {name: _write_split(folder / name, name, chains, seed) for name, chains in release.splits.items()}
    rows = [site.row for site in release.pool]
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    manifest = ReleaseManifest(
        origin="sealed" if sealed else "open",
        seed=seed,
        key_commitment=key_commitment,
        versions=made_by(),
        made_from_sha256=made_from,
        pool_sites=len(rows),
        pool_hosts=len({row.host_family for row in rows}),
        pool_counts=counts_of(rows),
        quotas=release.quotas,
        selection=_record(release),
        sha256=hashes,
        splits=splits,
        content_sha256=content_sha256(hashes, splits),
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n", private=sealed)
    return manifest


def _write_split(folder: Path, name: str, chains: Sequence[ChainRows], seed: int | None) -> SplitRecord:
    rows = [chain.row for chain in chains]
    manifest = write_split_files(
        folder,
        name,
        (chain.public for chain in chains),
        (chain.gold for chain in chains),
        seed=seed,
        kinds=[(row.decision, row.archetype) for row in rows],
    )
    hosts = len({row.host_family for row in rows})
    return SplitRecord(chains=len(rows), hosts=hosts, counts=counts_of(rows), sha256=manifest.sha256)


def _record(release: Release) -> SelectionRecord | None:
    found = release.selection
    if found is None:
        return None
    return SelectionRecord(**found.model_dump(exclude={"site_ids"}), sha256=sha256_of(list(found.site_ids)))
