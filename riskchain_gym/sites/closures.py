"""Closures for simple expressions, which are evaluated many times faster than a compiled template.

Simple are names, constants, comparisons, ``and``, ``or``, ``not``, ``if … else`` and calls: most conditions and texts.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

Closure = Callable[[Sequence[Any]], Any]
"""Called with the values of ``a0``, ``a1`` … in order."""

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gteq": operator.ge,
    "lt": operator.lt,
    "lteq": operator.le,
}


def closure_of(env: ImmutableSandboxedEnvironment, source: str) -> Closure | None:
    """Return an expression over ``a0``, ``a1`` … as a closure, or ``None`` when it is not a simple one.

    Args:
        env: Where it is written.
        source: The expression.

    Raises:
        TemplateError: It does not parse.
    """
    parsed = env.parse(f"{env.variable_start_string} {source} {env.variable_end_string}")
    output = parsed.body[0] if len(parsed.body) == 1 else None
    if not isinstance(output, nodes.Output) or len(output.nodes) != 1:
        return None
    return _closure(output.nodes[0])


def _closure(node: nodes.Node) -> Closure | None:
    match node:
        case nodes.Name(name=name) if name[:1] == "a" and name[1:].isdecimal():
            return operator.itemgetter(int(name[1:]))
        case nodes.Const(value=value):
            return lambda _: value
        case nodes.Not(node=inner):
            held = _closure(inner)
            return None if held is None else lambda values: not held(values)
        case nodes.And(left=left, right=right):
            return _both(_closure(left), _closure(right), lambda one, other: lambda given: one(given) and other(given))
        case nodes.Or(left=left, right=right):
            return _both(_closure(left), _closure(right), lambda one, other: lambda given: one(given) or other(given))
        case nodes.Compare(expr=left, ops=[nodes.Operand(op=name, expr=right)]) if name in _COMPARE:
            return _both(_closure(left), _closure(right), partial(_comparison, _COMPARE[name]))
        case nodes.CondExpr(test=test, expr1=then, expr2=other) if other is not None:
            return _choice(_closure(test), _closure(then), _closure(other))
        case nodes.Call(node=called, args=args, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return _call(_closure(called), [_closure(arg) for arg in args])
    return None


def _both(left: Closure | None, right: Closure | None, join: Callable[[Closure, Closure], Closure]) -> Closure | None:
    return None if left is None or right is None else join(left, right)


def _comparison(compare: Callable[[Any, Any], Any], left: Closure, right: Closure) -> Closure:
    return lambda values: compare(left(values), right(values))


def _choice(test: Closure | None, then: Closure | None, other: Closure | None) -> Closure | None:
    if test is None or then is None or other is None:
        return None
    return lambda values: then(values) if test(values) else other(values)


def _call(called: Closure | None, args: Sequence[Closure | None]) -> Closure | None:
    given = [arg for arg in args if arg is not None]
    if called is None or len(given) != len(args):
        return None
    return lambda values: called(values)(*[arg(values) for arg in given])
