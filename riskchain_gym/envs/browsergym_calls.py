"""Actions as browsergym-core writes them: one call such as ``click('a12')``, read as text and never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.envs.recorder import ACTION_LIMIT, storable
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.failures import FailureKind

_NUMBER_LIMIT = 2**31


@dataclass(frozen=True)
class Call:
    """A call that was read: the function, its arguments by name, and the text it was read from."""

    function: str
    arguments: dict[str, Any]
    text: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: Its name.
        kind: What it takes, in words.
        fits: Says whether a value is that.
        required: Whether it must be given.
    """

    name: str
    kind: str
    fits: Callable[[Any], bool]
    required: bool = True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _NUMBER_LIMIT


def _is_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, list | tuple) and all(isinstance(each, str) for each in value))


_BID = Parameter("bid", "the id of an element as text, in quotes", _is_text)
_NUMBER, _WHOLE = "a number of less than 2**31", "a whole number of less than 2**31"

FUNCTIONS: dict[str, tuple[Parameter, ...]] = {
    "noop": (Parameter("wait_ms", _NUMBER, _is_number, required=False),),
    "click": (
        _BID,
        Parameter("button", "'left'", lambda value: value == "left", required=False),
        Parameter("modifiers", "an empty list", lambda value: value in ([], ()), required=False),
    ),
    "fill": (
        _BID,
        Parameter("value", "text", _is_text),
        Parameter("enable_autocomplete_menu", "False or True", lambda value: isinstance(value, bool), required=False),
    ),
    "check": (_BID,),
    "select_option": (_BID, Parameter("options", "the label of an option", _is_texts)),
    "press": (_BID, Parameter("key_comb", "the name of a key", _is_text)),
    "hover": (_BID,),
    "focus": (_BID,),
    "scroll": (Parameter("delta_x", _NUMBER, _is_number), Parameter("delta_y", _NUMBER, _is_number)),
    "go_back": (),
    "tab_focus": (Parameter("index", _WHOLE, _is_whole),),
    "send_msg_to_user": (Parameter("text", "text", _is_text),),
    "report_infeasible": (Parameter("reason", "text", _is_text),),
}
"""The functions that exist, with the names and the order of their parameters in browsergym-core."""

SIGNATURES = ", ".join(
    f"{name}({', '.join(p.name for p in parameters if p.required)})" for name, parameters in FUNCTIONS.items()
)
"""The functions as a sentence lists them."""

_ALONE = "Elements are named by their bid."
_ONE_TAB = "There is one tab, and it shows the site."
_FROM_LINKS = "The browser goes where the site's own links and buttons lead."
_REFUSED: dict[str, str] = {
    "goto": _FROM_LINKS,
    "go_forward": _FROM_LINKS,
    "new_tab": _ONE_TAB,
    "tab_close": _ONE_TAB,
    "dblclick": "One click does all that an element does.",
    "uncheck": "A box that was checked stays checked.",
    "clear": "What was filled in stays.",
    "drag_and_drop": "Nothing here is dragged.",
    "upload_file": "There are no files here.",
    "mouse_upload_file": "There are no files here.",
    **dict.fromkeys(
        (
            "scroll_at",
            "mouse_move",
            "mouse_up",
            "mouse_down",
            "mouse_click",
            "mouse_dblclick",
            "mouse_drag_and_drop",
            "keyboard_down",
            "keyboard_up",
            "keyboard_press",
            "keyboard_type",
            "keyboard_insert_text",
        ),
        _ALONE,
    ),
}
"""Functions of browsergym-core that do not exist here, and why."""

EXPECTED = (
    f"This is the browse phase: send one call and nothing around it, e.g. click('12'), scroll(0, 700) or "
    "send_msg_to_user('done'). "
    f"There are: {SIGNATURES}."
)
"""What the browse phase takes, in sentences."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = frozenset("\n\\'\"abfnrtv01234567xNuU")


def read_call(text: object) -> Call:
    """Read the text of a call.

    Its arguments are literals; nothing in it is looked up, run or evaluated.

    Args:
        text: What the agent sent.

    Raises:
        InvalidActionError: It is no single call of a function that exists, or its arguments do not fit.
    """
    if not isinstance(text, str):
        raise _refusal(f"An action is text, got {type(text).__name__[:60]}. {EXPECTED}")
    if len(text) > ACTION_LIMIT:
        raise _refusal(f"An action has at most {ACTION_LIMIT:,} characters, got {len(text):,}: say it in fewer.")
    call = _only_call(text)
    if not isinstance(call.func, ast.Name):
        raise _refusal(f"That is not a call of one of the functions. {EXPECTED}")
    name = call.func.id
    if name not in FUNCTIONS:
        raise _refusal(_unknown(name))
    return Call(name, _bound(name, call), storable(text.strip()))


def _only_call(text: str) -> ast.Call:
    # A backslash before any other letter is read as itself either way; so it is without a warning.
    known = _ESCAPE.sub(lambda match: match[0] if match[1] in _ESCAPES else f"\\{match[0]}", text.strip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(known, mode="exec").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        fence = " Send it without ``` fences." if "```" in text else ""
        raise _refusal(f"That is not a call.{fence} {EXPECTED}") from None
    if len(body) > 1:
        raise _refusal(f"That is more than one action. {EXPECTED}")
    call = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call):
        raise _refusal(f"That is not a call. {EXPECTED}")
    return call


def _bound(name: str, call: ast.Call) -> dict[str, Any]:
    parameters = FUNCTIONS[name]
    known = [parameter.name for parameter in parameters]
    if len(call.args) > len(known):
        raise _refusal(f"{name} takes {_listed(known)}, got {len(call.args)} arguments.")
    given = dict(zip(known, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in known:
            near = did_you_mean(keyword.arg or "", known)
            raise _refusal(f"{name} takes {_listed(known)}, got {shown(keyword.arg or '**')}.{near}")
        if keyword.arg in given:
            raise _refusal(f"{name}: {keyword.arg} is given twice.")
        given[keyword.arg] = keyword.value
    arguments = {}
    for parameter in parameters:
        if parameter.name not in given:
            if parameter.required:
                raise _refusal(f"{name}: {parameter.name} is missing, {parameter.kind}.")
            continue
        try:
            value = ast.literal_eval(given[parameter.name])
        except (ValueError, TypeError, SyntaxError, OverflowError, RecursionError, MemoryError):
            raise _refusal(f"{name}: {parameter.name} must be a plain value, {parameter.kind}.") from None
        if not parameter.fits(value):
            raise _refusal(f"{name}: {parameter.name} must be {parameter.kind}, got {shown(value)}.")
        arguments[parameter.name] = value
    return arguments


def _unknown(name: str) -> str:
    why = f" {_REFUSED[name]}" if name in _REFUSED else did_you_mean(name, FUNCTIONS)
    return f"There is no function {shown(name)}.{why} There are: {SIGNATURES}."


def _listed(names: list[str]) -> str:
    return f"({', '.join(names)})" if names else "no arguments"


def _refusal(sentence: str) -> InvalidActionError:
    return InvalidActionError(FailureKind.MALFORMED_ACTION, sentence)
