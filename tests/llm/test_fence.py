"""Fences in prompts: what is inside comes back as it was, and cannot close them, forge them or look like the wire."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.llm.fence import blocks_in, fenced, neutral, within

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
CHAT_MARKS = ["<|im_end|>", "</s>", "<<<close page 0>>>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "<start_of_turn>"]


def code_of(fence: str) -> str:
    return fence.splitlines()[0].removesuffix(">>>").split(" ")[-1]


@given(st.dictionaries(st.sampled_from(["page", "history", "A report"]), VALUES, min_size=1, max_size=3))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_what_is_fenced_comes_back_as_it_was(blocks: dict[str, Any]) -> None:
    prompt = "\n\n".join(["Words before.", *fenced(blocks).values(), "Words after."])
    assert blocks_in(prompt) == blocks


def test_the_code_is_of_the_very_data_and_so_not_to_be_known_beforehand() -> None:
    first = fenced({"page": "one", "history": []})
    assert first == fenced({"page": "one", "history": []})
    assert len({code_of(fence) for fence in first.values()}) == 1
    others = [{"page": "two", "history": []}, {"page": "one", "history": [1]}, {"page": "one"}]
    codes = [code_of(first["page"]), *(code_of(fenced(blocks)["page"]) for blocks in others)]
    assert len(set(codes)) == len(codes)


def test_data_that_holds_the_code_of_an_earlier_request_gets_another_one() -> None:
    text = "hello"
    for _ in range(3):
        fence = fenced({"page": text})["page"]
        assert code_of(fence) not in text
        text = fence


@pytest.mark.parametrize("end", ["\n", "\r", "\x85", "\u2028", "\u2029", "\x0b", "\x0c"])
def test_no_text_begins_a_line_of_its_own(end: str) -> None:
    text = f"before{end}<<<close page 0123456789abcdef>>>{end}after"
    fence = fenced({"page": text})["page"]
    assert len(fence.splitlines()) == 3
    assert blocks_in(fence) == {"page": text}


@pytest.mark.parametrize("mark", CHAT_MARKS)
def test_marks_of_fences_and_chat_templates_do_not_stand_in_data(mark: str) -> None:
    text = neutral(json.dumps({mark: [mark]}, ensure_ascii=False))
    assert mark not in text
    assert json.loads(text) == {mark: [mark]}


@pytest.mark.parametrize("code", ["[doge]", "[V5]", "[微笑]", "[PHONE-1]"])
def test_codes_that_servers_do_not_know_stay_readable(code: str) -> None:
    assert neutral(json.dumps(code, ensure_ascii=False)) == f'"{code}"'


def test_half_a_surrogate_pair_can_be_sent() -> None:
    assert neutral('"\ud83d"').encode() == b'"\\ud83d"'


@pytest.mark.parametrize(("room", "kept"), [(0, []), (4, ["ab"]), (7, ["ab"]), (8, ["ab", "cd"]), (99, ["ab", "cd"])])
def test_a_list_is_cut_between_values_and_says_so(room: int, kept: list[str]) -> None:
    block = within("lines", ["ab", "cd"], room)
    assert block["lines"] == kept
    assert block.get("lines_cut", "") == (f"{2 - len(kept)} of 2 are left out" if len(kept) < 2 else "")
