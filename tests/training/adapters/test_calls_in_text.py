"""What a model wrote, read as a call or as an action."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskchain_gym.training.adapters.calls import MAX_READ, Call, read_text

CLICK = Call("click", {"element_id": "e1"})


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "click", "arguments": {"element_id": "e1"}}',
        '{"tool": "click", "parameters": {"element_id": "e1"}}',
        '{"name": "click", "arguments": "{\\"element_id\\": \\"e1\\"}"}',
        '{"id": "1", "type": "function", "function": {"name": "click", "arguments": "{\\"element_id\\": \\"e1\\"}"}}',
        '<tool_call>\n{"name": "click", "arguments": {"element_id": "e1"}}\n</tool_call>',
        'I see {"a": 1}. <tool_call>{"name": "click", "arguments": {"element_id": "e1"}}</tool_call>',
        '<think>Perhaps {"name": "back"}?</think>\n{"name": "click", "arguments": {"element_id": "e1"}}',
        '```json\n{"name": "click", "arguments": {"element_id": "e1"}}\n```',
    ],
)
def test_calls(text: str) -> None:
    assert read_text(text) == CLICK


def test_an_action_is_left_as_it_is_written() -> None:
    action = '{ "action":"fill" , "element_id":"e\\u0031" }'
    assert read_text(action) == action
    assert read_text(f"Now I fill it in.\n```json\n{action}\n```") == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "click e1",
        "[1, 2]",
        '{"action": "back"} {"action": "reload"}',
        '<tool_call>{"name": "back"}</tool_call><tool_call>{"name": "stop"}</tool_call>',
        '{"name": "back", "arguments": {',
        "{" * 5000,
        '{"a":' * 9000,
        '{"function":' * 1500 + "{}" + "}" * 1500,
        '{"action":"back"}' + " " * MAX_READ,
    ],
)
def test_what_means_nothing_or_two_things_stays_a_text(text: str) -> None:
    assert read_text(text) == text


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=4))
def test_arguments_arrive_as_they_were_given(arguments: dict[str, object]) -> None:
    for keeps in (True, False):
        text = json.dumps({"name": "commit", "arguments": arguments}, ensure_ascii=keeps)
        assert read_text(text) == Call("commit", arguments)
        assert read_text(f"看看：<tool_call>{text}</tool_call>") == Call("commit", arguments)
