"""Changing a release and pinning it anew, as one who forges it would."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from riskchain_gym.benchmark.audit import CHECKS, audit_release
from riskchain_gym.benchmark.audited import AuditedRelease
from riskchain_gym.benchmark.release_manifest import SplitRecord, content_sha256, load_release
from riskchain_gym.protocol.model import canonical_json

Row = dict[str, Any]


def statuses(folder: Path, certificates: int | None = 1) -> dict[str, str]:
    """Return the status of every check of the audit."""
    return {result.name: result.status for result in audit_release(folder, certificates=certificates)}


def offenders(folder: Path, check: str) -> tuple[str, ...]:
    """Return what one check of the audit names."""
    if check not in CHECKS:
        return next(result.offenders for result in audit_release(folder, certificates=1) if result.name == check)
    found = CHECKS[check](AuditedRelease(folder, load_release(folder), None))
    return tuple(found.offenders)


def first(change: Callable[[Row], object]) -> Callable[[list[Row]], object]:
    """Return a change of all rows that changes the first."""
    return lambda rows: change(rows[0])


def replant(folder: Path, file: str, change: Callable[[list[Row]], object]) -> None:
    """Change the rows of a file and write its hash, and the hash of all hashes, into the manifests."""
    path = folder / file
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(rows)
    data = "".join(f"{canonical_json(row)}\n" for row in rows).encode()
    path.write_bytes(data)
    found = hashlib.sha256(data).hexdigest()
    split, _, name = file.rpartition("/")

    def pin(whole: Row) -> None:
        (whole["splits"][split]["sha256"] if split else whole["sha256"])[name] = found

    if split:
        remanifest(folder / split, lambda own: own["sha256"].update({name: found}))
    remanifest(folder, pin)


def remanifest(folder: Path, change: Callable[[Row], object]) -> None:
    """Change a manifest, and the hash of all hashes in that of a release."""
    whole = json.loads((folder / "manifest.json").read_bytes())
    change(whole)
    if "splits" in whole:
        splits = {name: SplitRecord(**record) for name, record in whole["splits"].items()}
        whole["content_sha256"] = content_sha256(whole["sha256"], splits)
    (folder / "manifest.json").write_text(json.dumps(whole), encoding="utf-8")
