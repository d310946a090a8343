"""The audit's checks of what a chain tells: its ids, and the public bundles' words, names and keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from riskchain_gym.benchmark.audited import AuditedRelease
from riskchain_gym.benchmark.sessions import HARD
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Component, Decision
from riskchain_gym.protocol.model import canonical_json

_ID = re.compile(r"[a-z][a-z0-9]{11}")
_GOLD_KEYS = ('"atom":{', '"atoms":', '"archetype":', '"decision":', '"violation_type":', '"anchor":', '"host_family":')
_PARTS = re.compile(r"[a-z0-9]+")

_LONG = 6
"""Characters from which on a word within a drawn name is no chance: one in a thousand releases has one."""

_SHORT = 3
"""Characters from which on a part of a label's, family's or archetype's name is a word."""

_NAMING = frozenset({"name", "field", "to", "go", "do"})
"""Fields of a site that hold names which are drawn."""

_NAMED = frozenset({"state", "set", "pages", "actions"})
"""Fields of a site whose keys are names which are drawn."""


def check_ids(release: AuditedRelease) -> Findings:
    """Check that ids are opaque, each there once, in order, and the same in public bundle and gold."""
    findings = Findings("ids")
    known: set[str] = set()
    for name, split in release.manifest.splits.items():
        public = [chain.chain_id for chain in release.public[name]]
        gold = release.gold[name]
        for missing in sorted(set(public) - gold.keys()):
            findings.add(f"{name} {missing}", "has no gold")
        for surplus in sorted(gold.keys() - set(public)):
            findings.add(f"{name} {surplus}", "has gold and no public chain")
        if not len(public) == len(gold) == split.chains:
            findings.add(name, f"{len(public)} public chains, {len(gold)} of gold, the manifest says {split.chains}")
        for chain in release.public[name]:
            for opaque in (chain.chain_id, *([chain.site.site_id] if name != HARD else [])):
                findings.count += 1
                if not _ID.fullmatch(opaque) or opaque in known:
                    findings.add(f"{name} {opaque}", "is no opaque id, or comes twice")
                known.add(opaque)
        for chain, found in release.chains[name]:
            parts = [part for part in found.entry.split(".")[:2] if len(part) > 3]
            if any(part in opaque for opaque in (chain.chain_id, chain.site.site_id) for part in parts):
                findings.add(f"{name} {chain.chain_id}", "an id holds a part of the entry")
        for file in ("public.jsonl", "gold.jsonl"):
            ids = _ids_in(release, name, file)
            if ids != sorted(ids):
                findings.add(f"{name}/{file}", "chains are not in order of their ids")
    return findings


def _ids_in(release: AuditedRelease, split: str, file: str) -> list[str]:
    with (release.folder / split / file).open("rb") as lines:
        return [str(json.loads(line)["chain_id"]) for line in lines]


def check_public(release: AuditedRelease) -> Findings:
    """Check that no public bundle holds a word of the gold, no name in it tells one, and no site its entry."""
    findings = Findings("public bundles")
    words = {*Decision, *CONCRETE_TYPES, *AnchorType, *(f"{part}" for part in Component if part != Component.ACTION)}
    banned = [*(f'"{word}"'.casefold() for word in sorted(words)), *_GOLD_KEYS]
    golds = [gold.site for chains in release.chains.values() for _, gold in chains]
    kinds = {*Decision, *CONCRETE_TYPES, *(gold.archetype for gold in golds), *(gold.family for gold in golds)}
    banned += [f'"{gold.archetype}"'.casefold() for gold in golds if "-" in gold.archetype]
    telling, banned = _telling(kinds), sorted(set(banned))
    for name, chains in release.chains.items():
        for public, gold in chains:
            findings.count += 1
            where, text = f"{name} {public.chain_id}", canonical_json(public)
            folded = text.casefold()
            if told := [word for word in (*banned, f'"{gold.site.archetype}"') if word in folded]:
                findings.add(where, f"tells {told[0]}")
            for drawn in sorted({public.chain_id, public.site.site_id, *_names(json.loads(text)["site"])}):
                if found := _told_by(drawn, telling):
                    findings.add(where, f"the name '{drawn}' tells '{found}'")
            if gold.entry in canonical_json(public.site):
                findings.add(where, "its site names the message's entry")
    return findings


def _telling(kinds: Iterable[str]) -> frozenset[str]:
    folded = [kind.casefold() for kind in kinds]
    parts = (part for kind in folded for part in _PARTS.findall(kind) if len(part) >= _SHORT)
    return frozenset((*folded, *parts))


def _names(value: Any, field: str = "") -> Iterator[str]:
    """Yield every drawn name of a site: paths, and the names of pages, actions, fields and variables."""
    if isinstance(value, dict):
        if field in _NAMED:
            yield from value
        for key, inside in value.items():
            yield from _names(inside, "" if field in _NAMED else key)
    elif isinstance(value, list):
        for inside in value:
            yield from _names(inside, field)
    elif isinstance(value, str) and (field in _NAMING or value.startswith("/")):
        yield value


def _told_by(drawn: str, telling: frozenset[str]) -> str:
    folded = drawn.casefold()
    long = _longer(telling)
    match = long.search(folded) if long else None
    return match.group() if match else next((part for part in _PARTS.findall(folded) if part in telling), "")


@cache
def _longer(telling: frozenset[str]) -> re.Pattern[str] | None:
    long = sorted(word for word in telling if len(word) >= _LONG)
    return re.compile("|".join(map(re.escape, long))) if long else None
