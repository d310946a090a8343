"""Scaffolds: the files of a new archetype, or of a small family with three members, ready to be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import LINE_KEY, line_names
from riskchain_gym.sites.lint_family import WRITTEN_LANGUAGES
from riskchain_gym.sites.new_family import BANKS, FAMILY, MEMBER_ENDINGS
from riskchain_gym.sites.yamlfile import read_yaml

_MARKS: dict[Decision, tuple[tuple[Component, AnchorType], ...]] = {
    Decision.VIOLATION: (
        (Component.CLAIM, AnchorType.VISIBLE_TEXT_OR_CLAIM),
        (Component.ACTION, AnchorType.PAYMENT_RECHARGE_OR_TRANSFER),
    ),
    Decision.NON_VIOLATION: ((Component.BENIGN, AnchorType.BENIGN_SERVICE_CONSISTENCY),),
    Decision.INSUFFICIENT_EVIDENCE: ((Component.LIMITATION, AnchorType.ENVIRONMENT_LIMITATION),),
}
_PSEUDO = {Decision.NON_VIOLATION: ViolationType.NONE, Decision.INSUFFICIENT_EVIDENCE: ViolationType.UNKNOWN}
_TEXTS = {"zh-CN": "（{name}，{line}：这里写这一句）", "en": "({name}, {line}: write this sentence)"}
_HEAD = "# Fill in summary and lines; `riskchain sites lint {name}` says what is wrong.\n"


def new_archetype(
    name: str, family: str, decision: Decision, content: Library, violation_type: ViolationType | None = None
) -> list[Path]:
    """Write a new member of a family, every line of it a placeholder, and return the files written.

    Args:
        name: Name of the archetype.
        family: A family whose pages use lines.
        decision: Its label.
        content: The content folder to write into.
        violation_type: The type of a violation; fraud by default.

    Raises:
        UnknownNameError: There is no such family.
        ConfigError: The family has no lines, or too few that are always shown to bear the label.
        InputFileError: One of the files is there already.
    """
    _check_names(name)
    if not content.family_file(family).is_file():
        raise UnknownNameError(
            f"There is no family '{family}': known are {', '.join(content.families()) or 'none'}; "
            "or make one with --new-family."
        )
    label = {"decision": decision.value, "type": _type_of(decision, violation_type).value}
    written: dict[Path, str] = {}
    for lang in WRITTEN_LANGUAGES:
        file = content.family_file(family, lang)
        if file.is_file():
            member = {
                "extends": family,
                "summary": "One English sentence: what the site is and what decides it.",
                "label": label,
                "lines": _lines(name, read_yaml(file), file, decision, lang),
            }
            own = content.root / "archetypes" / name / ("site.yaml" if lang == "zh-CN" else f"site.{lang}.yaml")
            written[own] = _HEAD.format(name=name) + _dump(member)
    return _write(written)


def new_family(name: str, family: str, content: Library) -> list[Path]:
    """Write a small family that works, its banks and three members, and return the files written.

    Args:
        name: Name of the violating member; the others are called after it.
        family: Name of the family.
        content: The content folder to write into.

    Raises:
        InputFileError: One of the files is there already, or there is a family of that name.
    """
    _check_names(name, family)
    if content.family_file(family).is_file():
        raise InputFileError(content.family_file(family), "", "is there already; give the new family another name")
    written = {
        content.root / "families" / f"{family}.yaml": FAMILY.replace("FAMILY", family),
        content.root / "banks" / f"{family}.yaml": BANKS.replace("FAMILY", family),
    }
    for ending, text in MEMBER_ENDINGS.items():
        file = content.root / "archetypes" / (name + ending) / "site.yaml"
        written[file] = _HEAD.format(name=name + ending) + text.replace("FAMILY", family)
    return _write(written)


def _check_names(name: str, family: str = "x") -> None:
    for given, what, allowed in ((name, "An archetype", "-"), (family, "A family", "_")):
        plain = given.replace(allowed, "a")
        if not (plain.isascii() and plain.isalnum() and plain == plain.lower() and plain[0].isalpha()):
            raise ConfigError(
                f"{what} cannot be called '{given}': use lower-case letters, digits and '{allowed}', a letter first."
            )


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
        lines[line] = _TEXTS[lang].format(name=name, line=line)
        if line in marked:
            component, anchor = marked[line]
            lines[line] = {"text": lines[line], "atom": {"component": component.value, "anchor": anchor.value}}
    return lines


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
    for path in files:
        if path.exists():
            raise InputFileError(path, "", "is there already and is never overwritten; give another name or move it")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    return list(files)
