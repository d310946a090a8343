"""Lint of wordings: that no sentence is half of a violation on one site and passes for something else on another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.atoms import atom_lines
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import member_lines, wordings
from riskchain_gym.sites.lint import blamed
from riskchain_gym.sites.lint_fillings import Filling, Fillings, letters
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import ArchetypeSpec, Lang, Scalar

_GIVEN: dict[str, Scalar] = {"operator": "x", "slogan": "x", "place_title": "x"}
"""The facts that a gate or a filler page has from its site."""

_LINES_ALONE = frozenset({"extends", "name", "summary", "label", "depth", "lines"})
"""What a member gives that has every other text from its family as it is."""


class _Place(NamedTuple):
    """Where a wording stands: name of the archetype or file of the piece, field, wording, its filling, and its atom."""

    name: str
    spec: ArchetypeSpec | None
    file: Path
    field: str
    text: str
    filling: Filling
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
    known, fillings = content.archetype_names(), Fillings(lang, content)
    alike: dict[str, list[_Place]] = {}
    for place in _of_archetypes([name for name in known if name in names], lang, content, fillings):
        for filled, pattern in place.filling.filled(place.text):
            alike.setdefault(pattern, []).append(place._replace(text=filled))
    halves_of_own = {pattern for pattern, places in alike.items() if any(place.is_half for place in places)}
    wanted = {letters(pattern) for pattern in halves_of_own}
    others = _of_others([name for name in known if name not in names], lang, content, fillings)
    for place in (*others, *_of_pieces(lang, content, fillings)):
        if place.is_half or place.filling.can_be(place.text, wanted):
            for filled, pattern in place.filling.filled(place.text):
                if pattern in (alike if place.is_half else halves_of_own):
                    alike[pattern].append(place._replace(text=filled))
    found: dict[tuple[Path, str], InputFileError] = {}
    for places in alike.values():
        halves = [place for place in places if place.is_half]
        for place in places:
            against = (half for half in halves if place.contradicts(half) and {half.name, place.name} & {*names})
            if (half := next(against, None)) is not None:
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


def _of_archetypes(names: Iterable[str], lang: Lang, content: Library, fillings: Fillings) -> Iterator[_Place]:
    for name in names:
        try:
            spec = content.archetype(name, lang)
        except InputFileError:
            continue  # told when the archetype itself is checked, or there is none in this language
        yield from _of_spec(spec, content, fillings)


def _of_others(names: Iterable[str], lang: Lang, content: Library, fillings: Fillings) -> Iterator[_Place]:
    """Yield the places of archetypes, those in the pages that members of a family share once for all of them."""
    first: dict[str, ArchetypeSpec] = {}
    for name in names:
        try:
            written = content.written(name, lang)
            alone = written.keys() <= _LINES_ALONE
            if alone and (member := first.get(str(written.get("extends")))) is not None:
                file, filling = content.archetype_file(name, lang), fillings.of([member.host, member.facts])
                yield from _of_lines(name, written, file, filling)
                continue
            spec = content.archetype(name, lang)
        except InputFileError:
            continue  # as above
        if alone:
            first[spec.family] = spec
        yield from _of_spec(spec, content, fillings)


def _of_spec(spec: ArchetypeSpec, content: Library, fillings: Fillings) -> Iterator[_Place]:
    file, filling = content.archetype_file(spec.name, spec.lang), fillings.of([spec.host, spec.facts])
    for field, text, mark in _texts(spec):
        yield _Place(spec.name, spec, file, field, text, filling, mark)


def _of_lines(name: str, written: Mapping[str, Any], file: Path, filling: Filling) -> Iterator[_Place]:
    for line, text, atom in member_lines(written):
        try:
            mark = None if atom is None else AtomSpec.model_validate(atom)
        except ValidationError:
            continue  # told when the archetype itself is checked
        yield _Place(name, None, file, f"lines.{line}", text, filling, mark)


def _of_pieces(lang: Lang, content: Library, fillings: Fillings) -> Iterator[_Place]:
    for file, piece in content.pieces(lang):
        filling = fillings.of([piece.facts], _GIVEN)
        for slot, text, field in iter_slots(piece):
            if slot is Slot.TEXT:
                yield _Place(f"{file.parent.name}/{file.name}", None, file, field, text, filling, None)


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
