"""The audit of a release: hashes, numbers, what must be apart, what must not be told, and certificates."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.pool_plan import OUT_OF_DISTRIBUTION, SELECTED
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.release_files import (
    CERTIFICATES,
    POOL,
    ReleaseManifest,
    content_sha256,
    counts_of,
    load_release,
)
from riskchain_gym.benchmark.sessions import HARD
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.messages.audit.result import CheckResult, Findings
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Component, Decision
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import Frozen, canonical_json
from riskchain_gym.sites.certificate import Certificate, certificate_of, check_certificate
from riskchain_gym.sites.certify import CertificateError

M = TypeVar("M", bound=Frozen)

_ID = re.compile(r"[a-z][a-z0-9]{11}")
_GOLD_KEYS = ('"atom":{', '"atoms":', '"archetype":', '"decision":', '"violation_type":', '"anchor":', '"host_family":')


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
    def pool(self) -> dict[str, PoolSite]:
        """Rows of the pool by site id; empty for a release without one."""
        return {row.site_id: row for row in self._rows(POOL, PoolSite)}

    @cached_property
    def proofs(self) -> dict[str, Certificate]:
        """Certificates by site id."""
        return {row.site_id: row for row in self._rows(CERTIFICATES, Certificate)}

    @cached_property
    def chains(self) -> dict[str, list[tuple[PublicChain, GoldChain]]]:
        """Both bundles of every chain, by split."""
        found: dict[str, list[tuple[PublicChain, GoldChain]]] = {}
        for name in self.manifest.splits:
            where = f"{self.folder / name}/"
            gold = load_gold(where)
            found[name] = [(public, gold[public.chain_id]) for public in load_public(where)]
        return found

    def _rows(self, name: str, model: type[M]) -> list[M]:
        if name not in self.manifest.sha256:
            return []
        path = self.folder / name
        rows = []
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                rows.append(model.model_validate_json(line))
            except ValidationError as error:
                raise InputFileError(path, f"line {number}", error.errors(include_url=False)[0]["msg"]) from error
        return rows


def audit_release(folder: Path, *, certificates: int | None = 100) -> list[CheckResult]:
    """Check a folder that ``riskchain build sites`` wrote.

    Args:
        folder: The folder, gold included.
        certificates: How many certificates to walk, evenly over the splits; all when ``None``.

    Returns:
        The result of each check. When the hashes are wrong the others are skipped.

    Raises:
        InputFileError: The folder holds no release, or a file of it is malformed.
    """
    release = AuditedRelease(folder, load_release(folder), certificates)
    results = [_files(release).result("files")]
    for name, check in _CHECKS.items():
        if results[0].status == "FAIL":
            results.append(CheckResult(name=name, status="SKIPPED", looked_at="files are not the ones pinned"))
        elif name == "pool" and POOL not in release.manifest.sha256:
            results.append(CheckResult(name=name, status="SKIPPED", looked_at="the folder holds no pool"))
        else:
            results.append(check(release).result(name))
    return results


def _files(release: AuditedRelease) -> Findings:
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
        findings.add("manifest.json", "content_sha256 is not the hash of its hashes")
    return findings


def _numbers(release: AuditedRelease) -> Findings:
    """Recount every split, and hold the selection against its quotas."""
    findings = Findings("numbers")
    for name, split in release.manifest.splits.items():
        golds = [gold.site for _, gold in release.chains[name]]
        looks = [public.compiled_site.look for public, _ in release.chains[name]]
        counts: dict[str, Counter[str]] = {
            "decision": Counter(str(site.decision) for site in golds),
            "language": Counter(str(site.lang) for site in golds),
            "depth": Counter(str(site.depth) for site in golds),
            "presentation": Counter(str(look.presentation) for look in looks),
            "theme": Counter(look.theme for look in looks),
        }
        for attribute, counter in counts.items():
            findings.count += len(counter)
            if dict(counter) != split.counts[attribute]:
                findings.add(name, f"{attribute} is {dict(counter)}, the manifest says {split.counts[attribute]}")
        if len({site.host_family for site in golds}) != split.hosts or len(golds) != split.chains:
            findings.add(name, "has another number of chains or host families than its manifest says")
    quotas, test = release.manifest.quotas, release.manifest.splits.get(SELECTED)
    if quotas is None or test is None:
        return findings
    for attribute, wanted in quotas.exact.items():
        findings.count += len(wanted)
        if {value: count for value, count in wanted.items() if count} != test.counts[attribute]:
            findings.add(SELECTED, f"{attribute} is {test.counts[attribute]}, the quota is {wanted}")
    for attribute, bounds in quotas.bounds.items():
        for value, (low, high) in bounds.items():
            findings.count += 1
            if not low <= (have := test.counts[attribute].get(value, 0)) <= high:
                findings.add(SELECTED, f"{have} of {attribute} '{value}', the bounds are {low} to {high}")
    most = max(Counter(gold.site.host_family for _, gold in release.chains[SELECTED]).values())
    if test.hosts != quotas.hosts or most > quotas.per_host:
        findings.add(
            SELECTED, f"{test.hosts} host families, {most} sites of one, against {quotas.hosts}, {quotas.per_host}"
        )
    return findings


def _pool(release: AuditedRelease) -> Findings:
    """Hold every chain against its row in the pool."""
    findings = Findings("chains' rows in the pool")
    pool = release.pool
    for name, chains in release.chains.items():
        for public, gold in chains:
            findings.count += 1
            row, site = pool.get(public.site.site_id), gold.site
            if row is None:
                findings.add(f"{name} {public.chain_id}", "its site is not in the pool")
            elif (row.archetype, row.decision, row.violation_type, row.host_family, row.gates, row.steps) != (
                site.archetype,
                site.decision,
                site.violation_type,
                site.host_family,
                site.gates,
                len(site.path),
            ):
                findings.add(f"{name} {public.chain_id}", "its gold is not what its row in the pool says")
    if counts_of(list(pool.values())) != release.manifest.pool_counts:
        findings.add(POOL, "has other counts than its manifest says")
    return findings


def _apart(release: AuditedRelease) -> Findings:
    """Check that no host family, site or entry is in two splits, and that what is held out is."""
    findings = Findings("chains")
    owners: dict[str, str] = {}
    entries: dict[str, str] = {}
    seen: dict[str, set[str]] = {}
    for name, chains in release.chains.items():
        like = SELECTED if name == HARD else name
        for public, gold in chains:
            findings.count += 1
            where = f"{name} {public.chain_id}"
            if (owner := owners.setdefault(gold.site.host_family, like)) != like:
                findings.add(where, f"its host family is in '{owner}' too")
            if (owner := entries.setdefault(gold.entry, where)) != where:
                findings.add(where, f"its entry is that of {owner}")
            seen.setdefault(like, set()).update({f"family {gold.site.family}", *(f"gate {g}" for g in gold.site.gates)})
    for name in seen.keys() - {SELECTED, OUT_OF_DISTRIBUTION}:
        for shared in sorted(seen[name] & seen.get(OUT_OF_DISTRIBUTION, set())):
            findings.add(name, f"{shared} is in '{OUT_OF_DISTRIBUTION}' too")
    return findings


def _ids(release: AuditedRelease) -> Findings:
    findings = Findings("ids")
    known: set[str] = set()
    for name, chains in release.chains.items():
        for public, gold in chains:
            ids = [public.chain_id, *([public.site.site_id] if name != HARD else [])]
            for opaque in ids:
                findings.count += 1
                if not _ID.fullmatch(opaque) or opaque in known:
                    findings.add(f"{name} {opaque}", "is no opaque id, or comes twice")
                known.add(opaque)
            parts = [part for part in gold.entry.split(".")[:2] if len(part) > 3]
            if any(part in opaque for opaque in ids for part in parts):
                findings.add(f"{name} {public.chain_id}", "an id holds a part of the entry")
        if [public.chain_id for public, _ in chains] != sorted(public.chain_id for public, _ in chains):
            findings.add(name, "chains are not in order of their ids")
    return findings


def _public(release: AuditedRelease) -> Findings:
    """Check that no public bundle holds a word of the gold, and no site its message's entry."""
    findings = Findings("public bundles")
    words = {*Decision, *CONCRETE_TYPES, *AnchorType, *(f"{part}" for part in Component if part != Component.ACTION)}
    banned = [*(f'"{word}"' for word in sorted(words)), *_GOLD_KEYS]
    for name, chains in release.chains.items():
        for public, gold in chains:
            findings.count += 1
            text = canonical_json(public)
            told = [word for word in (*banned, f'"{gold.site.archetype}"') if word in text]
            if told:
                findings.add(f"{name} {public.chain_id}", f"tells {told[0]}")
            if gold.entry in canonical_json(public.site):
                findings.add(f"{name} {public.chain_id}", "its site names the message's entry")
    return findings


def _certificates(release: AuditedRelease) -> Findings:
    findings = Findings("certificates walked")
    pairs = [(name, public, gold) for name, found in release.chains.items() for public, gold in found if name != HARD]
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


_CHECKS: Mapping[str, Callable[[AuditedRelease], Findings]] = {
    "numbers": _numbers,
    "pool": _pool,
    "apart": _apart,
    "ids": _ids,
    "public": _public,
    "certificates": _certificates,
}
