"""Checks that archetypes and fragments share: their facts, the names they use, and their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from jinja2 import TemplateError

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, FormBlock, PanelsBlock
from riskchain_gym.sites.compiled import all_blocks, download_names
from riskchain_gym.sites.divisions import unsafe_divisions
from riskchain_gym.sites.expressions import (
    RESERVED,
    ExpressionError,
    expression_uses,
    fact_names,
    rename_expression,
    rename_template,
    template_uses,
)
from riskchain_gym.sites.rules import rule_problem
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.spec import FactSpec, PageSpec

Problem = tuple[str, str]
"""Dotted field and what is wrong with it."""

Names = dict[str, set[str]]
"""Known names by kind: ``var``, ``page``, ``field``, ``action``."""

_FILLED = frozenset({Slot.TEXT, Slot.VALUE, Slot.EXPR})
"""Slots whose placeholders are filled in from the state."""

_NESTED = re.compile(r"\[\[(?:(?!\]\]).)*\[\[")

_WHAT = {"var": "state variable", "page": "page", "field": "form field", "action": "action"}


def all_panels(blocks: Iterable[AnyBlock]) -> list[PanelsBlock]:
    """Return the panels blocks among blocks and inside them."""
    return [block for block in all_blocks(blocks) if isinstance(block, PanelsBlock)]


def reserved_names(names: Iterable[str], path: str) -> Iterator[Problem]:
    """Yield the names that an expression would read as something else."""
    for name in names:
        if name in RESERVED:
            yield f"{path}.{name}", f"the name '{name}' means something else in an expression; choose another"


def fact_problems(
    facts: Mapping[str, FactSpec], known: set[str], banks: Mapping[str, tuple[str, ...]], path: str = "facts"
) -> Iterator[Problem]:
    """Yield what is wrong with facts.

    Args:
        facts: The facts, in the order in which they are drawn.
        known: Names of the facts that exist before.
        banks: Phrase banks by name.
        path: Field the facts stand in.
    """
    yield from reserved_names(facts, path)
    known = set(known)
    for name, fact in facts.items():
        for bank in (fact.bank, *(fact.join or ())):
            if bank is not None and bank not in banks:
                field = f"{path}.{name}.{'join' if fact.join else 'bank'}"
                yield field, f"there is no phrase bank '{bank}' in sites/banks; add it or fix the name"
        for limits, what in ((fact.number, "number"), (fact.date, "date")):
            if limits is not None and limits[0] > limits[1]:
                yield f"{path}.{name}.{what}", f"the lower end {limits[0]} is above the upper end {limits[1]}"
        if fact.number is not None and fact.step > 1 and 0 <= fact.number[1] - fact.number[0] < fact.step:
            yield f"{path}.{name}.step", f"leaves one number only of {list(fact.number)}; make it smaller"
        if fact.expr is not None:
            yield from _unknown_facts(f"[[ {fact.expr} ]]", known, f"{path}.{name}.expr")
        for i, option in enumerate(fact.choice or ()):
            yield from _unknown_facts(str(option), known, f"{path}.{name}.choice.{i}")
        for bank in (fact.bank, *(fact.join or ())):
            for entry in banks.get(bank or "", ()):
                yield from _unknown_facts(entry, known, f"{path}.{name}.{'join' if fact.join else 'bank'}")
        known.add(name)


def unknown_facts(model: Frozen, known: set[str]) -> Iterator[Problem]:
    """Yield the ``[[ … ]]`` placeholders that do not parse or use a fact that is not known."""
    for slot, text, path in iter_slots(model):
        if slot in (Slot.TEXT, Slot.EXPR, Slot.VALUE):
            yield from _unknown_facts(text, known, path)


def _unknown_facts(text: str, known: set[str], path: str) -> Iterator[Problem]:
    if "[[" not in text:
        return
    if _NESTED.search(text):
        yield path, f"'{text}' has '[[' inside '[[ … ]]', where it is not filled in; join texts with '~' instead"
        return
    try:
        unknown = sorted(fact_names(text) - known - {"say"})
    except ExpressionError as error:
        yield path, str(error)
        return
    for name in unknown:
        yield path, f"'[[ … ]]' uses '{name}', which is not a fact drawn before; add it to facts or fix the name"


def own_names(pages: Mapping[str, PageSpec], state: Iterable[str], actions: Iterable[str]) -> Names:
    """Return the names that pages, state variables and actions bring."""
    blocks = [block for page in pages.values() for block in all_blocks(page.blocks)]
    return {
        "var": {*state, *(panels.name for panels in all_panels(blocks)), *download_names(blocks)},
        "page": set(pages),
        "field": {field.name for block in blocks if isinstance(block, FormBlock) for field in block.fields},
        "action": set(actions),
    }


def name_problems(model: Frozen, known: Names) -> Iterator[Problem]:
    """Yield the names that are not known, and the expressions and regular expressions that do not parse.

    Args:
        model: Its ``[[ … ]]`` placeholders must be filled in.
        known: The names it may use.
    """
    found: list[str] = []

    def check(kind: str, name: str) -> str:
        if name not in known[kind]:
            found.append(f"there is no {_WHAT[kind]} '{name}'; add it or fix the name")
        return name

    def check_rule(rule: str) -> None:
        if (problem := rule_problem(rule)) is not None:
            found.append(problem)

    readers: dict[Slot, Callable[[str], object]] = {
        Slot.TEXT: lambda text: (rename_template(text, check), template_uses(text)),
        Slot.VALUE: lambda text: (rename_template(text, check), template_uses(text)),
        Slot.EXPR: lambda text: (rename_expression(text, check), expression_uses(text)),
        Slot.RULE: check_rule,
        Slot.PAGE: lambda text: check("page", text),
        Slot.ACTION: lambda text: check("action", text),
        Slot.FIELD: lambda text: check("field", text),
        Slot.VAR: lambda text: check("var", text),
    }
    for slot, text, path in iter_slots(model):
        try:
            readers[slot](text)
            if slot in _FILLED and not (path.startswith("actions.") and "form." in text):  # there the visitor is told
                found += unsafe_divisions(text if slot is not Slot.EXPR else f"{{{{ {text} }}}}")
        except ExpressionError as error:
            found.append(str(error))
        except (TemplateError, RecursionError) as error:
            found.append(f"'{text}' does not parse: {error}")
        yield from ((path, problem) for problem in found)
        found.clear()


def broken_lines(model: Frozen) -> Iterator[Problem]:
    """Yield the texts that are more than one line."""
    for slot, text, path in iter_slots(model):
        if slot is Slot.TEXT and "\n" in text:
            yield path, "a text must be one line; split it into several blocks"
