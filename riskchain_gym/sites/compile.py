"""Compile an archetype into a site: draw it from the key, take the atoms off, make every name opaque."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.sites.atoms import atom_lines, without_atoms
from riskchain_gym.sites.blocks import FormBlock, PanelsBlock
from riskchain_gym.sites.builder import picture_key
from riskchain_gym.sites.compiled import (
    HOME,
    CompiledAction,
    CompiledCheck,
    CompiledDetour,
    CompiledLink,
    CompiledPage,
    CompiledSite,
    Look,
    all_blocks,
    panel_key,
    path_of,
)
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.plan import NameClashError, SitePlan, panel_action, plan_site, renamed
from riskchain_gym.sites.slots import Slot
from riskchain_gym.sites.spec import ActionSpec, ArchetypeSpec, Detour, PageSpec

_NAME_LENGTH = 8
_CLEAR_HUES = (125, 300)
"""First hue and number of hues a site may have: dark yellows look muddy and are left out."""


@dataclass(frozen=True)
class Compilation:
    """A compiled site and what must stay apart from it.

    Attributes:
        site: The public bundle.
        atoms: Its evidence atoms, in document order.
        gates: Gate kinds in place.
        gated: Paths of the pages they stand before or change, in the same order.
        entries: Paths of the pages they send visitors to, ``""`` for one that only changes its page, in the same order.
    """

    site: CompiledSite
    atoms: tuple[EvidenceAtom, ...]
    gates: tuple[str, ...]
    gated: tuple[str, ...]
    entries: tuple[str, ...]


def compile_site(
    spec: ArchetypeSpec,
    key: bytes,
    label: str,
    site_id: str,
    *,
    host: str | None = None,
    content: Library | None = None,
    gates: Mapping[str, str] | None = None,
    gate_kinds: Collection[str] | None = None,
    look: Mapping[str, str] | None = None,
) -> Compilation:
    """Return one site of an archetype.

    The same arguments give the same bytes. Nothing but the archetype's own content depends on its label: gates, filler
    pages and opaque names come from key and label alone, the look from key and host family, so twins look alike.

    Args:
        spec: The archetype.
        key: The split's key.
        label: What the site is called in its split; never shown.
        site_id: Opaque id.
        host: What its host family is called in its split: sites of one host have operator, slogan, theme and colours in
            common. Never shown; by default the site has a host of its own.
        content: Content folder to draw from; the project's own by default.
        gates: Gate kind by page name, instead of drawing it (``none`` for no gate).
        gate_kinds: The gate kinds that may be drawn, all by default; no other draw changes with them.
        look: ``presentation`` and ``theme``, instead of drawing them; no other draw changes with them.

    Raises:
        InputFileError: The archetype's facts or placeholders cannot be evaluated, or a name of it is taken.
    """
    content = content or library()
    facts = Facts(key, ("site", label), content.banks(spec.lang))
    family = Facts(key, ("host", label if host is None else host), content.banks(spec.lang))
    try:
        family.draw(spec.host)
        facts.values.update(family.values)
        plan = plan_site(spec, facts, content.fillers(spec.lang), content.gates(spec.lang), gates, gate_kinds)
        atoms = _atoms(plan, opaque := _opaque_names(plan, key, label), site_id)
        pages = {path_of(opaque[Slot.PAGE][name]): _page(page, opaque) for name, page in plan.pages.items()}
        actions = {path_of(opaque[Slot.ACTION][name]): _action(action, opaque) for name, action in plan.actions.items()}
    except (ExpressionError, NameClashError) as error:
        raise InputFileError(content.archetype_file(spec.name, spec.lang), "", str(error)) from None
    site = CompiledSite(
        site_id=site_id,
        operator=str(facts.values["operator"]),
        slogan=str(facts.values["slogan"]),
        lang=spec.lang,
        look=_look(spec, family, content, look or {}),
        nav=_links(plan.nav, opaque),
        footer=_links(plan.footer, opaque),
        state={opaque[Slot.VAR][name]: value for name, value in sorted(plan.state.items())},
        pages=dict(sorted(pages.items())),
        actions=dict(sorted(actions.items())),
    )
    gated = tuple(path_of(opaque[Slot.PAGE][name]) for name in plan.gated)
    entries = tuple(path_of(opaque[Slot.PAGE][name]) if name else "" for name in plan.entries)
    return Compilation(site=site, atoms=atoms, gates=tuple(plan.gates), gated=gated, entries=entries)


Opaque = dict[Slot, dict[str, str]]


def _opaque_names(plan: SitePlan, key: bytes, label: str) -> Opaque:
    found: Opaque = {
        Slot.PAGE: dict.fromkeys(plan.pages, ""),
        Slot.ACTION: dict.fromkeys(plan.actions, ""),
        Slot.VAR: dict.fromkeys(plan.state, ""),
        Slot.FIELD: {},
    }
    for page in plan.pages.values():
        for form in all_blocks(page.blocks):
            if isinstance(form, FormBlock):
                found[Slot.FIELD].update(dict.fromkeys((field.name for field in form.fields), ""))
    for action in plan.actions.values():
        found[Slot.FIELD].update(dict.fromkeys((check.field for check in action.checks), ""))
    for slot, names in found.items():
        for name in names:
            names[name] = keyed_id(key, "site", label, "name", slot, name, length=_NAME_LENGTH)
    found[Slot.PAGE][HOME] = HOME
    for page in plan.pages.values():
        for panels in (block for block in all_blocks(page.blocks) if isinstance(block, PanelsBlock)):
            for i in range(len(panels.items)):
                found[Slot.ACTION][panel_action(panels.name, i)] = panel_key(found[Slot.VAR][panels.name], i)
    return found


def _atoms(plan: SitePlan, opaque: Opaque, site_id: str) -> tuple[EvidenceAtom, ...]:
    found = [
        (path_of(opaque[Slot.PAGE][name]), atom, text, place)
        for name, page in plan.pages.items()
        for place, atom, text in atom_lines(page)
    ]
    return tuple(
        EvidenceAtom(
            atom_id=f"atom-{i + 1}",
            component=atom.component,
            violation_type=atom.type or ViolationType.NONE,
            anchor=atom.anchor,
            path=path,
            text=text,
            picture=picture_key(site_id, path, place),
        )
        for i, (path, atom, text, place) in enumerate(found)
    )


def _page(page: PageSpec, opaque: Opaque) -> CompiledPage:
    page = renamed(page, opaque)
    return CompiledPage(
        title=page.title,
        blocks=without_atoms(page.blocks),
        detours=_detours(page.detours),
        status=page.status,
    )


def _action(action: ActionSpec, opaque: Opaque) -> CompiledAction:
    action = renamed(action, opaque)
    return CompiledAction(
        checks=tuple(CompiledCheck(**check.model_dump()) for check in action.checks),
        set=dict(sorted(action.set.items())),
        go=path_of(action.go) if action.go is not None else None,
        otherwise=_detours(action.otherwise),
    )


def _detours(detours: tuple[Detour, ...]) -> tuple[CompiledDetour, ...]:
    return tuple(CompiledDetour(when=detour.when, go=path_of(detour.go)) for detour in detours)


def _links(links: list[tuple[str, str]], opaque: Opaque) -> tuple[CompiledLink, ...]:
    return tuple(CompiledLink(text=text, to=path_of(opaque[Slot.PAGE][page])) for text, page in links)


def _look(spec: ArchetypeSpec, host: Facts, content: Library, given: Mapping[str, str]) -> Look:
    rng = host.rng("look")
    drawn = {
        "presentation": rng.choice(spec.presentations),
        "theme": rng.choice(content.themes()),
        "hue": (_CLEAR_HUES[0] + rng.below(_CLEAR_HUES[1])) % 360,
        "art_seed": rng.below(1 << 31),
    }
    return Look.model_validate({**drawn, **given})
