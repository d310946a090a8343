"""Shapes: an expression with its names and constants taken out, so that sites share what was compiled for one of them.

Every site has opaque names and facts of its own inside its expressions; compiled as they stand, each would be compiled
anew for every site. ``visited.k3f and '8151' or ''`` and ``visited.q71 and '2207' or ''`` have one shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from riskchain_gym.sites.closures import closure_of

Token = tuple[str, str]
"""Kind and text of a token, as the lexer gives them; all tokens of a source together are the source."""

KEYWORDS = frozenset({"true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else"})

_LONG = 10
"""Digits of a number that is no count."""

GROUPS = frozenset({"visited", "visits", "form"})
"""Names that are only used as ``visited.PAGE``, ``visits.PAGE`` and ``form.FIELD``."""


class MissingNameError(LookupError):
    """A group is used without the name of a member; its text says which."""


@dataclass(frozen=True)
class Reference:
    """A name that an expression uses.

    Attributes:
        group: ``visited``, ``visits`` or ``form`` for a member of it, ``""`` for a name of its own.
        name: The name.
        start: Index of its first token.
        at: Index of the token that is the name.
    """

    group: str
    name: str
    start: int
    at: int


def references(tokens: Sequence[Token]) -> Iterator[Reference]:
    """Yield the names that the expressions among tokens use, in order; filters, tests and keywords are none.

    Raises:
        MissingNameError: A group is used otherwise than with a dot and a name.
    """
    significant = [i for i, (kind, _) in enumerate(tokens) if kind != "whitespace"]
    for place, index in enumerate(significant):
        kind, text = tokens[index]
        if kind != "name" or text in KEYWORDS:
            continue
        before = tokens[significant[place - 1]] if place else ("", "")
        after = tokens[significant[place + 1]] if place + 1 < len(significant) else ("", "")
        if before == ("name", "not") and place > 1:
            before = tokens[significant[place - 2]]
        if before in (("operator", "."), ("operator", "|"), ("name", "is")) or after == ("operator", "="):
            continue
        if text not in GROUPS:
            yield Reference("", text, index, index)
        elif after == ("operator", ".") and place + 2 < len(significant):
            member = significant[place + 2]
            yield Reference(text, tokens[member][1], index, member)
        else:
            raise MissingNameError(text)


@dataclass(frozen=True)
class Uses:
    """What an expression over the state reads.

    Attributes:
        variables: State variables.
        visits: Names of the pages whose showings it counts.
        steps: Whether it reads the number of steps.
        most_visits: The greatest whole number that stands beside a count of showings.
        most_steps: The greatest whole number that stands beside the number of steps.
        beside: State variables that stand beside either count, so that it may be compared with their values.
    """

    variables: frozenset[str] = frozenset()
    visits: frozenset[str] = frozenset()
    steps: bool = False
    most_visits: int = 0
    most_steps: int = 0
    beside: frozenset[str] = frozenset()

    @classmethod
    def together(cls, all_uses: Sequence[Uses]) -> Uses:
        """Return what several expressions read."""
        return cls(
            frozenset[str]().union(*[uses.variables for uses in all_uses]),
            frozenset[str]().union(*[uses.visits for uses in all_uses]),
            any(uses.steps for uses in all_uses),
            max((uses.most_visits for uses in all_uses), default=0),
            max((uses.most_steps for uses in all_uses), default=0),
            frozenset[str]().union(*[uses.beside for uses in all_uses]),
        )


@dataclass(frozen=True)
class Shape:
    """An expression ready to be evaluated.

    Attributes:
        call: Called with a value for each hole, in order.
        holes: For each hole the group and the name it stands for, or ``None`` and the constant.
    """

    call: Callable[[Sequence[Any]], Any]
    holes: tuple[tuple[str | None, Any], ...]

    @property
    def uses(self) -> Uses:
        """What it reads, as an expression over the state."""
        names = {name for group, name in self.holes if group == ""}
        steps = "steps" in names
        variables = frozenset(names - {"steps"})
        visits = frozenset(name for group, name in self.holes if group in ("visited", "visits"))
        numbers = [int(v) for group, v in self.holes if group is None and str(v).isdecimal() and len(str(v)) < _LONG]
        most = max(numbers, default=0)
        counts = any(group == "visits" for group, _ in self.holes)
        return Uses(
            variables,
            visits,
            steps,
            most_visits=most if counts else 0,
            most_steps=most if steps else 0,
            beside=variables if counts or steps else frozenset(),
        )

    def value(self, context: Mapping[str, Any]) -> Any:
        """Return the expression's value.

        Raises:
            LookupError: The context lacks a name, or the value is undefined.
            Exception: Whatever evaluating it raises.
        """
        value = self.call(
            [name if group is None else context[group][name] if group else context[name] for group, name in self.holes]
        )
        if isinstance(value, StrictUndefined):
            raise LookupError
        return value


def shape_of(env: ImmutableSandboxedEnvironment, tokens: Sequence[Token]) -> Shape:
    """Return the shape of a bare expression.

    Raises:
        TemplateError: It does not parse.
        MissingNameError: A group is used otherwise than with a dot and a name.
    """
    out = [text for _, text in tokens]
    holes: list[tuple[str | None, Any]] = []
    for found in references(tokens):
        for i in range(found.start, found.at + 1):
            out[i] = ""
        out[found.at] = f"a{len(holes)}"
        holes.append((found.group, found.name))
    for index, constant in _constants(tokens):
        out[index] = f"a{len(holes)}"
        holes.append((None, constant))
    return Shape(_compiled(env, "".join(out).strip()), tuple(holes))


def _constants(tokens: Sequence[Token]) -> Iterator[tuple[int, Any]]:
    """Yield index and value of the constants that may become a hole."""
    significant = [i for i, (kind, _) in enumerate(tokens) if kind != "whitespace"]
    for place, index in enumerate(significant):
        kind, text = tokens[index]
        before = tokens[significant[place - 1]] if place else ("", "")
        after = tokens[significant[place + 1]] if place + 1 < len(significant) else ("", "")
        if kind == "integer" and before != ("operator", ".") and text.isdecimal() and text.isascii():
            yield index, int(text)
        elif kind == "string" and "string" not in (before[0], after[0]) and "\\" not in text:
            yield index, text[1:-1]  # two strings beside each other are one, and a backslash means something


@lru_cache(maxsize=16384)
def _compiled(env: ImmutableSandboxedEnvironment, source: str) -> Callable[[Sequence[Any]], Any]:
    quick = closure_of(env, source)
    if quick is not None:
        return quick
    whole = env.compile_expression(source, undefined_to_none=False)
    return lambda values: whole(**{f"a{i}": value for i, value in enumerate(values)})
