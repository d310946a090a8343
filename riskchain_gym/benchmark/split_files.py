"""Writing a split: its two files, and the manifest that pins them, last."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from riskchain_gym.benchmark.splits import GOLD, MANIFEST, PUBLIC, SplitManifest
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.files import write_atomically


def write_split_files(
    folder: Path,
    split: str,
    public: Iterable[str],
    gold: Iterable[str],
    *,
    seed: int | None,
    kinds: Iterable[tuple[Decision, str]],
    labels_sha256: str | None = None,
) -> SplitManifest:
    """Write a split, every file atomically.

    The manifest lies beside the public file wherever that goes, so that of a sealed split counts no labels, and the
    gold of a sealed split can be read by its owner alone.

    Args:
        folder: Folder to write into; made if missing.
        split: Name of the split.
        public: Lines of the public file, a chain each.
        gold: Lines of the gold file, likewise.
        seed: The public seed, or ``None`` for a sealed split.
        kinds: Label and archetype of each chain.
        labels_sha256: SHA-256 of the frozen labels that the gold has, where people gave them.

    Raises:
        OSError: A file cannot be written.
    """
    files = {PUBLIC: "".join(public).encode(), GOLD: "".join(gold).encode()}
    told = list(kinds)
    sealed = seed is None
    manifest = SplitManifest(
        split=split,
        origin="sealed" if sealed else "open",
        seed=seed,
        chains=len(told),
        decisions={} if sealed else dict(sorted(Counter(str(decision) for decision, _ in told).items())),
        archetypes={} if sealed else dict(sorted(Counter(archetype for _, archetype in told).items())),
        versions=versions(),
        sha256={name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        labels_sha256=labels_sha256,
    )
    for name, data in files.items():
        write_atomically(folder / name, data, private=sealed and name == GOLD)
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    return manifest
