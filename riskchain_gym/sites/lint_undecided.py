"""Lint of undecidable archetypes: that a member does not supply, unmarked, what its limitation says is missing.

What the family, a gate or a filler page says is said on sites of every label. A line is declared, marked or plain;
whether a plain one is as plain as it is declared cannot be told here, only compared with other wordings. Whatever else
the member writes must be marked, unless it is always shown beside a limitation, where every reader of the page has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from riskchain_gym.protocol.codebook import Component, Decision
from riskchain_gym.sites.atoms import atom_lines
from riskchain_gym.sites.expressions import fact_names
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import line_field
from riskchain_gym.sites.lint_slots import Problem
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import ArchetypeSpec
from riskchain_gym.sites.yamlfile import field_parts, read_yaml

_TYPED = re.compile(r"\{\{\s*form\.\w+\s*\}\}")
"""A value that is what the visitor has typed."""

_SILENT = (".equals", ".fixture")
"""Texts that no page shows."""

_WRITES = frozenset({"pages", "actions", "state", "facts"})
"""Keys by which a member says something beside its lines."""


def undecided_problems(spec: ArchetypeSpec, content: Library) -> Iterator[Problem]:
    """Yield what an undecidable member says unmarked in some states only, or on a page without a limitation.

    Args:
        spec: The archetype, family merged in; one with another label has no such problem.
        content: The content folder.
    """
    written = content.written(spec.name, spec.lang)
    if spec.label.decision is not Decision.INSUFFICIENT_EVIDENCE or _WRITES.isdisjoint(written):
        return
    marks = {field: atom for name, page in spec.pages.items() for field, atom, _ in atom_lines(page, f"pages.{name}")}
    covered = {field.split(".")[1] for field, atom in marks.items() if atom.component is Component.LIMITATION}
    slots = list(iter_slots(spec))
    conditional = tuple(field.removesuffix("when") for _, _, field in slots if field.endswith(".when"))
    base = read_yaml(content.family_file(spec.family, spec.lang))
    for slot, text, field in slots:
        if slot not in (Slot.TEXT, Slot.VALUE) or not text.strip() or field.endswith(_SILENT):
            continue
        if f"{field.rpartition('.')[0]}.atom" in marks:
            continue
        if not (_holds(written, field) or (_says_fact(written, text) and line_field(base, field) is None)):
            continue
        where = "in some states only"
        if slot is Slot.TEXT and field.startswith("pages."):
            if field.split(".")[1] not in covered:
                where = "on a page with no limitation"
            elif "{{" not in text and not field.startswith(conditional):
                continue
        elif _TYPED.fullmatch(text):
            continue
        yield field, f"an undecidable site shows '{text}' {where}, unmarked; mark it or let the family say it"


def _holds(data: Any, field: str) -> bool:
    """Return whether the text of a field is written in a file, be it as a text where a mapping could stand."""
    for part in field_parts(field):
        if isinstance(data, str):
            return True
        try:
            data = data[part]
        except (LookupError, TypeError):
            return False
    return True


def _says_fact(written: Mapping[str, Any], text: str) -> bool:
    """Return whether a text has a place for a fact that the member draws itself."""
    return "[[" in text and not fact_names(text).isdisjoint(written.get("facts", {}))
