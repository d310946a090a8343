"""Divisions over the state: one whose divisor could become zero at a later step is told before a visitor meets it."""

from __future__ import annotations

from jinja2 import nodes

from riskchain_gym.sites.expressions import RUN

_BY_ZERO: dict[type[nodes.BinExpr], str] = {nodes.Div: "/", nodes.FloorDiv: "//", nodes.Mod: "%"}


def unsafe_divisions(template: str) -> list[str]:
    """Return what is wrong with a division in the ``{{ … }}`` placeholders of a text, at most one thing.

    Args:
        template: A text that parses.
    """
    if not any(sign in template for sign in ("/", "%", "**")):
        return []
    parsed = RUN.parse(template)
    for kind, sign in _BY_ZERO.items():
        for division in parsed.find_all(kind):
            if not _is_never_zero(division.right):
                what = f"'{template}' divides by what could become zero ('{sign}')"
                return [f"{what}; divide by a number that is not zero, or by '(name or 1)'"]
    for power in parsed.find_all(nodes.Pow):
        if not (isinstance(power.right, nodes.Const) and power.right.value >= 0):
            return [f"'{template}' has a power that is no plain number; write '** 2' or multiply"]
    return []


def _is_never_zero(divisor: nodes.Expr) -> bool:
    match divisor:
        case nodes.Const(value=value):
            return isinstance(value, (int, float)) and bool(value)
        case nodes.Or(right=other):
            return _is_never_zero(other)
        case nodes.Neg(node=inner) | nodes.Pos(node=inner):
            return _is_never_zero(inner)
    return False
