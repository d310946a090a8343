"""Lint of a family: that its members differ in their lines and nothing else, and are there in the same languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import line_names
from riskchain_gym.sites.spec import Lang
from riskchain_gym.sites.yamlfile import read_yaml

_SHARED = ("host", "state", "pages", "actions", "presentations", "fillers", "track", "family")
"""What a family with lines says for all of its members."""

WRITTEN_LANGUAGES: tuple[Lang, ...] = ("zh-CN", "en")
"""Languages with files of their own; the others are made from these."""


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
        try:
            base = read_yaml(file)
        except InputFileError:
            continue  # told when its members are checked
        if any(line_names(base.get("pages", {}))):
            problems += _marks(base, file)
            problems += [each for name in names for each in _own_shape(name, lang, content)]
    return problems


def _translations(family: str, names: tuple[str, ...], content: Library) -> Iterator[InputFileError]:
    files = [content.family_file(family, "en"), *(content.archetype_file(name, "en") for name in names)]
    if any(file.is_file() for file in files):
        for file in files:
            if not file.is_file():
                yield InputFileError(
                    file, "", f"is missing: family '{family}' is in English for all members or for none"
                )


def _own_shape(name: str, lang: Lang, content: Library) -> Iterator[InputFileError]:
    file = content.archetype_file(name, lang)
    try:
        written = content.written(name, lang) if file.is_file() else {}
    except InputFileError:
        return  # told when the member itself is checked
    for key in _SHARED:
        if key in written:
            yield InputFileError(file, key, f"a member of a family with lines gives no '{key}'; the family does")


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
