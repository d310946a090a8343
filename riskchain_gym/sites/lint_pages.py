"""Lint of pages: what stands on them is written, is not empty, and a visitor who arrives sees the landing page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import TableBlock
from riskchain_gym.sites.compiled import HOME
from riskchain_gym.sites.expressions import RUN, ExpressionError, evaluate
from riskchain_gym.sites.lint_slots import Problem
from riskchain_gym.sites.placeholders import is_placeholder
from riskchain_gym.sites.slots import Slot, iter_slots, slots_of
from riskchain_gym.sites.spec import ArchetypeSpec
from riskchain_gym.sites.trial import arrival

_FOUND = 200


def page_problems(full: ArchetypeSpec) -> Iterator[Problem]:
    """Yield what is wrong with the pages of an archetype whose ``[[ … ]]`` placeholders are filled in."""
    yield from _unwritten(full)
    yield from empty_texts(full)
    yield from _fields_twice(full)
    yield from _landing(full)


def empty_texts(model: Any, path: str = "") -> Iterator[Problem]:
    """Yield the texts that nothing stands in and that cannot be left out; the cells of a table can be empty."""
    if isinstance(model, dict):
        for key, item in model.items():
            yield from empty_texts(item, f"{path}.{key}")
    elif isinstance(model, tuple):
        for i, item in enumerate(model):
            yield from empty_texts(item, f"{path}.{i}")
    elif isinstance(model, Frozen):
        for name, slot in slots_of(type(model)):
            value, where = getattr(model, name), f"{path}.{name}" if path else name
            if slot is Slot.TEXT and type(model).model_fields[name].is_required() and not isinstance(model, TableBlock):
                single = isinstance(value, str)
                for i, text in enumerate((value,) if single else value):
                    if isinstance(text, str) and not text.strip():
                        yield where if single else f"{where}.{i}", "the text is empty; write it or remove the place"
            yield from empty_texts(value, where)


def _unwritten(spec: ArchetypeSpec) -> Iterator[Problem]:
    if is_placeholder(spec.summary):
        yield "summary", "is still the placeholder of a new archetype; write what the site is and what decides it"
    for slot, text, path in iter_slots(spec):
        if slot is Slot.TEXT and is_placeholder(text):
            yield path, "is still the placeholder of a new archetype; write the sentence"


def _fields_twice(spec: ArchetypeSpec) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for slot, name, path in iter_slots(spec):
        form, fields, _ = path.rpartition(".fields.")
        if slot is Slot.FIELD and fields:
            if (form, name) in seen:
                yield path, f"the form has another field of the name '{name}'; rename one"
            seen.add((form, name))


def _landing(spec: ArchetypeSpec) -> Iterator[Problem]:
    home = spec.pages[HOME]
    if home.status != _FOUND:
        yield f"pages.{HOME}.status", f"the landing page must be served with {_FOUND}, not with {home.status}"
    context = arrival(spec.pages, spec.state)
    for i, detour in enumerate(home.detours):
        try:
            leaves = detour.go != HOME and evaluate(RUN, detour.when, context)
        except ExpressionError:
            continue  # told of the expression itself
        if leaves:
            yield (
                f"pages.{HOME}.detours.{i}.when",
                "holds for a visitor who has just arrived, who would not see the landing page",
            )
