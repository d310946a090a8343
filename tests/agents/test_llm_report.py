"""The report prompt: redacted, each page once, within a length; quotes as they were shown; screenshots sampled."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_stub import StubModel, blocks, browsed, reported

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.llm.investigator import LLMInvestigator
from riskchain_gym.agents.llm.notes import MAX_RESULT
from riskchain_gym.agents.llm.page import MAX_TITLE
from riskchain_gym.agents.llm.pictures import evenly
from riskchain_gym.agents.llm.quotes import as_shown
from riskchain_gym.agents.llm.record import MAX_LINES, shares
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.report import Report
from riskchain_gym.scoring.redaction.text import Redactor
from riskchain_gym.scoring.text import fold_blanks

PHONE = "客服电话 138 0013 8000，　全天接听"
LINES = ("欢迎", PHONE, "© 2026 安心小铺 版权所有")


def shown(step: int, lines: tuple[str, ...] = LINES, feedback: str = "", **others: Any) -> dict[str, Any]:
    box = {"x": 10, "y": 20, "width": 40, "height": 10}
    call = {"element_id": "e1", "role": "link", "name": PHONE, "capabilities": {"click": True}, "box": box}
    page = {
        "step": step,
        "path": "/a",
        "title": "首页",
        "elements": [call],
        "view": {"scroll_y": 0, "width": 64, "height": 48, "page_height": 48},
    }
    return {
        "phase": 1,
        "text": "\n".join(lines),
        "elements": json.dumps(page, ensure_ascii=False),
        "feedback": feedback,
        "steps_left": 30 - step,
        **others,
    }


def with_page(observation: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**observation, "elements": json.dumps({**json.loads(observation["elements"]), **fields})}


def closing(steps: int, feedback: str = "Report now.") -> dict[str, Any]:
    observed = [{"step": i, "path": "/a", "title": "首页"} for i in range(steps)]
    elements = json.dumps({"observed_steps": observed})
    return {"phase": 2, "text": "", "elements": elements, "feedback": feedback, "steps_left": 9}


def investigated(stub: StubModel, pages: list[dict[str, Any]], feedback: str = "Report now.", **options: Any) -> str:
    agent = LLMInvestigator(stub.asked(), **options)
    agent.reset(build_instructions())
    for page in pages:
        agent.investigate(page)
    return agent.investigate(closing(len(pages), feedback))


def test_the_record_is_redacted_and_quotes_are_as_shown() -> None:
    stub = StubModel([browsed("click", "e1"), browsed("stop"), reported(0, "客服电话 [PHONE-1]， 全天接听")])
    pages = [shown(0), shown(1, feedback=f"click e1 (link '{PHONE}'): done, nothing on the page changed.")]
    report = Report.model_validate_json(investigated(stub, pages, f"Report now, or call 138 0013 8000 of {PHONE}."))
    assert report.evidence[0].quote == PHONE
    assert "138 0013 8000" in stub.prompt(0)
    assert "138" not in stub.prompt(2)
    assert "安心小铺" not in stub.prompt(2)
    seen = blocks(stub.requests[2])["seen"]
    assert seen["pages"][0]["lines"] == ["欢迎", "客服电话 [PHONE-1]，　全天接听", "© 2026 [OPERATOR-1] 版权所有"]
    assert seen["pages"][0]["controls"] == ["e1 link '客服电话 [PHONE-1]，　全天接听'"]
    assert [deed["action"]["action"] for deed in seen["actions"]] == ["click", "stop"]
    assert seen["actions"][0]["element"] == "link '客服电话 [PHONE-1]，　全天接听'"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": f"首页 {PHONE}"},
        {"path": "/call/13800138000"},
        {"pictures": [{"key": "p1", "alt": f"横幅\n{PHONE}"}]},
    ],
)
def test_whatever_names_a_number_is_redacted(fields: dict[str, Any]) -> None:
    stub = StubModel([browsed("stop"), reported(0, "欢迎")])
    investigated(stub, [with_page(shown(0, ("欢迎",)), **fields)])
    assert "138" in stub.prompt(0)
    assert "138" not in stub.prompt(1)
    assert "[PHONE-1]" in json.dumps(blocks(stub.requests[1])["seen"]["pages"][0])


@pytest.mark.parametrize(
    "action",
    [
        browsed("select", "e1", option=PHONE),
        browsed("click", "the link 138 0013 8000"),
        browsed("click", "e1", reason=f"It says {PHONE}."),
    ],
)
def test_whatever_the_model_did_with_a_number_is_redacted(action: dict[str, Any]) -> None:
    stub = StubModel([action, browsed("stop"), reported(0, "欢迎")])
    investigated(stub, [shown(0), shown(1)])
    assert "138" in json.dumps(blocks(stub.requests[1])["history"], ensure_ascii=False)
    assert "138" not in stub.prompt(2)


@pytest.mark.parametrize("before", range(MAX_TITLE - 12, MAX_TITLE + 1))
def test_no_part_of_a_number_is_left_where_a_title_or_a_path_is_cut(before: int) -> None:
    stub = StubModel([browsed("stop"), reported(0, "欢迎")])
    long = "长" * before
    page = with_page(shown(0, ("欢迎",)), title=f"{long} 13800138000", path=f"/{long}/13800138000")
    investigated(stub, [page])
    seen = blocks(stub.requests[1])["seen"]["pages"][0]
    assert not re.search(r"\d\d", seen["title"] + seen["path"])
    assert max(len(seen["title"]), len(seen["path"])) <= MAX_TITLE


@pytest.mark.parametrize("before", range(MAX_RESULT - 22, MAX_RESULT - 8))
def test_no_part_of_a_number_is_left_where_a_result_is_cut(before: int) -> None:
    stub = StubModel([browsed("click", "e9"), browsed("stop"), reported(0, "欢迎")])
    said = f"{'长' * before} 13800138000 等"
    investigated(stub, [shown(0), shown(0, feedback=said)])
    told = blocks(stub.requests[2])["seen"]["actions"][0]["result"]
    assert not re.search(r"\d\d", told)
    assert len(told) <= MAX_RESULT


def test_why_the_model_did_something_is_not_told_when_it_reports() -> None:
    stub = StubModel([browsed("noop", reason="I suspect a swindle."), browsed("stop"), reported(0, "欢迎")])
    investigated(stub, [shown(0), shown(1)])
    assert "I suspect a swindle." in stub.prompt(1)
    assert "swindle" not in stub.prompt(2)
    assert all("reason" not in deed for deed in blocks(stub.requests[2])["seen"]["actions"])


def test_what_was_wrong_with_an_action_is_not_told_of_the_report() -> None:
    stub = StubModel(["no action", reported(0, "欢迎")])
    investigated(stub, [shown(0)], "Browsing has ended: report now.")
    assert blocks(stub.requests[1])["feedback"] == "Browsing has ended: report now."


def test_a_quote_that_nothing_shows_is_left_to_the_environment() -> None:
    stub = StubModel([browsed("stop"), reported(0, "[PHONE-9] 不在页上"), reported(7, "欢迎")])
    agent = LLMInvestigator(stub.asked())
    agent.reset(build_instructions())
    agent.investigate(shown(0))
    assert json.loads(agent.investigate(closing(1)))["evidence"][0]["quote"] == "[PHONE-9] 不在页上"
    agent.investigate(closing(1, "evidence.0: the quote '[PHONE-9]' was not shown at step 0. Strike 1 of 3."))
    assert "Strike 1 of 3" in blocks(stub.requests[2])["feedback"]


def test_each_page_state_comes_once_by_its_first_step() -> None:
    pages = [shown(0), shown(1), shown(2, ("别的",)), shown(3)]
    stub = StubModel([*(browsed("noop") for _ in pages), reported(0, "欢迎")])
    investigated(stub, pages)
    seen = blocks(stub.requests[-1])["seen"]
    assert [page["step"] for page in seen["pages"]] == [0, 2]
    assert [deed["step"] for deed in seen["actions"]] == [0, 1, 2, 3]


def test_long_pages_are_cut_and_say_so() -> None:
    long = tuple(f"第 {i} 行，" + "长" * 90 for i in range(1000))
    stub = StubModel([browsed("noop"), browsed("noop"), reported(0, "欢迎")])
    investigated(stub, [shown(0), shown(1, long)])
    first, second = blocks(stub.requests[-1])["seen"]["pages"]
    assert "lines_cut" not in first
    kept = len(second["lines"])
    assert second["lines_cut"] == f"{1000 - kept} of 1000 are left out"
    assert MAX_LINES * 0.9 < sum(map(len, second["lines"])) <= MAX_LINES
    assert blocks(stub.requests[1])["page"]["lines_cut"].endswith("of 1000 are left out")


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=12), st.integers(0, 20_000))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_shares_give_all_that_is_wanted_or_all_that_there_is(wanted: list[int], total: int) -> None:
    used = [min(share, want) for share, want in zip(shares(wanted, total), wanted, strict=True)]
    assert sum(used) <= total
    assert used == wanted or sum(used) > total - len(wanted)


TEXTS = st.lists(
    st.sampled_from(["欢迎光临", "拨 13800138000", "a@b.com", "　 空 　白 ", "[PHONE-1] 原样", "12345678901234567"]),
    max_size=5,
)


@given(TEXTS, st.data())
@settings(max_examples=50, derandomize=True, deadline=None)
def test_any_whole_quote_of_the_redacted_page_was_shown(lines: list[str], data: st.DataObject) -> None:
    source = "\n".join(lines)
    redactor = Redactor(lines)
    masked = fold_blanks(redactor.mask(source))
    start = data.draw(st.integers(0, len(masked)))
    quote = masked[start : data.draw(st.integers(start, len(masked)))]
    assert fold_blanks(as_shown(quote, source, redactor)) in fold_blanks(source) or not quote.strip()
    assert fold_blanks(as_shown(masked, source, redactor)) == fold_blanks(source)


@pytest.mark.parametrize(
    ("steps", "most", "taken"),
    [
        (0, 8, ()),
        (3, 8, (0, 1, 2)),
        (8, 8, tuple(range(8))),
        (9, 3, (0, 4, 8)),
        (31, 8, None),
        (9, 1, (0,)),
        (9, 0, ()),
    ],
)
def test_screenshots_are_sampled_evenly_with_first_and_last(
    steps: int, most: int, taken: tuple[int, ...] | None
) -> None:
    sample = evenly(tuple(range(steps)), most)
    assert taken is None or sample == taken
    if taken is None:
        gaps = np.diff(sample)
        assert (len(sample), sample[0], sample[-1]) == (most, 0, steps - 1)
        assert gaps.max() - gaps.min() <= 1


def picture(shade: int) -> np.ndarray[Any, Any]:
    return np.full((48, 64, 3), shade, np.uint8)


def test_screenshots_go_with_every_prompt() -> None:
    image = pytest.importorskip("PIL.Image")
    pages = [shown(i, screenshot=picture(20 * min(i, 4))) for i in range(6)]
    stub = StubModel([*(browsed("noop") for _ in pages), reported(0, "欢迎")])
    investigated(stub, pages, images=True, report_images=3)
    assert [len(request.messages[-1].images) for request in stub.requests] == [1] * 6 + [3]
    assert "steps 0, 2, 4." in stub.prompt()
    covered = np.asarray(image.open(io.BytesIO(stub.requests[-1].messages[-1].images[0])))
    assert covered[25, 30].tolist() == [128, 128, 128], "the control that names a number is covered"
    assert covered[47, 0].max() < 20


def test_no_screenshot_of_an_earlier_episode_is_sent() -> None:
    pytest.importorskip("PIL")
    stub = StubModel([*[browsed("noop")] * 3, reported(0, "欢迎"), browsed("stop"), reported(0, "欢迎")])
    agent = LLMInvestigator(stub.asked(), images=True)
    for shades in ([10, 20, 30], [40]):
        agent.reset(build_instructions())
        for step, shade in enumerate(shades):
            agent.investigate(shown(step, screenshot=picture(shade)))
        agent.investigate(closing(len(shades)))
    assert [len(request.messages[-1].images) for request in stub.requests] == [1, 1, 1, 3, 1, 1]


def test_without_pictures_in_the_observation_images_are_refused() -> None:
    pytest.importorskip("PIL")
    agent = LLMInvestigator(StubModel([]).asked(), images=True, marks=True)
    agent.reset(build_instructions())
    with pytest.raises(ConfigError, match=r'observe=\["screenshot_som"\]'):
        agent.investigate(shown(0, screenshot=picture(0)))
