"""Lint: every problem of an archetype that can be told without walking the site."""

from __future__ import annotations

from collections.abc import Iterator

from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.atoms import atom_lines, label_problem
from riskchain_gym.sites.blocks import AtomSpec, TextBlock
from riskchain_gym.sites.compiled import HOME
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import LINE_FACT, line_field, wordings
from riskchain_gym.sites.lint_pages import empty_texts, page_problems
from riskchain_gym.sites.lint_slots import (
    Names,
    Problem,
    all_panels,
    broken_lines,
    fact_problems,
    name_problems,
    own_names,
    reserved_names,
    unknown_facts,
)
from riskchain_gym.sites.lint_undecided import undecided_problems
from riskchain_gym.sites.plan import FILLER_PREFIX, OPEN_GATE, filled, used_actions
from riskchain_gym.sites.slots import Slot, slot_texts
from riskchain_gym.sites.spec import ArchetypeSpec
from riskchain_gym.sites.transform import fits
from riskchain_gym.sites.trial import trial
from riskchain_gym.sites.yamlfile import field_parts, field_path, read_yaml

_LINT_KEY = b"lint"


def lint_spec(spec: ArchetypeSpec, content: Library) -> list[Problem]:
    """Return what is wrong with an archetype, family merged in; an empty list when nothing is."""
    problems = [
        *_facts(spec, content),
        *_gates(spec, content),
        *_atoms(spec),
        *_limitations(spec),
        *_panels(spec, content),
    ]
    if problems:
        return problems
    if problems := list(undecided_problems(spec, content)):
        return problems
    facts = Facts(_LINT_KEY, ("lint",), content.banks(spec.lang))
    try:
        facts.draw(spec.host, "host")
        facts.draw(spec.facts)
        full = filled(spec, facts)
    except ExpressionError as error:
        return [("facts", str(error))]
    full = full.model_copy(update={"actions": used_actions(full.pages, full.actions)})
    names = own_names(full.pages, full.state, spec.actions)
    problems = [*name_problems(full, names), *_lines(full), *_wordings(spec, facts, names), *_unused(full)]
    return problems or [*page_problems(full), *trial(full, full.pages, full.state)]


def blamed(content: Library, spec: ArchetypeSpec, problem: Problem) -> InputFileError:
    """Return a problem as an error that names the file the field stands in, for a line the member's ``lines.NAME``."""
    field, what = problem
    own, family = content.archetype_file(spec.name, spec.lang), content.family_file(spec.family, spec.lang)
    base = read_yaml(family)
    line = line_field(base, field)
    if line is not None:
        return InputFileError(own, line, what)
    for file, data in ((own, read_yaml(own)), (family, base)):
        if field and field_path(data, field_parts(field)) == field:
            return InputFileError(file, field, what)
    return InputFileError(own, field, what)


def _facts(spec: ArchetypeSpec, content: Library) -> Iterator[Problem]:
    yield from fact_problems(spec.host, set(), content.banks(), "host")
    yield from fact_problems(spec.facts, set(spec.host), content.banks())
    yield from reserved_names(spec.state, "state")
    for name in sorted(spec.host.keys() & spec.facts.keys()):
        yield f"facts.{name}", "the host family has a fact of this name too; rename one"
    for needed in ("operator", "slogan"):
        if needed not in spec.host and needed not in spec.facts:
            yield "host", f"the fact '{needed}' is missing; every site needs it for its header"
    yield from unknown_facts(spec, {*spec.host, *spec.facts})


def _gates(spec: ArchetypeSpec, content: Library) -> Iterator[Problem]:
    own = content.gates(spec.lang)
    known = {OPEN_GATE, *content.gate_kinds()}
    for name, page in spec.pages.items():
        if name.startswith(FILLER_PREFIX):
            yield f"pages.{name}", f"names that begin with '{FILLER_PREFIX}' belong to the filler pages; rename it"
        if isinstance(page.gate, tuple):
            for i, kind in enumerate(page.gate):
                if kind not in known:
                    yield f"pages.{name}.gate.{i}", f"there is no gate '{kind}'; known are {', '.join(sorted(known))}"
                elif kind in own and (transform := own[kind].transform) and not fits(transform, page.blocks):
                    yield f"pages.{name}.gate.{i}", f"'{kind}' would change nothing on this page; remove it"
    if spec.fillers[0] > spec.fillers[1] or spec.fillers[0] < 0:
        yield "fillers", f"the fewest {spec.fillers[0]} must be between 0 and the most {spec.fillers[1]}"


def _atoms(spec: ArchetypeSpec) -> Iterator[Problem]:
    atoms: list[AtomSpec] = []
    for name, page in spec.pages.items():
        for path, atom, text in atom_lines(page, f"pages.{name}"):
            atoms.append(atom)
            typed = atom.component in (Component.CLAIM, Component.ACTION)
            if typed and atom.type is None:
                yield path, f"a {atom.component} atom needs the violation type it is a part of; add 'type:'"
            if not typed and atom.type is not None:
                yield path, f"a {atom.component} atom carries no violation type; remove 'type:'"
            said = wordings(text, spec.facts)
            if any("{{" in wording for wording in said):
                yield path, "an atom's line may use facts only, not '{{ … }}'; put the changing part on another line"
            if not all(wording.strip() for wording in said):
                yield path, "an atom's line must not be empty"
    problem = label_problem(spec.label, atoms)
    if problem is not None:
        yield "label", problem


def _limitations(spec: ArchetypeSpec) -> Iterator[Problem]:
    """Yield what could take a limitation away: the label needs one that no way through the site removes."""
    for name, page in spec.pages.items():
        places = list(_limitation_places(page, f"pages.{name}", ()))
        for path in dict.fromkeys(path for conditions in places for path in conditions):
            yield path, "a limitation must always be shown on its page; remove this condition or mark another line"
        if places and page.detours:
            yield f"pages.{name}.detours", "a page with a limitation must not send visitors on; only its gate may"


def _limitation_places(value: object, path: str, conditions: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield, for each limitation atom, the paths of the conditions it and the blocks around it stand under."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _limitation_places(item, f"{path}.{i}", conditions)
    if not isinstance(value, Frozen):
        return
    if getattr(value, "when", None) is not None:
        conditions = (*conditions, f"{path}.when")
    atom = getattr(value, "atom", None)
    if isinstance(atom, AtomSpec) and atom.component is Component.LIMITATION:
        yield conditions
    for name in type(value).model_fields:
        yield from _limitation_places(getattr(value, name), f"{path}.{name}", conditions)


def _panels(spec: ArchetypeSpec, content: Library) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    shared = {
        panels.name: filler.name
        for filler in content.fillers(spec.lang).values()
        for panels in all_panels(filler.blocks)
    }
    for name in sorted(shared.keys() & spec.state.keys()):
        yield f"state.{name}", f"the panels on the filler page '{shared[name]}' have this name too; rename one"
    for name, page in spec.pages.items():
        for block in all_panels(page.blocks):
            yield from reserved_names([block.name], f"pages.{name}")
            if block.name in shared:
                yield f"pages.{name}", f"the panels name '{block.name}' is also used on a filler page; rename it"
            if block.name in seen:
                yield f"pages.{name}", f"the panels name '{block.name}' is also used on page '{seen[block.name]}'"
            if block.name in spec.state:
                yield f"state.{block.name}", f"the panels on page '{name}' have this name too; rename one"
            seen[block.name] = name


def _lines(spec: ArchetypeSpec) -> Iterator[Problem]:
    yield from broken_lines(spec)
    entries = [page.nav for page in spec.pages.values() if page.nav]
    for name, page in spec.pages.items():
        marked = [(path, text) for path, _, text in atom_lines(page, f"pages.{name}")]
        texts = [*slot_texts(page, Slot.TEXT), *entries] if marked else []
        for path, text in marked:
            if texts.count(text) > 1:
                yield path, f"the line '{text}' stands on this page more than once, so a citation of it is ambiguous"


def _wordings(spec: ArchetypeSpec, facts: Facts, names: Names) -> Iterator[Problem]:
    """Yield what is wrong with wordings that this drawing of the site has not picked."""
    for name, fact in spec.facts.items():
        if name.startswith(LINE_FACT):
            for option in map(str, fact.choice or ()):
                text = TextBlock(kind="text", text=facts.fill(option))
                found = (*name_problems(text, names), *broken_lines(text), *empty_texts(text))
                yield from ((f"facts.{name}", what) for _, what in found)


def _unused(spec: ArchetypeSpec) -> Iterator[Problem]:
    for name, fact in spec.actions.items():
        for i, check in enumerate(fact.checks):
            if check.rule is None and check.equals is None and not check.checked:
                yield f"actions.{name}.checks.{i}", "a check needs one of rule, equals, checked"
    models = (*spec.pages.values(), *spec.actions.values())
    targets = {text for model in models for text in slot_texts(model, Slot.PAGE)}
    targets |= {name for name, page in spec.pages.items() if page.nav is not None} | {HOME}
    for name in spec.pages:
        if name not in targets:
            yield f"pages.{name}", "nothing leads to this page; link to it, give it a 'nav' label, or remove it"
