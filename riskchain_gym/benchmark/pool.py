"""The pool: what each of its sites is to be, and the sites built and certified from that."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.allotment import Part, parts_of
from riskchain_gym.benchmark.dealing import stratified
from riskchain_gym.benchmark.families import pool_families
from riskchain_gym.benchmark.hosts import Host, plan_hosts
from riskchain_gym.benchmark.pool_plan import PoolPlan, load_pool_plan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import derive_key
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.certificate import Certificate
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.spec import Lang

_NUMBER = "s"

_DEALS = 5000
"""How often the labels of a part are dealt before it is called too small for its types."""


def pool_key(key: bytes) -> bytes:
    """Return the key that everything of the pool is drawn under."""
    return derive_key(key, "pool")


def place_of(site: SiteOrder | PoolSite) -> int:
    """Return the place of a site in the pool, from 1, by which sites are ordered."""
    return int(site.number.removeprefix(_NUMBER))


@dataclass(frozen=True)
class SiteOrder:
    """What one site of the pool is to be.

    Attributes:
        number: What the site is called in the pool: ``s1``, ``s2``, ….
        part: Part of the pool: the split it belongs to, or ``candidates``.
        host: What its host family is called.
        alone: Whether its host family has no other site.
        archetype: Name of the archetype.
        decision: Its label.
        violation_type: Its type.
        stratum: Business sector of its family.
        held_out: Whether its host family is held out.
        lang: Language.
        presentation: Presentation form.
        theme: Visible theme.
        gate_kinds: Gate kinds that may stand on it.
    """

    number: str
    part: str
    host: str
    alone: bool
    archetype: str
    decision: Decision
    violation_type: ViolationType
    stratum: str
    held_out: bool
    lang: Lang
    presentation: str
    theme: str
    gate_kinds: tuple[str, ...]


@dataclass(frozen=True)
class BuiltSite:
    """One built site, as canonical JSON, which is what processes hand over and files hold.

    Attributes:
        row: Its row in the pool.
        public: The public bundle.
        gold: The gold.
        certificate: The certificate.
    """

    row: PoolSite
    public: str
    gold: str
    certificate: str


def planned_orders(key: bytes, content: Library, plan: PoolPlan | None = None) -> list[SiteOrder]:
    """Return what every site of a pool is to be, in order of number.

    Args:
        key: The pool's key.
        content: The content folder.
        plan: The plan; the content folder's own by default.

    Raises:
        InputFileError: The content is wrong, or lacks what a pool needs.
        ConfigError: The plan cannot be met.
    """
    plan = plan or load_pool_plan(content.root)
    return plan_sites(plan, key, plan_hosts(plan, key, pool_families(plan, content), content), content)


def plan_sites(plan: PoolPlan, key: bytes, hosts: Sequence[Host], content: Library) -> list[SiteOrder]:
    """Return what every site of the pool is to be, in order of number.

    In each part of the pool labels are dealt out in their shares within each archetype family, there within the sites
    that are alone with their host family and the others, and there within each language; a label has nothing to do with
    form or theme. The sites of a family with one label are then shared out among the members that have it. Where a part
    lacks a type that its families have, its labels are dealt again.

    Args:
        plan: The plan.
        key: The pool's key.
        hosts: Its host families, part by part.
        content: The content folder.

    Raises:
        ConfigError: A part is too small for the types it should have.
    """
    sides = (False, True)
    kinds = {side: tuple(k for k in content.gate_kinds() if (k in plan.held_out.gates) == side) for side in sides}
    rarity = _rarity(hosts)
    orders: list[SiteOrder] = []
    for part in parts_of(plan):
        slots = [host for host in hosts if host.part == part.name for _ in range(host.sites)]
        members = _members(key, part, slots, rarity)
        for host, (decision, archetype) in zip(slots, members, strict=True):
            orders.append(
                SiteOrder(
                    number=f"{_NUMBER}{len(orders) + 1}",
                    part=part.name,
                    host=host.label,
                    alone=host.sites == 1,
                    archetype=archetype,
                    decision=decision,
                    violation_type=host.family.types[archetype],
                    stratum=host.family.stratum,
                    held_out=host.family.held_out,
                    lang=host.lang,
                    presentation=host.presentation,
                    theme=host.theme,
                    gate_kinds=kinds[host.family.held_out],
                )
            )
    return orders


def _rarity(hosts: Sequence[Host]) -> dict[ViolationType, int]:
    """Return how much a member of each type weighs: a type that few archetypes have weighs more."""
    families = {host.family.name: host.family for host in hosts}
    archetypes = Counter(kind for family in families.values() for kind in family.types.values())
    whole = math.lcm(*archetypes.values())
    return {kind: whole // count for kind, count in archetypes.items()}


def _members(
    key: bytes, part: Part, slots: Sequence[Host], rarity: Mapping[ViolationType, int]
) -> list[tuple[Decision, str]]:
    """Return label and archetype of each site of a part, so that all types of its families come."""
    known = {
        host.family.types[name]
        for host in slots
        for decision, count in part.decisions.items()
        if count
        for name in host.family.members[decision]
    }
    lacking: set[ViolationType] = set()
    for deal in range(_DEALS):
        dealt = derive_key(key, "deal", part.name, str(deal))
        strata = [(host.family.name, host.sites == 1, host.lang) for host in slots]
        labels = stratified(dealt, "labels", part.decisions, strata)
        found = _archetypes(dealt, slots, labels, rarity)
        lacking = known - {host.family.types[name] for host, name in zip(slots, found, strict=True)}
        if not lacking:
            return list(zip(labels, found, strict=True))
    raise ConfigError(
        f"Split '{part.name}' got no site of type {min(lacking)} in {_DEALS} deals: raise its number of violating "
        "sites in pool.toml, or add archetypes of that type."
    )


def _archetypes(
    key: bytes, slots: Sequence[Host], labels: Sequence[Decision], rarity: Mapping[ViolationType, int]
) -> list[str]:
    """Share the sites of each family and label out among the archetypes that have it, evenly over languages."""
    places: dict[tuple[str, Decision], list[int]] = defaultdict(list)
    for place, (host, label) in enumerate(zip(slots, labels, strict=True)):
        places[host.family.name, label].append(place)
    found: dict[int, str] = {}
    for (name, label), own in places.items():
        family = slots[own[0]].family
        weights = {member: rarity[family.types[member]] for member in family.members[label]}
        members = stratified(key, f"members {name} {label}", weights, [(slots[place].lang,) for place in own])
        found |= zip(own, members, strict=True)
    return [found[place] for place in range(len(slots))]


def site_of(root: Path, key: bytes, order: SiteOrder) -> tuple[CompiledSite, SiteGold, Certificate]:
    """Return the site of an order, its gold and its certificate.

    Args:
        root: The content folder.
        key: The pool's key.
        order: What the site is to be.

    Raises:
        InputFileError: The archetype's files are wrong.
        CertificateError: The site drawn cannot be certified.
    """
    return build_certified_site(
        order.archetype,
        key,
        order.number,
        host=order.host,
        lang=order.lang,
        content=library(root),
        gate_kinds=order.gate_kinds,
        look={"presentation": order.presentation, "theme": order.theme},
    )


def build_order(root: Path, key: bytes, order: SiteOrder) -> BuiltSite:
    """Build and certify one site; for worker processes too.

    Args:
        root: The content folder.
        key: The pool's key.
        order: What the site is to be.

    Raises:
        InputFileError: The archetype's files are wrong.
        CertificateError: The site drawn cannot be certified.
    """
    site, gold, certificate = site_of(root, key, order)
    row = PoolSite(
        site_id=site.site_id,
        number=order.number,
        part=order.part,
        host=order.host,
        host_family=gold.host_family,
        alone=order.alone,
        held_out=order.held_out,
        archetype=order.archetype,
        family=gold.family,
        stratum=order.stratum,
        lang=order.lang,
        presentation=site.look.presentation,
        theme=site.look.theme,
        decision=gold.decision,
        violation_type=gold.violation_type,
        depth=gold.depth,
        difficulty=gold.difficulty,
        gates=gold.gates,
        click_replay=gold.click_replay,
        stateful=gold.track == "L3_STATEFUL",
        steps=certificate.steps,
        sha256=certificate.site_sha256,
    )
    return BuiltSite(row, canonical_json(site), canonical_json(gold), canonical_json(certificate))
