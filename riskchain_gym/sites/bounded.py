"""The environments of placeholders: an expression reaches for names, constants and a few filters, for nothing else."""

from __future__ import annotations

from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateRuntimeError, nodes
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from riskchain_gym.sites.shapes import GROUPS
from riskchain_gym.sites.unseen import unseen_in

FILTERS = ("abs", "int", "length", "max", "min", "string")
"""The filters there are: none makes more of what it is given."""

_LONGEST_PRODUCT = 10_000
_MOST_BITS = 1_024


class Bounded(ImmutableSandboxedEnvironment):
    """A sandbox in which a short expression cannot make a huge value.

    Without statements, methods and globals nothing in an expression happens more often than it is written; what is left
    to watch are the operators that multiply.
    """

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, **options)
        self.filters = {name: self.filters[name] for name in FILTERS}
        self.globals.clear()

    def compile(self, source: Any, *args: Any, **kwargs: Any) -> Any:
        """Compile a template.

        Raises:
            TemplateError: It does not parse, uses a filter that there is not, calls anything but a name, asks a value
                for an attribute, or has a string that holds what nobody sees.
        """
        parsed = self.parse(source) if isinstance(source, str) else source
        for node in parsed.find_all((nodes.Filter, nodes.Call, nodes.Getattr, nodes.Const)):
            problem = _problem(node)
            if problem:
                raise TemplateError(problem)
        return super().compile(parsed, *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ARG002  (overrides)
        """Refuse every attribute, however it is asked for."""
        return False

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Return what stands for an attribute: using it fails."""
        return self.undefined(_no_attribute(attribute), obj=obj, name=attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the value of an operator that multiplies.

        Raises:
            TemplateRuntimeError: It would be too large, or is no number where one must be.
        """
        if operator == "%":
            too_big = False
            if not _is_number(left):
                raise TemplateRuntimeError("'%' is the remainder of a division, of numbers only")
        elif operator == "**":
            too_big = _bits(left) * abs(right) > _MOST_BITS
        elif _is_number(left) and _is_number(right):
            too_big = _bits(left) + _bits(right) > _MOST_BITS
        else:
            texts, times = [v for v in (left, right) if isinstance(v, str)], [v for v in (left, right) if _is_number(v)]
            if len(texts) != 1 or len(times) != 1:
                raise TemplateRuntimeError("'*' multiplies numbers, or a text by a number")
            too_big = len(texts[0]) * times[0] > _LONGEST_PRODUCT
        if too_big:
            raise TemplateRuntimeError(f"the result of '{operator}' would be too large; use smaller values")
        return super().call_binop(context, operator, left, right)


def constant_problem(text: str) -> str:
    """Return what is wrong with a string constant as it is written, or ``""``."""
    if "\\" in text:
        return "a string has a backslash; write the character itself"
    unseen = "U+000A" if "\n" in text else unseen_in(text)
    return f"a string has the character {unseen}, which nobody sees; remove it" if unseen else ""


def _problem(node: nodes.Node) -> str:
    match node:
        case nodes.Const(value=str(text)):
            return constant_problem(text)
        case nodes.Filter(name=name) if name not in FILTERS:
            return f"there is no filter '{name}'; there are {', '.join(FILTERS)}"
        case nodes.Call(node=called) if not isinstance(called, nodes.Name):
            return f"{_called(called)} is called; only say(…) can be"
        case nodes.Getattr(node=nodes.Name(name=group)) if group in GROUPS:
            return ""
        case nodes.Getattr(attr=attr):
            return _no_attribute(attr)
    return ""


def _called(node: nodes.Node) -> str:
    return f"the method '{node.attr}'" if isinstance(node, nodes.Getattr) else "something other than a name"


def _no_attribute(attribute: str) -> str:
    return f"'{attribute}' of a value is asked for; only visited.PAGE, visits.PAGE and form.FIELD have a dot"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _bits(value: float) -> int:
    return value.bit_length() if isinstance(value, int) else 1
