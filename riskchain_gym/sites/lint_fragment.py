"""Lint of the shared pieces: gates and filler pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.atoms import atom_lines
from riskchain_gym.sites.blocks import ButtonBlock, FormBlock
from riskchain_gym.sites.compiled import HOME, all_blocks
from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.fragment import FillerSpec, GateSpec
from riskchain_gym.sites.lint_pages import empty_texts
from riskchain_gym.sites.lint_slots import (
    Problem,
    all_panels,
    broken_lines,
    fact_problems,
    name_problems,
    own_names,
    reserved_names,
    unknown_facts,
)
from riskchain_gym.sites.plan import filled
from riskchain_gym.sites.spec import PageSpec, Scalar
from riskchain_gym.sites.trial import trial

_LINT_KEY = b"lint"
_SITE_FACTS: dict[str, Scalar] = {"operator": "x", "slogan": "x"}
"""The facts that every site has."""

_GIVEN_PAGES = frozenset({HOME, "target", "place"})
"""Pages that a gate may name and that are not its own."""


def lint_fragment(
    spec: GateSpec | FillerSpec, file: Path, banks: Mapping[str, tuple[str, ...]]
) -> list[InputFileError]:
    """Return what is wrong with a gate or a filler page, by file and dotted field; an empty list when nothing is.

    Args:
        spec: The gate or the filler page.
        file: Its file.
        banks: Phrase banks by name.
    """
    return [InputFileError(file, field, what) for field, what in _problems(spec, banks)]


def _problems(spec: GateSpec | FillerSpec, banks: Mapping[str, tuple[str, ...]]) -> list[Problem]:
    given = _SITE_FACTS if isinstance(spec, FillerSpec) else {**_SITE_FACTS, "place_title": "x"}
    shape = _filler(spec) if isinstance(spec, FillerSpec) else _gate(spec)
    problems = [*fact_problems(spec.facts, set(given), banks), *unknown_facts(spec, {*given, *spec.facts}), *shape]
    problems += [
        (path, "a shared piece says nothing about a label; remove the atom") for path, _, _ in atom_lines(spec)
    ]
    if problems:
        return problems
    facts = Facts(_LINT_KEY, ("lint",), banks, known=given)
    try:
        facts.draw(spec.facts)
        full = filled(spec, facts)
    except ExpressionError as error:
        return [("facts", str(error))]
    if isinstance(full, FillerSpec):
        pages, state, actions = {full.name: PageSpec(title="", blocks=full.blocks)}, {}, {}
    else:
        pages, state, actions = full.pages, full.state, full.actions
    known = own_names(pages, state, actions)
    known["page"] = {HOME} if isinstance(full, FillerSpec) else {*pages, *_GIVEN_PAGES}
    return [*name_problems(full, known), *broken_lines(full), *empty_texts(full)] or list(trial(full, pages, state))


def _filler(spec: FillerSpec) -> Iterator[Problem]:
    for i, block in enumerate(spec.blocks):
        if any(isinstance(inner, (FormBlock, ButtonBlock)) for inner in all_blocks([block])):
            yield f"blocks.{i}", "a filler page may hold no form and no button; remove it"
        yield from reserved_names([panels.name for panels in all_panels([block])], f"blocks.{i}")


def _gate(spec: GateSpec) -> Iterator[Problem]:
    yield from reserved_names(spec.state, "state")
    for name in spec.pages:
        if name in _GIVEN_PAGES:
            yield f"pages.{name}", f"in a gate '{name}' is a page of the site; rename it"
