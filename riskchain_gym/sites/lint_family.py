"""Lint of a family: that its members differ in their lines and nothing else, and that no line contradicts another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.atoms import atom_lines
from riskchain_gym.sites.blocks import AtomSpec
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import line_names, wordings
from riskchain_gym.sites.lint import blamed
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import ArchetypeSpec, Lang
from riskchain_gym.sites.yamlfile import read_yaml

_SHARED = ("host", "state", "pages", "actions", "presentations", "fillers", "track", "family")
"""What a family with lines says for all of its members."""

WRITTEN_LANGUAGES: tuple[Lang, ...] = ("zh-CN", "en")
"""Languages with files of their own; the others are made from these."""


@dataclass(frozen=True)
class _Wording:
    """One text that a page of a member can show: where it stands and what it is marked as."""

    spec: ArchetypeSpec
    field: str
    mark: AtomSpec | None


def lint_family(family: str, content: Library) -> list[InputFileError]:
    """Return what is wrong between the members of a family that load, by file and dotted field.

    Args:
        family: Name of the family.
        content: The content folder.
    """
    names = content.members(family)
    problems = list(_translations(family, names, content))
    for lang in WRITTEN_LANGUAGES:
        file = content.family_file(family, lang)
        if not file.is_file():
            continue
        base = read_yaml(file)
        if any(line_names(base.get("pages", {}))):
            problems += _marks(base, file)
            problems += [each for name in names for each in _own_shape(content.archetype_file(name, lang))]
        problems += _contradictions([spec for name in names if (spec := _loaded(content, name, lang))], content)
    return problems


def _loaded(content: Library, name: str, lang: Lang) -> ArchetypeSpec | None:
    try:
        return content.archetype(name, lang)
    except InputFileError:
        return None  # told when the archetype itself is checked, or there is none in this language


def _translations(family: str, names: tuple[str, ...], content: Library) -> Iterator[InputFileError]:
    files = [content.family_file(family, "en"), *(content.archetype_file(name, "en") for name in names)]
    if any(file.is_file() for file in files):
        for file in files:
            if not file.is_file():
                yield InputFileError(
                    file, "", f"is missing: family '{family}' is in English for all members or for none"
                )


def _own_shape(file: Path) -> Iterator[InputFileError]:
    if file.is_file():
        for key in _SHARED:
            if key in read_yaml(file):
                yield InputFileError(
                    file, key, "a member of a family with lines gives no '" + key + "'; the family does"
                )


def _marks(base: Mapping[str, Any], file: Path) -> Iterator[InputFileError]:
    for field in _atoms_in(base.get("pages", {}), "pages"):
        yield InputFileError(
            file, field, "a family marks no atom; write 'line: NAME' and let each member mark its line"
        )


def _atoms_in(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "atom":
                yield f"{path}.atom"
            else:
                yield from _atoms_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _atoms_in(item, f"{path}.{i}")


def _contradictions(specs: Iterable[ArchetypeSpec], content: Library) -> Iterator[InputFileError]:
    """Yield the wordings that are a claim or an action in one member and something else in another.

    Whoever reads such a line would find half of a violation where the gold has none.
    """
    wordings: dict[str, list[_Wording]] = {}
    for spec in specs:
        for text, wording in _wordings(spec):
            wordings.setdefault(text, []).append(wording)
    for text, found in wordings.items():
        halves = [w for w in found if w.mark and w.mark.component in (Component.CLAIM, Component.ACTION)]
        for wording in found:
            half = next((h for h in halves if h.spec is not wording.spec and _differ(h.mark, wording.mark)), None)
            if half is not None and half.mark is not None:
                what = f"the {half.mark.component} '{text}' of '{half.spec.name}' stands here"
                what += " unmarked" if wording.mark is None else f" as a {wording.mark.component} of another kind"
                yield blamed(content, wording.spec, (wording.field, f"{what}; word it differently or mark it alike"))


def _differ(half: AtomSpec | None, other: AtomSpec | None) -> bool:
    return half is None or other is None or (half.component, half.type) != (other.component, other.type)


def _wordings(spec: ArchetypeSpec) -> Iterator[tuple[str, _Wording]]:
    for name, page in spec.pages.items():
        marked = {path.removesuffix("atom"): (atom, line) for path, atom, line in atom_lines(page, f"pages.{name}")}
        for slot, text, field in iter_slots(page, f"pages.{name}"):
            if slot is Slot.TEXT and text:
                atom, line = marked.get(f"{field.rpartition('.')[0]}.", (None, ""))
                for wording in wordings(text, spec.facts):
                    yield wording, _Wording(spec, field, atom if line == text else None)
