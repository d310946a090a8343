"""Lint of wordings: that no sentence is half of a violation on one site and passes for something else on another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.atoms import atom_lines
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import wordings
from riskchain_gym.sites.lint import blamed
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import ArchetypeSpec, FactSpec, Lang, Scalar

_LINT_KEY = b"lint"
_DRAWINGS = ("1", "2", "3")
"""How often facts are drawn: a wording that ``say`` picks in none of these is not compared."""

_GIVEN: dict[str, Scalar] = {"operator": "x", "slogan": "x", "place_title": "x"}
"""The facts that a gate or a filler page has from its site."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class _Place:
    """Where a wording stands: name of the archetype or file of the piece, field, text filled in, and its atom."""

    name: str
    spec: ArchetypeSpec | None
    file: Path
    field: str
    text: str
    mark: AtomSpec | None

    @property
    def is_half(self) -> bool:
        return self.mark is not None and self.mark.component in (Component.CLAIM, Component.ACTION)

    def contradicts(self, half: _Place) -> bool:
        """Return whether it is not the same half of the same type, on another site."""
        if self.name == half.name:
            return False
        return self.mark is None or half.mark is None or _kind(self.mark) != _kind(half.mark)


def lint_wordings(names: Collection[str], lang: Lang, content: Library) -> list[InputFileError]:
    """Return the wordings that are a claim or an action on one site and unmarked, or something else, on another.

    Whoever reads such a line would find half of a violation where the gold has none. The wordings of all archetypes,
    gates and filler pages of a language are compared with their facts filled in, and are alike when they differ in
    numbers alone. What says the same in other words is not found.

    Args:
        names: The archetypes whose problems are wanted, whichever of their two places is theirs.
        lang: A language with files of its own.
        content: The content folder.
    """
    alike: dict[str, list[_Place]] = {}
    for place in (*_of_archetypes(lang, content), *_of_pieces(lang, content)):
        alike.setdefault(_NUMBER.sub("#", place.text), []).append(place)
    found: dict[tuple[Path, str], InputFileError] = {}
    for places in alike.values():
        halves = [place for place in places if place.is_half]
        for place in places:
            wanted = (half for half in halves if place.contradicts(half) and {half.name, place.name} & {*names})
            if (half := next(wanted, None)) is not None:
                problem = _problem(half, place, content)
                found.setdefault((problem.path, problem.field), problem)
    return list(found.values())


def _problem(half: _Place, place: _Place, content: Library) -> InputFileError:
    assert half.mark is not None, "a half is marked"
    what = f"the {half.mark.component} '{half.text}' of '{half.name}' stands here"
    what += " unmarked" if place.mark is None else f" as a {place.mark.component} of another kind"
    what += "; word it differently or mark it alike"
    if place.spec is not None:
        return blamed(content, place.spec, (place.field, what))
    return InputFileError(place.file, place.field, what)


def _kind(mark: AtomSpec) -> tuple[object, ...]:
    return mark.component, mark.type


def _of_archetypes(lang: Lang, content: Library) -> Iterator[_Place]:
    for name in content.archetype_names():
        try:
            spec = content.archetype(name, lang)
        except InputFileError:
            continue  # told when the archetype itself is checked, or there is none in this language
        file, drawings = content.archetype_file(name, lang), _drawings([spec.host, spec.facts], {}, lang, content)
        for field, text, mark in _texts(spec):
            for filled in _filled(text, drawings):
                yield _Place(name, spec, file, field, filled, mark)


def _of_pieces(lang: Lang, content: Library) -> Iterator[_Place]:
    for file, piece in content.pieces(lang):
        drawings = _drawings([piece.facts], _GIVEN, lang, content)
        for slot, text, field in iter_slots(piece):
            if slot is Slot.TEXT:
                for filled in _filled(text, drawings):
                    yield _Place(f"{file.parent.name}/{file.name}", None, file, field, filled, None)


def _texts(spec: ArchetypeSpec) -> Iterator[tuple[str, str, AtomSpec | None]]:
    """Yield field, wording and atom of every text that a site can show, its forms' errors included."""
    marked: dict[str, tuple[AtomSpec, str]] = {}
    for name, page in spec.pages.items():
        marked |= {field: (atom, line) for field, atom, line in atom_lines(page, f"pages.{name}")}
    for slot, text, field in iter_slots(spec):
        if slot is Slot.TEXT:
            atom, line = marked.get(f"{field.rpartition('.')[0]}.atom", (None, ""))
            for wording in wordings(text, spec.facts):
                yield field, wording, atom if line == text else None


def _drawings(
    facts: Iterable[Mapping[str, FactSpec]], given: Mapping[str, Scalar], lang: Lang, content: Library
) -> list[Facts]:
    """Return the facts of a few sites; those that cannot be drawn are told elsewhere and left out."""
    found = []
    for label in _DRAWINGS:
        drawn = Facts(_LINT_KEY, (label,), content.banks(lang), known=given)
        try:
            for each in facts:
                drawn.draw(each)
        except ExpressionError:
            continue
        found.append(drawn)
    return found


def _filled(text: str, drawings: Sequence[Facts]) -> Iterator[str]:
    """Yield what a wording can be, each once."""
    if "[[" not in text:
        yield from [text] if text.strip() else []
        return
    seen = set()
    for facts in drawings:
        try:
            filled = facts.fill(text)
        except ExpressionError:
            continue
        if filled and filled not in seen:
            seen.add(filled)
            yield filled
