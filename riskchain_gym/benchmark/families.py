"""The families that a pool is made of: which members have which label, languages and presentation forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.pool_plan import PoolPlan, pool_plan_file
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.spec import ArchetypeSpec, FactSpec, Lang

OPERATOR = "operator"
"""The fact that names a site's operator."""


@dataclass(frozen=True)
class PoolFamily:
    """A family of archetypes, as the pool sees it.

    Attributes:
        name: Its name.
        stratum: Its business sector.
        held_out: Whether it is kept for ``ood`` and ``test``.
        members: Names of its archetypes by label, sorted.
        types: Type of each archetype.
        languages: Languages that all its archetypes can be built in, sorted.
        presentations: Presentation forms that fit all its archetypes, sorted.
        host_facts: What is drawn of an operator, by language.
    """

    name: str
    stratum: str
    held_out: bool
    members: Mapping[Decision, tuple[str, ...]]
    types: Mapping[str, ViolationType]
    languages: tuple[Lang, ...]
    presentations: tuple[str, ...]
    host_facts: Mapping[Lang, Mapping[str, FactSpec]]


def pool_families(plan: PoolPlan, content: Library) -> dict[str, PoolFamily]:
    """Return the families of a content folder by name, sorted.

    Raises:
        InputFileError: A family lacks a member with some label, a presentation form, an operator drawn for the host or
            a business sector; or the plan names one that there is not.
    """
    specs: dict[str, list[ArchetypeSpec]] = {}
    for name in archetype_names(content):
        spec = load_archetype(name, content)
        specs.setdefault(spec.family, []).append(spec)
    for name in plan.held_out.families:
        if name not in specs:
            raise _fault(content, "held_out.families", f"there is no family '{name}': name one of {', '.join(specs)}")
    gates = content.gate_kinds()
    for kind in plan.held_out.gates:
        if kind not in gates:
            raise _fault(content, "held_out.gates", f"there is no gate '{kind}': name some of {', '.join(gates)}")
    return {name: _family(name, specs[name], plan, content) for name in sorted(specs)}


def _family(name: str, specs: list[ArchetypeSpec], plan: PoolPlan, content: Library) -> PoolFamily:
    file = content.family_file(name)
    members = {
        decision: tuple(sorted(spec.name for spec in specs if spec.label.decision is decision)) for decision in Decision
    }
    if missing := [str(decision) for decision, names in members.items() if not names]:
        raise InputFileError(
            file, "", f"has no member labelled {' or '.join(missing)}, a pool needs one of each: add such an archetype"
        )
    if name not in plan.strata:
        raise _fault(content, "strata", f"family '{name}' has no business sector: add it")
    presentations = sorted(set.intersection(*(set(spec.presentations) for spec in specs)))
    if not presentations:
        raise InputFileError(file, "presentations", "no presentation form fits all members: give the family its own")
    known = set.intersection(*(set(content.languages(spec.name)) for spec in specs))
    languages = tuple(sorted(known & set(plan.languages)))
    host_facts = {lang: load_archetype(specs[0].name, content, lang).host for lang in languages}
    for lang, facts in host_facts.items():
        if OPERATOR not in facts:
            where = content.family_file(name, lang)
            raise InputFileError(where, f"host.{OPERATOR}", "is missing: sites of one host have one operator")
    return PoolFamily(
        name=name,
        stratum=plan.strata[name],
        held_out=name in plan.held_out.families,
        members=members,
        types={spec.name: spec.label.type for spec in specs},
        languages=languages,
        presentations=tuple(presentations),
        host_facts=host_facts,
    )


def _fault(content: Library, field: str, problem: str) -> InputFileError:
    path: Path = pool_plan_file(content.root)
    return InputFileError(path, field, problem)
