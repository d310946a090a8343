"""browsergym-core's action vocabulary over that of the environment: what each call comes to here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riskchain_gym.envs.browsergym_calls import FUNCTIONS, Call, read_call
from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.action import SCROLL_PIXELS, ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.page import ObservedElement

Find = Callable[[str], ObservedElement]
"""The actionable element that a bid means; raises :class:`InvalidActionError` where there is none."""

FormOf = Callable[[ObservedElement], ObservedElement | None]
"""The form that an element stands in, as far as it is known."""

_OPTION_LIMIT, _REASON_LIMIT = 240, 2000
_ENTER, _SPACE = frozenset({"Enter", "NumpadEnter"}), frozenset({" ", "Space"})
_KEYS_THAT_SCROLL = {"PageDown": ActionKind.SCROLL_DOWN, "PageUp": ActionKind.SCROLL_UP}


def read_browsergym_action(text: object, find: Find, form_of: FormOf) -> BrowserAction:
    """Read a call and return what it comes to.

    ``reason`` holds the call as it was sent. ``fill`` types what the environment has for the field, whatever value the
    call names, and a scroll is 700 pixels long, however long it was meant to be. ``select_option`` with an empty list
    chooses the first option that is not empty. ``click`` does what an element is there for: a box is checked, a form is
    sent. Enter does the same, and from a field it sends the field's form.
    ``send_msg_to_user`` and ``report_infeasible`` stop, the latter with ``ABSTAIN``. ``hover``, ``focus``,
    ``tab_focus(0)`` and ``noop`` let a step pass.

    Args:
        text: What the agent sent.
        find: Finds elements by bid.
        form_of: Finds the form around an element.

    Raises:
        InvalidActionError: It is no such call, or it cannot be done to its element.
    """
    call = read_call(text)
    kind, element, more = _meant(call, find, form_of)
    target = {"element_id": element.element_id} if element is not None else {}
    return BrowserAction(action=kind, **target, **more, reason=call.text[:_REASON_LIMIT])


def call_of(action: BrowserAction) -> str:
    """Return an action as a call, with element ids for bids.

    Raises:
        ValueError: It is a reload or the press of a key, which no call comes to.
    """
    target = action.element_id
    match action.action:
        case ActionKind.CLICK | ActionKind.SUBMIT:
            return f"click({target!r})"
        case ActionKind.FILL:
            return f"fill({target!r}, '')"
        case ActionKind.CHECK:
            return f"check({target!r})"
        case ActionKind.SELECT:
            chosen: str | list[str] = action.option if action.option is not None else []
            return f"select_option({target!r}, {chosen!r})"
        case ActionKind.SCROLL_DOWN | ActionKind.SCROLL_UP:
            way = SCROLL_PIXELS if action.action is ActionKind.SCROLL_DOWN else -SCROLL_PIXELS
            return f"scroll(0, {way})"
        case ActionKind.BACK:
            return "go_back()"
        case ActionKind.NOOP:
            return "noop()"
        case ActionKind.STOP:
            return "report_infeasible('')" if action.stop_status == "ABSTAIN" else "send_msg_to_user('')"
        case ActionKind.RELOAD | ActionKind.PRESS:
            raise ValueError(f"No call comes to the action '{action.action}'.")


def action_set() -> Any:
    """Return browsergym-core's own ``HighLevelActionSet`` of the functions that exist here, to describe them to agents.

    Raises:
        MissingExtraError: The ``browser`` extra is not installed.
    """
    try:
        from browsergym.core.action import functions
        from browsergym.core.action.highlevel import HighLevelActionSet
    except ImportError as error:
        from riskchain_gym.protocol.errors import MissingExtraError

        raise MissingExtraError("browser", "browsergym-core's action set") from error
    listed = [getattr(functions, name) for name in FUNCTIONS]
    return HighLevelActionSet(subsets=["custom"], custom_actions=listed, multiaction=False, strict=True)


def _meant(call: Call, find: Find, form_of: FormOf) -> tuple[ActionKind, ObservedElement | None, dict[str, Any]]:
    given = call.arguments
    element = find(given["bid"]) if "bid" in given else None
    match call.function:
        case "send_msg_to_user":
            return ActionKind.STOP, None, {"stop_status": "COMPLETE"}
        case "report_infeasible":
            return ActionKind.STOP, None, {"stop_status": "ABSTAIN"}
        case "go_back":
            return ActionKind.BACK, None, {}
        case "scroll":
            if not given["delta_y"]:
                raise _refusal("scroll: pages scroll up and down only, delta_y must not be 0.")
            return ActionKind.SCROLL_DOWN if given["delta_y"] > 0 else ActionKind.SCROLL_UP, None, {}
        case "tab_focus" if given["index"] != 0:
            raise _refusal(f"tab_focus: there is one tab, number 0, got {shown(given['index'])}.")
        case "click":
            assert element is not None
            return _use(element), element, {}
        case "press":
            assert element is not None
            return *_pressed(element, given["key_comb"], form_of), {}
        case "fill":
            return ActionKind.FILL, element, {}
        case "check":
            return ActionKind.CHECK, element, {}
        case "select_option":
            return ActionKind.SELECT, element, {"option": _one_option(given["options"])}
        case _:
            return ActionKind.NOOP, None, {}


def _use(element: ObservedElement) -> ActionKind:
    can = element.capabilities
    if can.click:
        return ActionKind.CLICK
    return ActionKind.CHECK if can.check else ActionKind.SUBMIT if can.submit else ActionKind.CLICK


def _pressed(element: ObservedElement, key: str, form_of: FormOf) -> tuple[ActionKind, ObservedElement | None]:
    can = element.capabilities
    if key in _KEYS_THAT_SCROLL:
        return _KEYS_THAT_SCROLL[key], None
    if (key in _ENTER and (can.click or can.submit)) or (key in _SPACE and (can.click or can.check)):
        return _use(element), element
    if key in _ENTER and (form := form_of(element)) is not None:
        return ActionKind.SUBMIT, form
    raise _refusal(
        f"press: {shown(key)} does nothing to {element.element_id} ({element.role}). Enter sends the form of a field "
        "and presses a link or a button, Space checks a box, PageDown and PageUp scroll; values are filled in."
    )


def _one_option(options: Any) -> str | None:
    listed = [options] if isinstance(options, str) else list(options)
    if not listed:
        return None
    if len(listed) > 1:
        raise _refusal(f"select_option: one option is chosen at a time, got {len(listed)}.")
    if len(listed[0]) > _OPTION_LIMIT:
        raise _refusal(f"select_option: no label has more than {_OPTION_LIMIT} characters, got {len(listed[0])}.")
    label: str = listed[0]
    if any("\ud800" <= letter <= "\udfff" for letter in label):
        raise _refusal(f"select_option: no label holds half a surrogate pair, got {shown(label)}.")
    return label


def _refusal(sentence: str) -> InvalidActionError:
    return InvalidActionError(FailureKind.MALFORMED_ACTION, sentence)
