"""The pool: what each of its sites is to be, and the sites built and certified from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.families import PoolFamily
from riskchain_gym.benchmark.hosts import Host
from riskchain_gym.benchmark.pool_plan import PoolPlan
from riskchain_gym.benchmark.pool_site import PoolSite
from riskchain_gym.benchmark.shares import dealt
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.spec import Lang

_LABEL = "s"


def pool_key(key: bytes) -> bytes:
    """Return the key that everything of the pool is drawn under."""
    return derive_key(key, "pool")


def number_of(label: str) -> int:
    """Return the number of a site's label, by which sites are ordered."""
    return int(label.removeprefix(_LABEL))


@dataclass(frozen=True)
class SiteOrder:
    """What one site of the pool is to be.

    Attributes:
        label: What the site is called in the pool.
        host: What its host family is called.
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

    label: str
    host: str
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


def plan_sites(plan: PoolPlan, key: bytes, hosts: Sequence[Host], content: Library) -> list[SiteOrder]:
    """Return what every site of the pool is to be, in order of label.

    Labels are dealt among the core hosts and among those held out, whatever family, language, form or theme they have;
    then a member of the family that has the label is drawn, each as likely as another.

    Args:
        plan: The plan.
        key: The pool's key.
        hosts: Its host families.
        content: The content folder.
    """
    sides = (False, True)
    kinds = {side: tuple(k for k in content.gate_kinds() if (k in plan.held_out.gates) == side) for side in sides}
    decks = {
        side: dealt(
            key, f"labels {side}", sum(host.sites for host in hosts if host.family.held_out == side), plan.decisions
        )
        for side in sides
    }
    orders: list[SiteOrder] = []
    for host in hosts:
        family = host.family
        for _ in range(host.sites):
            label = f"{_LABEL}{len(orders) + 1}"
            decision = decks[family.held_out].pop()
            archetype = _member(key, label, family, decision)
            orders.append(
                SiteOrder(
                    label=label,
                    host=host.label,
                    archetype=archetype,
                    decision=decision,
                    violation_type=family.types[archetype],
                    stratum=family.stratum,
                    held_out=family.held_out,
                    lang=host.lang,
                    presentation=host.presentation,
                    theme=host.theme,
                    gate_kinds=kinds[family.held_out],
                )
            )
    return orders


def _member(key: bytes, label: str, family: PoolFamily, decision: Decision) -> str:
    return KeyedRandom(key, "member", label).choice(family.members[decision])


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
    site, gold, certificate = build_certified_site(
        order.archetype,
        key,
        order.label,
        host=order.host,
        lang=order.lang,
        content=library(root),
        gate_kinds=order.gate_kinds,
        look={"presentation": order.presentation, "theme": order.theme},
    )
    row = PoolSite(
        site_id=site.site_id,
        label=order.label,
        host=order.host,
        host_family=gold.host_family,
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
