"""Placeholders: ``[[ … ]]`` over facts when a site is built, ``{{ … }}`` over its state when a page is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.environment import TemplateExpression
from jinja2.sandbox import ImmutableSandboxedEnvironment

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.sites.bounded import Bounded, constant_problem
from riskchain_gym.sites.shapes import (
    KEYWORDS,
    MissingNameError,
    Reference,
    Shape,
    Token,
    Uses,
    references,
    shape_of,
)
from riskchain_gym.sites.spec import Scalar

LONGEST_SOURCE = 10_000
"""Characters of an expression, or of a text with placeholders, at most."""

LONGEST_VALUE = 2_000
"""Characters of a fact or of a state variable, at most."""

LONGEST_TEXT = 100_000
"""Characters of a text with its placeholders filled in, at most."""

BUILD = Bounded(
    variable_start_string="[[",
    variable_end_string="]]",
    block_start_string="[[%",
    block_end_string="%]]",
    comment_start_string="[[#",
    comment_end_string="#]]",
)
"""Environment of the placeholders over facts."""

RUN = Bounded()
"""Environment of the placeholders over the state."""

BUILTINS = frozenset({"visited", "visits", "steps", "form"})
"""Names an expression over the state may use beside the state variables."""

_ONE_EXPRESSION: dict[ImmutableSandboxedEnvironment, re.Pattern[str]] = {
    BUILD: re.compile(r"\s*\[\[((?:(?!\[\[|\]\]).)+)\]\]\s*", re.DOTALL),
    RUN: re.compile(r"\s*\{\{((?:(?!\{\{|\}\}).)+)\}\}\s*", re.DOTALL),
}

RESERVED = KEYWORDS | BUILTINS | {"say", "self", "super", "loop"}
"""Names that no fact and no state variable may have: they mean something else in an expression."""

_FAILURES = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


class ExpressionError(RiskChainError, ValueError):
    """An expression or a template that cannot be evaluated."""


class Given(dict[str, Any]):
    """A mapping with a default for what it does not hold, so that any name may be asked."""

    def __init__(self, values: Mapping[str, Any], default: Any) -> None:
        super().__init__(values)
        self._default = default

    def __missing__(self, key: str) -> Any:
        return self._default


@lru_cache(maxsize=16384)
def parse_expression(env: ImmutableSandboxedEnvironment, source: str) -> TemplateExpression:
    """Return a bare expression ready to be called with its context.

    Raises:
        TemplateError: It does not parse.
        ExpressionError: It is longer than :data:`LONGEST_SOURCE`.
    """
    _check_length(source)
    return env.compile_expression(source, undefined_to_none=False)


@lru_cache(maxsize=16384)
def _template(env: ImmutableSandboxedEnvironment, source: str) -> Any:
    for _ in _tokens(env, source):
        continue
    return env.from_string(source)


@lru_cache(maxsize=65536)
def _shape(env: ImmutableSandboxedEnvironment, source: str) -> Shape:
    start, end = env.variable_start_string, env.variable_end_string
    return shape_of(env, list(_tokens(env, f"{start} {source} {end}"))[2:-2])


@lru_cache(maxsize=65536)
def _parts(env: ImmutableSandboxedEnvironment, source: str) -> tuple[str | Shape, ...]:
    """Return a template as its literal texts and the shapes of its placeholders."""
    parts: list[str | Shape] = []
    inside: list[Token] | None = None
    for kind, text in _tokens(env, source):
        if kind == "variable_begin":
            inside = []
        elif kind == "variable_end":
            parts.append(shape_of(env, inside or []))
            inside = None
        elif inside is None:
            parts.append(text)
        else:
            inside.append((kind, text))
    return tuple(parts)


def evaluate(env: ImmutableSandboxedEnvironment, source: str, context: Mapping[str, Any]) -> Any:
    """Return the value of a bare expression.

    Raises:
        ExpressionError: It does not parse, names something unknown, or does not fit the values it meets.
    """
    try:
        return _shape(env, source).value(context)
    except (*_FAILURES, ExpressionError):
        return _evaluate_whole(env, source, context)


def _evaluate_whole(env: ImmutableSandboxedEnvironment, source: str, context: Mapping[str, Any]) -> Any:
    """Evaluate an expression as it stands: what fails is told in the author's names."""
    try:
        value = parse_expression(env, source)(**context)
        return value if not isinstance(value, StrictUndefined) else str(value)
    except _FAILURES as error:
        raise ExpressionError(f"'{source}' cannot be evaluated: {error}") from None


def render(env: ImmutableSandboxedEnvironment, source: str, context: Mapping[str, Any]) -> str:
    """Return a template with its placeholders filled in.

    Raises:
        ExpressionError: As for :func:`evaluate`.
    """
    if env.variable_start_string not in source:
        return source
    try:
        text = "".join([part if isinstance(part, str) else str(part.value(context)) for part in _parts(env, source)])
    except (*_FAILURES, ExpressionError):
        text = _render_whole(env, source, context)
    if len(text) > LONGEST_TEXT:
        raise ExpressionError(
            f"'{source}' would become {len(text)} characters long; at most {LONGEST_TEXT} are possible"
        )
    return text


def _render_whole(env: ImmutableSandboxedEnvironment, source: str, context: Mapping[str, Any]) -> str:
    """Fill in a template as it stands: what fails is told in the author's names."""
    try:
        return str(_template(env, source).render(**context))
    except _FAILURES as error:
        raise ExpressionError(f"'{source}' cannot be filled in: {error}") from None


@lru_cache(maxsize=65536)
def expression_uses(source: str) -> Uses:
    """Return what a bare expression over the state reads."""
    return _shape(RUN, source).uses


@lru_cache(maxsize=65536)
def template_uses(source: str) -> Uses:
    """Return what the ``{{ … }}`` placeholders of a text read."""
    return Uses.together([part.uses for part in _parts(RUN, source) if isinstance(part, Shape)])


def render_value(env: ImmutableSandboxedEnvironment, source: Scalar, context: Mapping[str, Any]) -> Scalar:
    """Return a scalar with its placeholders filled in; one that is a single placeholder keeps the expression's type.

    Raises:
        ExpressionError: As for :func:`evaluate`; or it is longer than :data:`LONGEST_VALUE`.
    """
    if not isinstance(source, str):
        return source
    single = _ONE_EXPRESSION[env].fullmatch(source)
    if single is None:
        return not_too_long(render(env, source, context))
    return scalar_of(evaluate(env, single.group(1).strip(), context))


def scalar_of(value: Any) -> Scalar:
    """Return what an expression gave as something that can be kept.

    Raises:
        ExpressionError: It is longer than :data:`LONGEST_VALUE`.
    """
    return not_too_long(value if isinstance(value, (str, int, float, bool)) else str(value))


def not_too_long(value: Scalar) -> Scalar:
    """Return a value that is kept and may be used for another one, so that such values cannot grow without end.

    Raises:
        ExpressionError: It is longer than :data:`LONGEST_VALUE`.
    """
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        raise ExpressionError(
            f"a value would become {len(value)} characters long ('{value[:20]}…'); at most {LONGEST_VALUE} are possible"
        )
    return value


@lru_cache(maxsize=65536)
def fact_names(source: str) -> frozenset[str]:
    """Return the names a ``[[ … ]]`` template uses.

    Raises:
        ExpressionError: It does not parse, or holds statements.
    """
    try:
        shapes = [part for part in _parts(BUILD, source) if isinstance(part, Shape)]
    except (TemplateError, MissingNameError, RecursionError) as error:
        raise ExpressionError(f"'{source}' does not parse: {error}") from None
    return frozenset(group or name for shape in shapes for group, name in shape.holes if group is not None)


Rename = Callable[[str, str], str]
"""Called with ``var``, ``page`` or ``field`` and a name; returns the name to put in its place."""


def rename_template(source: str, rename: Rename) -> str:
    """Return a ``{{ … }}`` template with the names inside its placeholders replaced.

    Raises:
        ExpressionError: It does not fall into tokens, holds statements, or uses ``visited``, ``visits`` or ``form``
            otherwise than as ``visited.PAGE``, ``visits.PAGE``, ``form.FIELD``.
    """
    if "{" not in source:
        return source
    texts, found = _named(source)
    out = list(texts)
    for reference in found:
        if reference.group:
            kind = "field" if reference.group == "form" else "page"
            out[reference.at] = rename(kind, reference.name)
        elif reference.name != "steps":
            out[reference.at] = rename("var", reference.name)
    return "".join(out)


@lru_cache(maxsize=65536)
def _named(source: str) -> tuple[tuple[str, ...], tuple[Reference, ...]]:
    """Return the tokens of a template and the names that it uses."""
    tokens = list(_tokens(RUN, source))
    try:
        return tuple(text for _, text in tokens), tuple(references(tokens))
    except MissingNameError as group:
        raise ExpressionError(f"'{source}': write {group}.NAME, nothing else is possible with '{group}'") from None


def rename_expression(source: str, rename: Rename) -> str:
    """Return a bare expression with its names replaced; errors as for :func:`rename_template`."""
    return rename_template("{{ " + source + " }}", rename)[3:-3]


def _tokens(env: ImmutableSandboxedEnvironment, source: str) -> Iterator[tuple[str, str]]:
    _check_length(source)
    try:
        for _, kind, text in env.lex(source):
            if kind in ("block_begin", "raw_begin", "comment_begin", "comment"):
                raise ExpressionError(f"'{source}' holds a statement or a comment; only placeholders are possible")
            if kind == "string" and (problem := constant_problem(text)):
                raise ExpressionError(f"{source!r} does not parse: {problem}")
            yield kind, text
    except TemplateError as error:
        raise ExpressionError(f"'{source}' does not parse: {error}") from None


def _check_length(source: str) -> None:
    if len(source) > LONGEST_SOURCE:
        raise ExpressionError(
            f"'{source[:40]}…' has {len(source)} characters; with a placeholder at most {LONGEST_SOURCE} are possible"
        )
