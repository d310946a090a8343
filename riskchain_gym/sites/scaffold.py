"""Scaffolds: the files of a new archetype, or of a small family with three members, ready to be filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, ViolationType
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.line_places import commented, line_places
from riskchain_gym.sites.lines import LINE_KEY, line_names, member_lines
from riskchain_gym.sites.lint_family import WRITTEN_LANGUAGES
from riskchain_gym.sites.new_family import BANKS, FAMILY, MEMBER_ENDINGS
from riskchain_gym.sites.placeholders import SUMMARY, is_placeholder, placeholder
from riskchain_gym.sites.yamlfile import read_yaml

_MARKS: dict[Decision, tuple[tuple[Component, AnchorType], ...]] = {
    Decision.VIOLATION: (
        (Component.CLAIM, AnchorType.VISIBLE_TEXT_OR_CLAIM),
        (Component.ACTION, AnchorType.PAYMENT_RECHARGE_OR_TRANSFER),
    ),
    Decision.NON_VIOLATION: ((Component.BENIGN, AnchorType.BENIGN_SERVICE_CONSISTENCY),),
    Decision.INSUFFICIENT_EVIDENCE: ((Component.LIMITATION, AnchorType.ENVIRONMENT_LIMITATION),),
}
LONGEST_NAME = 60
"""Characters of the name of an archetype or a family, at most."""

_PSEUDO = {Decision.NON_VIOLATION: ViolationType.NONE, Decision.INSUFFICIENT_EVIDENCE: ViolationType.UNKNOWN}
_HEAD = "# Fill in summary and lines; `riskchain sites lint {name}` says what is wrong.\n"


def new_archetype(
    name: str, family: str, decision: Decision, content: Library, violation_type: ViolationType | None = None
) -> list[Path]:
    """Write a new member of a family, every line of it a placeholder, and return the files written.

    A comment above each line says where it stands and how long it is in the other members.

    Args:
        name: Name of the archetype.
        family: A family whose pages use lines.
        decision: Its label.
        content: The content folder to write into.
        violation_type: The type of a violation; fraud by default.

    Raises:
        UnknownNameError: There is no such family.
        ConfigError: A name is not possible, or the family has no lines or too few that are always shown to bear the
            label.
        InputFileError: One of the files is there already, or cannot be written.
    """
    _check_names([name], family)
    if not content.family_file(family).is_file():
        raise UnknownNameError(
            f"There is no family '{family}': known are {', '.join(_extendable(content))}; or make one with "
            "--new-family."
        )
    label = {"decision": decision.value, "type": _type_of(decision, violation_type).value}
    written: dict[Path, str] = {}
    for lang in WRITTEN_LANGUAGES:
        file = content.family_file(family, lang)
        if file.is_file():
            base = read_yaml(file)
            member = {
                "extends": family,
                "summary": SUMMARY,
                "label": label,
                "lines": _lines(name, base, file, decision, lang),
            }
            own = content.root / "archetypes" / name / ("site.yaml" if lang == "zh-CN" else f"site.{lang}.yaml")
            text = commented(_dump(member), _notes(base, _lengths(family, lang, content)))
            written[own] = _HEAD.format(name=name) + text
    return _write(written)


def new_family(name: str, family: str, content: Library) -> list[Path]:
    """Write a small family that works, its banks and three members, and return the files written.

    Args:
        name: Name of the violating member; the others are called after it.
        family: Name of the family.
        content: The content folder to write into.

    Raises:
        ConfigError: A name is not possible.
        InputFileError: One of the files is there already or cannot be written, or there is a family of that name.
    """
    _check_names([name + ending for ending in MEMBER_ENDINGS], family)
    if content.family_file(family).is_file():
        raise InputFileError(content.family_file(family), "", "is there already; give the new family another name")
    written = {
        content.root / "families" / f"{family}.yaml": FAMILY.replace("FAMILY", family),
        content.root / "banks" / f"{family}.yaml": BANKS.replace("FAMILY", family),
    }
    notes = _notes(yaml.safe_load(FAMILY), {})
    for ending, text in MEMBER_ENDINGS.items():
        file = content.root / "archetypes" / (name + ending) / "site.yaml"
        written[file] = _HEAD.format(name=name + ending) + commented(text.replace("FAMILY", family), notes)
    return _write(written)


def _check_names(names: Sequence[str], family: str) -> None:
    given = [*((name, "An archetype", "-") for name in names), (family, "A family", "_")]
    for name, what, allowed in given:
        if len(name) > LONGEST_NAME or re.fullmatch(f"[a-z][a-z0-9{allowed}]*", name) is None:
            raise ConfigError(
                f"{what} cannot be called '{name}': use lower-case letters, digits and '{allowed}', a letter first, "
                f"{LONGEST_NAME} at most."
            )


def _extendable(content: Library) -> list[str]:
    """Return the families whose pages use lines, the folder's own before the project's."""
    found: list[str] = []
    for folder in dict.fromkeys((content.root / "families", content_dir("sites") / "families")):
        for file in sorted(folder.glob("*.yaml")):
            with suppress(InputFileError):
                if "." not in file.stem and any(line_names(read_yaml(file).get("pages", {}))):
                    found.append(file.stem)
    return list(dict.fromkeys(found))


def _type_of(decision: Decision, given: ViolationType | None) -> ViolationType:
    if decision is not Decision.VIOLATION:
        if given is not None:
            raise ConfigError(f"--type {given} goes with VIOLATION, not with {decision}; leave it out.")
        return _PSEUDO[decision]
    if given in _PSEUDO.values():
        raise ConfigError(f"A VIOLATION needs a concrete type, not {given}.")
    return given or ViolationType.FRAUD_DECEPTIVE_INDUCEMENT


def _lines(name: str, family: Mapping[str, Any], file: Path, decision: Decision, lang: str) -> dict[str, Any]:
    pages = family.get("pages", {})
    names = list(dict.fromkeys(line_names(pages)))
    always = list(dict.fromkeys(_always_shown(pages)))
    marks = _MARKS[decision]
    if len(always) < len(marks):
        raise ConfigError(
            f"{file} has {len(always)} lines that are always shown and a {decision} member needs {len(marks)} to mark: "
            "add 'line: NAME' to its pages past the landing page."
        )
    marked = dict(zip(always, marks, strict=False))
    lines: dict[str, Any] = {}
    for line in names:
        lines[line] = placeholder(name, line, lang)
        if line in marked:
            component, anchor = marked[line]
            lines[line] = {"text": lines[line], "atom": {"component": component.value, "anchor": anchor.value}}
    return lines


def _notes(family: Mapping[str, Any], lengths: Mapping[str, Sequence[int]]) -> dict[str, list[str]]:
    """Return what an author should know of each line: its places, and how long it is elsewhere."""
    notes = line_places(family.get("pages", {}))
    for line, found in notes.items():
        if line in lengths:
            span = " to ".join(map(str, sorted({min(lengths[line]), max(lengths[line])})))
            found[-1] += f"; {span} characters in other members"
    return notes


def _lengths(family: str, lang: str, content: Library) -> dict[str, list[int]]:
    """Return how long the lines of the family's members are, those with placeholders left out."""
    home = content if content.members(family) else library()
    found: dict[str, list[int]] = {}
    for name in home.members(family):
        with suppress(InputFileError):
            for line, text, _ in member_lines(home.written(name, lang)):
                if "[[" not in text and not is_placeholder(text):
                    found.setdefault(line, []).append(len(text))
    return found


def _always_shown(value: Any) -> Iterator[str]:
    """Yield the lines that stand under no condition and on no page that leads away."""
    if isinstance(value, Mapping):
        if "when" in value or "detours" in value:
            return
        if LINE_KEY in value:
            yield str(value[LINE_KEY])
        for item in value.values():
            yield from _always_shown(item)
    elif isinstance(value, list):
        for item in value:
            yield from _always_shown(item)


def _dump(data: Mapping[str, Any]) -> str:
    return str(yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=120))


def _write(files: Mapping[Path, str]) -> list[Path]:
    """Write all of the files or none."""
    for path in files:
        if os.path.lexists(path):
            raise InputFileError(path, "", "is there already and is never overwritten; give another name or move it")
    made: list[Path] = []
    try:
        for path, text in files.items():
            made += reversed([folder for folder in path.parents if not folder.exists()])
            made.append(path)
            write_atomically(path, text.encode())
    except BaseException as error:
        for each in reversed(made):
            with suppress(OSError):
                each.rmdir() if each.is_dir() else each.unlink()
        if isinstance(error, OSError):
            raise InputFileError(path, "", f"cannot be written ({error.strerror}), so nothing is") from None
        raise
    return list(files)
