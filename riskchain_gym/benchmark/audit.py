"""The audit of a release: files, numbers, what must be apart, what must not be told, messages and certificates."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from riskchain_gym.benchmark.audit_numbers import check_apart, check_numbers, check_pool
from riskchain_gym.benchmark.audit_pairing import check_messages, check_pairing, why_not_drawn
from riskchain_gym.benchmark.audit_words import check_ids, check_public
from riskchain_gym.benchmark.audited import AuditedRelease
from riskchain_gym.benchmark.pool_plan import SELECTED
from riskchain_gym.benchmark.release_manifest import POOL, SplitRecord, content_sha256, load_release
from riskchain_gym.benchmark.sessions import HARD
from riskchain_gym.benchmark.splits import MANIFEST, read_split_manifest
from riskchain_gym.messages.audit.result import CheckResult, Findings
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.certificate import certificate_of, check_certificate
from riskchain_gym.sites.certify import CertificateError

NOT_PINNED = "files are not the ones that the manifest pins: mend what `files` names, or build again"
"""Why nothing but the files was checked."""

NO_POOL = "the folder holds no pool; it has one when built without --only, or with another split than 'mini'"
"""Why the check ``pool`` is skipped, and what to do to have it run."""


def audit_release(folder: Path, *, certificates: int | None = 100) -> list[CheckResult]:
    """Check a folder that ``riskchain build sites`` wrote.

    Args:
        folder: The folder, gold included.
        certificates: How many certificates to walk, evenly over the splits; all when ``None``.

    Returns:
        The result of each check. When files are wrong the others are skipped.

    Raises:
        InputFileError: The folder holds no release, or a file of it is malformed.
    """
    release = AuditedRelease(folder, load_release(folder), certificates)
    pinned, strays = _pinned(release), _strays(release)
    results = [pinned.result("files"), strays.result("strays")]
    for name, check in CHECKS.items():
        if pinned.breaches:
            results.append(CheckResult(name=name, status="SKIPPED", looked_at=NOT_PINNED))
        elif name == "pool" and POOL not in release.manifest.sha256:
            results.append(CheckResult(name=name, status="SKIPPED", looked_at=NO_POOL))
        elif name == "pairing" and (why := why_not_drawn(release)):
            found = check(release)
            without = (
                f"{why}; {found.count:,} chains of '{HARD}' were compared with '{SELECTED}'" if found.count else why
            )
            skipped = CheckResult(name=name, status="SKIPPED", looked_at=without)
            results.append(found.result(name) if found.breaches else skipped)
        else:
            results.append(check(release).result(name))
    return results


def _pinned(release: AuditedRelease) -> Findings:
    findings = Findings("files")
    manifest = release.manifest
    pinned = [*manifest.sha256.items()]
    pinned += [
        (f"{name}/{file}", value) for name, split in manifest.splits.items() for file, value in split.sha256.items()
    ]
    for file, value in pinned:
        findings.count += 1
        path = release.folder / file
        if not path.is_file():
            findings.add(file, "is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != value:
            findings.add(file, "is not the file that the manifest pins")
    if content_sha256(manifest.sha256, manifest.splits) != manifest.content_sha256:
        findings.add(MANIFEST, "content_sha256 is not the hash of its hashes")
    if (manifest.seed is None, manifest.key_commitment is not None) != (manifest.origin == "sealed",) * 2:
        findings.add(MANIFEST, f"is {manifest.origin}, and so needs {_NEEDS[manifest.origin]}")
    for name, split in manifest.splits.items():
        findings.count += 1
        if problem := _manifest_problem(release, name, split):
            findings.add(f"{name}/{MANIFEST}", problem)
    return findings


_NEEDS = {"open": "a seed and no key commitment", "sealed": "a key commitment and no seed"}


def _manifest_problem(release: AuditedRelease, name: str, record: SplitRecord) -> str:
    if not (release.folder / name / MANIFEST).is_file():
        return "is missing"
    try:
        found = read_split_manifest(release.folder / name)
    except InputFileError as error:
        return f"is malformed ({error.field}: {error.problem})"
    whole = release.manifest
    if (found.split, found.origin, found.seed) != (name, whole.origin, whole.seed):
        return "is of another split, origin or seed"
    if (found.chains, found.sha256) != (record.chains, record.sha256):
        return "has another number of chains or other hashes than the release"
    told = {} if whole.origin == "sealed" else record.counts.get("decision", {})
    return "" if found.decisions == told else f"counts labels as {found.decisions}, not as {told}"


def _strays(release: AuditedRelease) -> Findings:
    """Report whatever lies in the folder and is no part of the release."""
    findings = Findings("entries of the folder")
    manifest = release.manifest
    known = {MANIFEST, *manifest.sha256}
    for name, split in manifest.splits.items():
        known |= {name, f"{name}/{MANIFEST}", *(f"{name}/{file}" for file in split.sha256)}
    for path in sorted(release.folder.rglob("*")):
        findings.count += 1
        inside = path.relative_to(release.folder).as_posix()
        if inside not in known or path.is_symlink():
            findings.add(inside, "is no part of the release")
    return findings


def _certificates(release: AuditedRelease) -> Findings:
    """Walk certificates; those of sites in no split cannot be walked, for their pages are nowhere on disk."""
    pairs = [(name, public, gold) for name, found in release.chains.items() for public, gold in found if name != HARD]
    held = {public.site.site_id for _, public, _ in pairs}
    rest = len(release.pool.keys() - held)
    without = f"; {rest:,} sites of the pool are in no split here, only building again proves theirs" if rest else ""
    findings = Findings(f"certificates walked of {len(pairs):,}{without}")
    wanted = len(pairs) if release.certificates is None else min(len(pairs), release.certificates)
    for place in range(wanted):
        name, public, gold = pairs[place * len(pairs) // wanted]
        findings.count += 1
        proof = release.proofs.get(public.site.site_id)
        try:
            if proof is not None:
                check_certificate(public.compiled_site, gold.site, proof)
            elif release.proofs:
                findings.add(f"{name} {public.chain_id}", "its site has no certificate")
            else:
                certificate_of(public.compiled_site, gold.site)
        except CertificateError as error:
            findings.add(f"{name} {public.chain_id}", str(error))
    return findings


CHECKS: Mapping[str, Callable[[AuditedRelease], Findings]] = {
    "numbers": check_numbers,
    "pool": check_pool,
    "apart": check_apart,
    "ids": check_ids,
    "public": check_public,
    "messages": check_messages,
    "pairing": check_pairing,
    "certificates": _certificates,
}
"""What is checked beside the files, by name."""
