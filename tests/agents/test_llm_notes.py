"""What the investigator takes down: results in the environment's words, the page that a spent budget leaves behind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.llm.notes import MAX_REASON, Notes
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionErrorKind, ActionResult, ActionStatus
from riskchain_gym.protocol.feedback import ERRORS, result_of, sentence
from riskchain_gym.protocol.page import Capabilities, ObservedElement

RESULTS = [
    ActionResult(status=ActionStatus.EXECUTED),
    ActionResult(status=ActionStatus.NO_STATE_CHANGE),
    *(ActionResult(status=ActionStatus.ERROR, error=kind) for kind in ERRORS),
]


def page(step: int, feedback: str = "", name: str = "好") -> Sighting:
    button = ObservedElement(element_id="e1", role="button", name=name, capabilities=Capabilities(click=True))
    return Sighting(step, "/a", "题", ("一行",), (button,), feedback)


def ending(step: int, feedback: str, text: str = "") -> dict[str, Any]:
    steps = [{"step": i, "path": f"/{i}", "title": f"t{i}"} for i in range(step + 1)]
    return {"text": text, "elements": json.dumps({"observed_steps": steps}), "feedback": feedback}


def test_every_error_but_the_infrastructures_has_words() -> None:
    assert set(ERRORS) == set(ActionErrorKind) - {ActionErrorKind.INFRASTRUCTURE}


@pytest.mark.parametrize("spent", ["", " The step budget is spent."])
@given(st.sampled_from(RESULTS), st.sampled_from(RESULTS), st.text())
@settings(max_examples=40, derandomize=True, deadline=None)
def test_words_come_back_as_the_result_whatever_the_page_calls_itself(
    spent: str, result: ActionResult, played: ActionResult, name: str
) -> None:
    spoken = f"click e1 (button '{name}: {sentence(played)}.'): {sentence(result)}.{spent}"
    assert result_of(spoken) == result


@pytest.mark.parametrize("feedback", ["", "The restoration is committed.", "There is no element 'x'. Strike 1 of 3."])
def test_other_words_say_nothing_of_a_result(feedback: str) -> None:
    assert result_of(feedback) is None


@pytest.mark.parametrize(
    ("step", "feedback", "result"),
    [
        (1, "click e1 (button '好'): done, the page changed.", "executed"),
        (1, "click e1 (button '好'): done, nothing on the page changed.", "no_state_change"),
        (1, f"click e1 (button '好'): {ERRORS[ActionErrorKind.ELEMENT_DISABLED]}.", "error:element_disabled"),
        (0, "There is no element 'e9'. Strike 1 of 3.", "invalid: There is no element 'e9'. Strike 1 of 3."),
        (0, "There is no element 'x: done, the page changed.'.", "invalid: There is no element 'x: done, the page"),
    ],
)
def test_what_came_of_an_action(step: int, feedback: str, result: str) -> None:
    notes = Notes()
    notes.see(page(0))
    notes.do(0, {"action": "click", "element_id": "e1", "option": None, "reason": "r" * 999})
    notes.see(page(step, feedback))
    (deed,) = notes.deeds
    assert deed.result.startswith(result)
    assert deed.told() == {
        "step": 0,
        "action": {"action": "click", "element_id": "e1"},
        "element": "button '好'",
        "result": deed.result,
        "reason": "r" * MAX_REASON,
    }


def test_an_answer_that_is_no_action_is_told_too() -> None:
    notes = Notes()
    notes.see(page(0))
    notes.do(0, None)
    notes.see(page(0, "That is not one JSON object. Strike 1 of 3."))
    assert notes.deeds[0].action == {}
    assert notes.deeds[0].result.startswith("invalid: That is not")


def test_the_page_that_the_last_action_led_to_is_kept() -> None:
    notes = Notes()
    notes.see(page(0))
    notes.do(0, {"action": "click", "element_id": "e1"})
    notes.end(ending(1, "click e1 (button '好'): done, the page changed. The step budget is spent.", "甲\n乙"))
    assert notes.deeds[0].result == "executed"
    assert notes.pages[1] == Sighting(1, "/1", "t1", ("甲", "乙"), ())


@pytest.mark.parametrize(
    ("action", "result"),
    [
        ({"action": "stop", "stop_status": "COMPLETE"}, "executed"),
        ({"action": "stop"}, "invalid: "),
        (None, "invalid: "),
    ],
)
def test_the_last_thing_done_before_the_report(action: dict[str, Any] | None, result: str) -> None:
    notes = Notes()
    notes.see(page(0))
    notes.do(0, action)
    notes.end(ending(0, "Browsing has ended: report now."))
    assert notes.deeds[0].result.startswith(result)
    assert list(notes.pages) == [0]
