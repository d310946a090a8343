"""browsergym-core's calls as text: what is read, what is refused, and that nothing in it is ever run."""

from __future__ import annotations

import contextlib
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.envs.browsergym_actions import call_of, read_browsergym_action
from riskchain_gym.envs.browsergym_calls import read_call
from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.page import Capabilities, ObservedElement

ELEMENTS = {
    "12": ObservedElement(element_id="e1", role="link", name="n", capabilities=Capabilities(click=True)),
    "a3": ObservedElement(element_id="e2", role="textbox", name="n", capabilities=Capabilities(fill=True)),
    "4": ObservedElement(element_id="e3", role="checkbox", name="n", capabilities=Capabilities(check=True)),
    "5": ObservedElement(
        element_id="e4", role="combobox", name="n", options=("x",), capabilities=Capabilities(select=True)
    ),
    "6": ObservedElement(element_id="e5", role="form", name="n", capabilities=Capabilities(submit=True)),
}


def huge(call: str) -> str:
    """A call of a number that is too long for Python to print."""
    return call.format("0x" + "f" * 5000)


def read(text: object) -> BrowserAction:
    def find(bid: str) -> ObservedElement:
        if bid not in ELEMENTS:
            raise InvalidActionError(FailureKind.MISSING_TARGET, f"no {bid}")
        return ELEMENTS[bid]

    return read_browsergym_action(text, find, lambda element: ELEMENTS["6"] if element.element_id == "e2" else None)


@pytest.mark.parametrize(
    ("text", "kind", "element", "more"),
    [
        ("click('12')", "click", "e1", {}),
        ("  click(bid='12', button='left')\n", "click", "e1", {}),
        ("click('4')", "check", "e3", {}),
        ("click('6')", "submit", "e5", {}),
        ("fill('a3', 'any \"text\"\\nat all')", "fill", "e2", {}),
        ("fill('a3', value='\\d', enable_autocomplete_menu=True)", "fill", "e2", {}),
        ("check('4')", "check", "e3", {}),
        ("select_option('5', 'x')", "select", "e4", {"option": "x"}),
        ("select_option('5', ['x'])", "select", "e4", {"option": "x"}),
        ("select_option('5', [])", "select", "e4", {}),
        ("press('a3', 'Enter')", "submit", "e5", {}),
        ("press('12', 'Enter')", "click", "e1", {}),
        ("press('4', ' ')", "check", "e3", {}),
        ("press('a3', 'PageDown')", "scroll_down", None, {}),
        ("scroll(0, 200.5)", "scroll_down", None, {}),
        ("scroll(0, -1)", "scroll_up", None, {}),
        ("go_back()", "back", None, {}),
        ("noop()", "noop", None, {}),
        ("noop(500)", "noop", None, {}),
        ("hover('12')", "noop", None, {}),
        ("focus('12')", "noop", None, {}),
        ("tab_focus(0)", "noop", None, {}),
        ("send_msg_to_user('看完了')", "stop", None, {"stop_status": "COMPLETE"}),
        ("report_infeasible(reason='no')", "stop", None, {"stop_status": "ABSTAIN"}),
    ],
)
def test_calls_come_to_actions(text: str, kind: str, element: str | None, more: dict[str, str]) -> None:
    action = read(text)
    assert action == BrowserAction(action=ActionKind(kind), element_id=element, reason=text.strip(), **more)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("goto('http://x.test')", "no function 'goto'. The browser goes where.*There are: noop"),
        ("new_tab()", "'new_tab'. There is one tab"),
        ("mouse_click(3, 4)", "named by their bid"),
        ("clik('12')", "Did you mean 'click'"),
        ("print(1)", "no function 'print'. There are:"),
        ("page.click('12')", "not a call of one of the functions"),
        ("__import__('os').system('x')", "not a call of one of the functions"),
        ("click('12'); click('12')", "more than one action"),
        ("noop()\nnoop()", "more than one action"),
        ("x = 3", "not a call"),
        ("import os", "not a call"),
        ("'click'", "not a call"),
        ("", "not a call"),
        ("{'action': 'stop'}", "not a call"),
        ("click('12'", "not a call"),
        ("click('12').x()", "not a call of one of the functions"),
        ("(lambda: 0)()", "not a call of one of the functions"),
        ("```click('12')```", "without ``` fences"),
        ("a\0b", "not a call"),
        ("\ud800('12')", "not a call"),
        ("(" * 5000, "not a call"),
        ("-" * 19_000 + "1", "not a call"),
        ("click(bid)", "bid must be a plain value"),
        ("click('1' + '2')", "bid must be a plain value"),
        ("click(f'{1}')", "bid must be a plain value"),
        ("click(print('x'))", "bid must be a plain value"),
        ("click(*['12'])", "bid must be a plain value"),
        ("click(**{'bid': '12'})", "click takes"),
        ("click({[]: 1})", "bid must be a plain value"),
        ("click()", "bid is missing, the id"),
        ("click(None)", "bid must be the id of an element as text, in quotes, got None"),
        ("click(12)", "bid must be the id of an element as text, in quotes, got 12"),
        (huge("click({})"), "bid must be the id of an element as text, in quotes, got <int>"),
        (huge("click({} + 1j)"), "bid must be a plain value"),
        ("click(True)", "bid must be"),
        ("click('12', 'right')", "button must be 'left', got 'right'"),
        ("click('12', modifiers=['Shift'])", "modifiers must be an empty list"),
        ("click('12', bid='12')", "given twice"),
        ("click('12', buton='left')", "Did you mean 'button'"),
        ("fill('a3')", "value is missing"),
        ("scroll(0)", "delta_y is missing"),
        ("scroll(100, 0)", "up and down only"),
        ("scroll('down', 1)", "delta_x must be a number"),
        ("go_back(1)", "go_back takes no arguments"),
        ("scroll(0, 1e999)", "delta_y must be a number of less than"),
        (huge("scroll(0, -{})"), "delta_y must be a number of less than"),
        ("tab_focus(1)", "one tab, number 0, got 1"),
        (huge("tab_focus({})"), "index must be a whole number of less than"),
        ("tab_focus(False)", "index must be a whole number"),
        ("select_option('5', ['x', 'y'])", "one option"),
        ("select_option('5', 'x' * 3)", "plain value"),
        (f"select_option('5', '{'x' * 241}')", "240"),
        ("select_option('5', '\\ud800')", "half a surrogate pair"),
        ("press('a3', 'Tab')", "press: 'Tab' does nothing to e2"),
        ("press('4', 'Enter')", "press: 'Enter' does nothing"),
        ("click('99')", "no 99"),
        ("noop(" + " " * 20_000 + ")", "at most 20,000"),
        (b"noop()", "got bytes"),
        (None, "got NoneType"),
    ],
)
def test_what_is_no_call_of_ours_is_refused_in_a_sentence(text: object, hint: str) -> None:
    with pytest.raises(InvalidActionError, match=hint) as refused:
        read(text)
    assert "\n" not in refused.value.sentence
    assert len(refused.value.sentence) < 800


def test_odd_escapes_are_read_as_they_stand_and_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_call(r"send_msg_to_user('\d \\ \' \n \u4e00')").arguments["text"] == "\\d \\ ' \n 一"


@pytest.mark.parametrize("text", ["click(1if 1 else 2)", "click(0x1for x in y)", "click(1 is 1)", "click(1)()"])
def test_odd_code_is_refused_without_a_warning(text: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(InvalidActionError):
            read_call(text)
    assert told == []


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_call_or_a_sentence(text: str) -> None:
    with contextlib.suppress(InvalidActionError):
        assert read(text).reason == text.strip()


@pytest.mark.parametrize("text", ["click('12')", "fill('a3', '')", "check('4')", "select_option('5', 'x')", "noop()"])
def test_actions_are_written_as_calls(text: str) -> None:
    action = read(text)
    bid = next((bid for bid, element in ELEMENTS.items() if element.element_id == action.element_id), None)
    assert call_of(action.model_copy(update={"element_id": bid})) == text
