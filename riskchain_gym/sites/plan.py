"""The plan of one site: the archetype with its facts filled in, its filler pages and its gates put in place."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from riskchain_gym.protocol.errors import RiskChainError, UnknownNameError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, PanelsBlock
from riskchain_gym.sites.compiled import download_names
from riskchain_gym.sites.expressions import BUILD, rename_expression, rename_template, render_value
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.fragment import FillerSpec, GateSpec
from riskchain_gym.sites.slots import Slot, map_slots, slot_texts
from riskchain_gym.sites.spec import ActionSpec, ArchetypeSpec, Detour, PageSpec, Scalar
from riskchain_gym.sites.transform import fits, in_panels, in_pictures

M = TypeVar("M", bound=Frozen)

OPEN_GATE = "none"
"""The gate kind that stands for no gate."""

FILLER_PREFIX = "filler_"
"""How the page name of a filler page begins; no other page's name may."""


class NameClashError(RiskChainError, ValueError):
    """Two things put together on one site have the same name."""


class GateError(RiskChainError, ValueError):
    """A gate was asked for that cannot stand on its page."""


@dataclass
class SitePlan:
    """A site with nothing left to draw; names are still the author's.

    Attributes:
        pages: Pages by name, in the order they were written.
        actions: Actions by name.
        state: Initial state variables.
        nav: Label and page name of each entry of the navigation.
        footer: The same for the footer.
        gates: Gate kinds in place, in page order.
        gated: Names of the pages they stand before or change, in the same order.
        entries: Names of the pages they send visitors to, ``""`` for one that only changes its page, in the same order.
    """

    pages: dict[str, PageSpec]
    actions: dict[str, ActionSpec]
    state: dict[str, Scalar]
    nav: list[tuple[str, str]] = field(default_factory=list)
    footer: list[tuple[str, str]] = field(default_factory=list)
    gates: list[str] = field(default_factory=list)
    gated: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)


def filled(model: M, facts: Facts) -> M:
    """Return the model with every ``[[ … ]]`` placeholder filled in."""

    def visit(slot: Slot, text: str) -> Scalar:
        match slot:
            case Slot.TEXT | Slot.EXPR:
                return facts.fill(text)
            case Slot.VALUE:
                return render_value(BUILD, text, facts.context())
            case Slot.RULE:
                return facts.fill(text) if "[[ " in text else text
            case _:
                return text

    return map_slots(model, visit)


def renamed(model: M, names: Mapping[Slot, Mapping[str, str]]) -> M:
    """Return the model with pages, actions, variables and fields renamed, inside ``{{ … }}`` and expressions too.

    Args:
        model: Its ``[[ … ]]`` placeholders must be filled in.
        names: New name by old name for each kind of name; what is not listed keeps its name.
    """

    def inside(kind: str, name: str) -> str:
        return names.get(Slot(kind), {}).get(name, name)

    def visit(slot: Slot, text: str) -> str:
        match slot:
            case Slot.TEXT | Slot.VALUE:
                return rename_template(text, inside)
            case Slot.EXPR:
                return rename_expression(text, inside)
            case Slot.RULE:
                return text
            case _:
                return names.get(slot, {}).get(text, text)

    return map_slots(model, visit)


def plan_site(
    spec: ArchetypeSpec,
    facts: Facts,
    fillers: Mapping[str, FillerSpec],
    gates: Mapping[str, GateSpec],
    forced: Mapping[str, str] | None = None,
    kinds: Collection[str] | None = None,
) -> SitePlan:
    """Draw facts, filler pages and gates, and put everything together.

    Args:
        spec: The archetype.
        facts: Empty so far; holds the drawn facts afterwards.
        fillers: Filler pages of the site's language, by name.
        gates: Gates of the site's language, by kind.
        forced: Gate kind by page name, instead of drawing it.
        kinds: The gate kinds that may be drawn, all by default. No other draw changes with them.

    Raises:
        ExpressionError: A fact or a placeholder cannot be evaluated.
        NameClashError: A filler page, a gate or panels bring a name that the site has already.
        GateError: A gate was asked for that cannot stand on its page.
        UnknownNameError: There is no gate of a kind that was named.
    """
    named = {*(forced or {}).values(), *(kinds or ())} - {OPEN_GATE}
    if unknown := sorted(named - set(gates)):
        raise UnknownNameError(f"There is no gate '{unknown[0]}': known are {', '.join(sorted(gates))}.")
    facts.draw(spec.facts)
    full = filled(spec, facts)
    plan = SitePlan(pages=dict(full.pages), actions=dict(full.actions), state=dict(full.state))
    plan.nav = [(page.nav, name) for name, page in plan.pages.items() if page.nav is not None]
    _add_fillers(plan, spec, facts, fillers)
    for name in spec.pages:
        able = [kind for kind, gate in gates.items() if kind not in plan.gates and _able(plan, gate, name)]
        kind = (forced or {}).get(name)
        if kind is None:
            allowed = able if kinds is None else [kind for kind in able if kind in kinds]
            kind = draw_gate(spec.pages[name].gate, facts, name, sorted(gates), allowed)
        elif kind not in (OPEN_GATE, *able):
            raise GateError(f"The gate '{kind}' cannot stand on page '{name}' of this site: choose another.")
        if kind != OPEN_GATE:
            plan.entries.append(_add_gate(plan, facts, gates[kind], name))
            plan.gates.append(kind)
            plan.gated.append(name)
    plan.actions = used_actions(plan.pages, plan.actions)
    for page in list(plan.pages.values()):
        _add_panels(plan, page.blocks)
        for variable in download_names(page.blocks):
            _fresh([variable], plan.state, "state variable")
            plan.state[variable] = False
    return plan


def used_actions(pages: Mapping[str, PageSpec], actions: Mapping[str, ActionSpec]) -> dict[str, ActionSpec]:
    """Return the actions that some form or button does; a member of a family need not use all of its actions."""
    used = {text for page in pages.values() for text in slot_texts(page, Slot.ACTION)}
    return {name: action for name, action in actions.items() if name in used}


def _add_fillers(plan: SitePlan, spec: ArchetypeSpec, facts: Facts, fillers: Mapping[str, FillerSpec]) -> None:
    rng = facts.rng("fillers")
    fewest, most = (min(count, len(fillers)) for count in spec.fillers)
    for name in rng.sample(sorted(fillers), rng.integer(fewest, most)):
        filler = fillers[name]
        own = Facts(*facts.source(), known=facts.values)
        own.draw(filler.facts, f"filler {name}")
        full = filled(filler, own)
        page = FILLER_PREFIX + name
        _fresh([page], plan.pages, "page")
        plan.pages[page] = PageSpec(title=f"{full.nav} - {facts.values['operator']}", blocks=full.blocks)
        plan.footer.append((full.nav, page))


def draw_gate(
    choice: str | tuple[str, ...] | None, facts: Facts, page: str, kinds: Iterable[str], allowed: Container[str]
) -> str:
    """Return the gate kind for a page; the draw depends on the site's key and the page's name, never on the label.

    ``any`` leaves the page open half of the time and else takes each kind alike; a list takes each of its kinds alike.
    The kinds are shuffled before it is asked which of them may stand here, so that leaving some out changes only the
    draws that would have given them.

    Args:
        choice: What the page allows (see ``PageSpec.gate``).
        facts: The site's draws.
        page: Name of the page.
        kinds: Every gate kind of the site's language, sorted.
        allowed: Those that may stand on the page; a site has no gate twice.
    """
    if choice is None:
        return OPEN_GATE
    rng = facts.rng("gate", page)
    if choice == "any" and rng.below(2) == 0:
        return OPEN_GATE
    order = list(kinds) if choice == "any" else sorted(set(choice))
    rng.shuffle(order)
    return next((kind for kind in order if kind == OPEN_GATE or kind in allowed), OPEN_GATE)


def _able(plan: SitePlan, gate: GateSpec, page: str) -> bool:
    if gate.transform is not None:
        return fits(gate.transform, plan.pages[page].blocks)
    return bool(plan.footer) or gate.clue is None


def _add_gate(plan: SitePlan, facts: Facts, gate: GateSpec, target: str) -> str:
    """Put a gate before a page, or let it change the page; return the name of its entry page, ``""`` for none."""
    scope = f"gate {gate.kind} {target}"
    place_title, place = facts.rng("place", target).choice(plan.footer) if gate.clue is not None else ("", "home")
    own = Facts(*facts.source(), known={**facts.values, "place_title": place_title})
    own.draw(gate.facts, scope)
    prefix = f"{gate.kind}_{target}_"
    variables = [*gate.state, *(name for page in gate.pages.values() for name in download_names(page.blocks))]
    names: dict[Slot, dict[str, str]] = {
        Slot.PAGE: {**{name: prefix + name for name in gate.pages}, "target": target, "place": place},
        Slot.ACTION: {name: prefix + name for name in gate.actions},
        Slot.VAR: {name: prefix + name for name in variables},
    }
    put = renamed(filled(gate, own), names)
    behind = plan.pages[target]
    if put.transform is not None:
        blocks = _transformed(put, own, scope, behind.blocks, prefix + "panels")
        plan.pages[target] = behind.model_copy(update={"blocks": blocks})
        return ""
    assert put.entry is not None, "checked when the gate was read"
    assert put.guard is not None, "checked when the gate was read"
    _fresh(put.pages, plan.pages, "page")
    _fresh(put.actions, plan.actions, "action")
    _fresh(put.state, plan.state, "state variable")
    plan.pages.update(put.pages)
    plan.actions.update(put.actions)
    plan.state.update(put.state)
    detours = (Detour(when=put.guard, go=put.entry), *behind.detours)
    plan.pages[target] = behind.model_copy(update={"detours": detours})
    if put.clue is not None:
        found = plan.pages[place]
        plan.pages[place] = found.model_copy(update={"blocks": (*found.blocks, put.clue)})
    return put.entry


def _transformed(
    gate: GateSpec, facts: Facts, scope: str, blocks: tuple[AnyBlock, ...], panels: str
) -> tuple[AnyBlock, ...]:
    if gate.transform == "picture":
        return in_pictures(blocks)
    assert gate.cover is not None, "checked when the gate was read"
    kind: Literal["tabs", "accordion"] = facts.rng(scope, "panels").choice(("tabs", "accordion"))
    return in_panels(blocks, kind, panels, gate.cover, gate.label)


def _add_panels(plan: SitePlan, blocks: tuple[AnyBlock, ...]) -> None:
    for block in blocks:
        if not isinstance(block, PanelsBlock):
            continue
        _fresh([block.name], plan.state, "state variable")
        _fresh([panel_action(block.name, i) for i in range(len(block.items))], plan.actions, "action")
        tabs = block.kind == "tabs"
        plan.state[block.name] = 0 if tabs else -1
        for i, panel in enumerate(block.items):
            opened: Scalar = i if tabs else f"{{{{ -1 if {block.name} == {i} else {i} }}}}"
            plan.actions[panel_action(block.name, i)] = ActionSpec(set={block.name: opened})
            _add_panels(plan, panel.blocks)


def _fresh(names: Iterable[str], taken: Container[str], what: str) -> None:
    for name in names:
        if name in taken:
            raise NameClashError(
                f"a shared page, a gate or panels bring a second {what} '{name}'; rename one of the two"
            )


def panel_action(panels: str, index: int) -> str:
    """Return the name of the action that opens a panel (or closes an open fold)."""
    return f"{panels}_{index}"
