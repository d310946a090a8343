"""The audit's checks of what is counted and recorded: numbers, rows of the pool, and what must be apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from riskchain_gym.benchmark.allotment import CANDIDATES
from riskchain_gym.benchmark.audited import AuditedRelease
from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.pool_plan import OUT_OF_DISTRIBUTION, SELECTED
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.quotas import ATTRIBUTES
from riskchain_gym.benchmark.release_files import counts_of
from riskchain_gym.benchmark.release_manifest import CERTIFICATES, POOL
from riskchain_gym.benchmark.sessions import HARD
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import sha256_of

_POOLS_ALONE = {"stratum": "", "alone": False}
"""What only the row of a site tells, with what stands for it where there is no pool."""


def facts_of(public: PublicChain, gold: GoldChain, site_sha256: str) -> dict[str, Any]:
    """Return what the row of a chain's site must say, as far as its bundles tell, by field."""
    site, look = gold.site, public.compiled_site.look
    return {
        "site_id": public.site.site_id,
        "host_family": site.host_family,
        "archetype": site.archetype,
        "family": site.family,
        "lang": site.lang,
        "presentation": look.presentation,
        "theme": look.theme,
        "decision": site.decision,
        "violation_type": site.violation_type,
        "depth": site.depth,
        "difficulty": site.difficulty,
        "gates": site.gates,
        "click_replay": site.click_replay,
        "stateful": site.track == "L3_STATEFUL",
        "steps": len(site.path),
        "sha256": site_sha256,
    }


def check_numbers(release: AuditedRelease) -> Findings:
    """Recount every split, and hold the selection against its quotas and its hash."""
    findings = Findings("numbers")
    found = {name: _recounted(release, name) for name in release.manifest.splits}
    for name, split in release.manifest.splits.items():
        for attribute in ATTRIBUTES:
            if attribute in _POOLS_ALONE and not release.pool:
                continue
            counts, said = found[name][attribute], split.counts.get(attribute, {})
            findings.count += len(counts)
            if counts != said:
                findings.add(name, f"{attribute} is {counts}, the manifest says {said}")
        hosts = {gold.site.host_family for _, gold in release.chains[name]}
        if len(hosts) != split.hosts or len(release.chains[name]) != split.chains:
            findings.add(name, "has another number of chains or host families than its manifest says")
    if SELECTED in found:
        _selection(release, found[SELECTED], findings)
    return findings


def _recounted(release: AuditedRelease, split: str) -> dict[str, dict[str, int]]:
    rows = []
    for public, gold in release.chains[split]:
        known: dict[str, Any] = {**_POOLS_ALONE}
        if (row := release.pool.get(public.site.site_id)) is not None:
            known |= row.model_dump()
        rows.append(PoolSite.model_construct(**known | facts_of(public, gold, "")))
    return counts_of(rows)


def _selection(release: AuditedRelease, counts: Mapping[str, Mapping[str, int]], findings: Findings) -> None:
    quotas, record = release.manifest.quotas, release.manifest.selection
    if quotas is None or record is None:
        findings.add(SELECTED, "the manifest has no quotas or does not say how it was selected")
        return
    hosts = Counter(gold.site.host_family for _, gold in release.chains[SELECTED])
    if sum(hosts.values()) != quotas.sites:
        findings.add(SELECTED, f"{sum(hosts.values())} sites, the quota is {quotas.sites}")
    for attribute, wanted in quotas.exact.items():
        findings.count += len(wanted)
        if {value: count for value, count in wanted.items() if count} != counts[attribute]:
            findings.add(SELECTED, f"{attribute} is {counts[attribute]}, the quota is {wanted}")
    for attribute, bounds in quotas.bounds.items():
        for value, (low, high) in bounds.items():
            findings.count += 1
            if not low <= (have := counts[attribute].get(value, 0)) <= high:
                findings.add(SELECTED, f"{have} of {attribute} '{value}', the bounds are {low} to {high}")
    most = max(hosts.values(), default=0)
    if len(hosts) != quotas.hosts or most > quotas.per_host:
        findings.add(
            SELECTED, f"{len(hosts)} host families, {most} sites of one, against {quotas.hosts}, {quotas.per_host}"
        )
    findings.count += 2
    if sha256_of(sorted(public.site.site_id for public, _ in release.chains[SELECTED])) != record.sha256:
        findings.add(SELECTED, "its sites are not the ones whose hash the selection's record has")
    if record.runner_up is not None and record.runner_up >= record.weight:
        findings.add(SELECTED, f"the record's runner-up weighs {record.runner_up}, the selection {record.weight}")


def check_pool(release: AuditedRelease) -> Findings:
    """Hold every chain against its row in the pool, and the rows against their certificates and counts."""
    findings = Findings("chains and rows of the pool")
    for name, chains in release.chains.items():
        part = CANDIDATES if name in (SELECTED, HARD) else name
        for public, gold in chains:
            findings.count += 1
            where, row = f"{name} {public.chain_id}", release.pool.get(public.site.site_id)
            if row is None:
                findings.add(where, "its site is not in the pool")
                continue
            facts = facts_of(public, gold, release.site_hashes[public.chain_id])
            if wrong := [field for field, value in facts.items() if getattr(row, field) != value]:
                said, is_ = getattr(row, wrong[0]), facts[wrong[0]]
                findings.add(where, f"{', '.join(wrong)}: the row in the pool says {said}, its bundles {is_}")
            if gold.site.site_id != public.site.site_id or public.compiled_site.lang != gold.site.lang:
                findings.add(where, "its gold is that of another site")
            if row.part != part:
                findings.add(where, f"its site belongs to '{row.part}'")
    _rows(release, findings)
    return findings


def _rows(release: AuditedRelease, findings: Findings) -> None:
    rows, proofs = release.pool_rows, release.proof_rows
    findings.count += len(rows)
    if len(rows) != len(release.pool) or len(rows) != release.manifest.pool_sites:
        findings.add(POOL, f"has {len(rows)} rows of {len(release.pool)} sites, not {release.manifest.pool_sites}")
    if [row.site_id for row in rows] != [proof.site_id for proof in proofs]:
        findings.add(CERTIFICATES, "are not those of the sites of the pool, in its order")
    for row in rows:
        proof = release.proofs.get(row.site_id)
        if proof and (proof.site_sha256, proof.steps, len(proof.path)) != (row.sha256, row.steps, row.steps):
            findings.add(f"{POOL} {row.site_id}", "its certificate is of another site or another way")
    if counts_of(rows) != release.manifest.pool_counts:
        findings.add(POOL, "has other counts than its manifest says")
    names: dict[str, set[str]] = {}
    families: dict[str, set[str]] = {}
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for row in rows:
        names.setdefault(row.host, set()).add(row.host_family)
        kinds.setdefault(row.host_family, set()).add(
            (row.host, row.held_out, row.part, row.lang, row.presentation, row.theme)
        )
        families.setdefault(row.family, set()).add(row.stratum)
    sizes = Counter(row.host_family for row in rows)
    if len(sizes) != release.manifest.pool_hosts:
        findings.add(POOL, f"has {len(sizes)} host families, the manifest says {release.manifest.pool_hosts}")
    odd = [name for found in (names, kinds, families) for name, values in found.items() if len(values) > 1]
    odd += [row.host_family for row in rows if row.alone != (sizes[row.host_family] == 1)]
    for name in odd:
        findings.add(POOL, f"says different things of the host or family '{name}'")


def check_apart(release: AuditedRelease) -> Findings:
    """Check that no host family, site or entry is in two splits, and that what is held out is."""
    findings = Findings("chains")
    owners: dict[str, str] = {}
    sites: dict[str, str] = {}
    entries: dict[str, str] = {}
    seen: dict[str, set[str]] = {}
    for name, chains in release.chains.items():
        like = SELECTED if name == HARD else name
        for public, gold in chains:
            findings.count += 1
            where = f"{name} {public.chain_id}"
            if (owner := owners.setdefault(gold.site.host_family, like)) != like:
                findings.add(where, f"its host family is in '{owner}' too")
            if (owner := sites.setdefault(f"{name == HARD} {public.site.site_id}", where)) != where:
                findings.add(where, f"its site is that of {owner}")
            if (owner := entries.setdefault(gold.entry, where)) != where:
                findings.add(where, f"its entry is that of {owner}")
            seen.setdefault(like, set()).update({f"family {gold.site.family}", *(f"gate {g}" for g in gold.site.gates)})
    for name in sorted(seen.keys() - {SELECTED, OUT_OF_DISTRIBUTION}):
        for shared in sorted(seen[name] & seen.get(OUT_OF_DISTRIBUTION, set())):
            findings.add(name, f"{shared} is in '{OUT_OF_DISTRIBUTION}' too")
    for row in release.pool_rows:
        if row.held_out != (row.part == OUT_OF_DISTRIBUTION) and row.part != CANDIDATES:
            findings.add(row.part, f"the site {row.site_id} is {'' if row.held_out else 'not '}held out")
    return findings
