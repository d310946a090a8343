"""Pages of thousands of controls: the explorer's work grows with their number, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from fake_site import Ctl, FakeSite, Page

from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.targets import Key
from riskchain_gym.agents.explore.twins import find_twins
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind

STEPS = 4


def same_links(n: int) -> list[Ctl]:
    return [Ctl("link", f"查看{n}", to=f"/{i % 3}") for i in range(n)]


def other_links(n: int) -> list[Ctl]:
    return [Ctl("link", f"第{n}组第{i}件", to=f"/{i % 3}") for i in range(n)]


def retry_links(n: int) -> list[Ctl]:
    return [Ctl("link", f"重试{n}-{i}", to=f"/{i % 3}") for i in range(n)]


def buttons(n: int) -> list[Ctl]:
    return [Ctl("button", f"展开{n}", do=lambda site: None) for _ in range(n)]


def fields_of_one_form(n: int) -> list[Ctl]:
    return [*(Ctl("textbox", f"栏{n}-{i}") for i in range(n)), Ctl("button", "提交", do=lambda site: None)]


def code_forms(n: int) -> list[Ctl]:
    pairs = ((Ctl("textbox", f"邀请码{n}-{i}"), Ctl("button", "提交", do=lambda s: None)) for i in range(n // 2))
    return [control for pair in pairs for control in pair]


def rows_of_two_buttons(n: int) -> list[Ctl]:
    return [
        Ctl("link", f"条{n}-{i}", to="/1") if i % 3 == 2 else Ctl("button", f"钮{n}-{i}", do=lambda site: None)
        for i in range(n)
    ]


def site_of(controls: list[Ctl], lines: list[str]) -> FakeSite:
    """Return a site whose pages differ in their lines and in their last controls, so that little of it is a frame."""
    head = [Ctl("link", "首页", to="/0")]
    pages = {f"/{i}": Page([f"{line} {i}" for line in lines], [*head, *controls[i:]], f"页{i}") for i in range(3)}
    return FakeSite(pages, home="/0")


def calls_in(site: FakeSite) -> int:
    """Explore for some steps; return how many functions were called or generators went on meanwhile, C's among them."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    explorer = Explorer()
    explorer.reset(build_instructions())
    before = sys.getprofile()
    for _ in range(STEPS):
        observation = site.observe()
        sys.setprofile(count)
        try:
            action = explorer.investigate(observation)
        finally:
            sys.setprofile(before)
        site.act(action)
    return calls


@pytest.mark.parametrize(
    "make",
    [same_links, other_links, retry_links, buttons, fields_of_one_form, code_forms, rows_of_two_buttons],
)
def test_three_times_the_controls_are_three_times_the_work(make: Callable[[int], list[Ctl]]) -> None:
    few, many = (calls_in(site_of(make(n), [f"正文{n}"])) for n in (150, 450))
    assert many < 4 * few


def test_three_times_the_lines_are_three_times_the_work() -> None:
    few, many = (calls_in(site_of(other_links(20), [f"邀请码 AB{n}C{i}" for i in range(n)])) for n in (150, 450))
    assert many < 4 * few


class Line(str):
    """A line that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Line.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_line_is_looked_up_and_not_searched_for_among_all_others() -> None:
    n = 1500
    memory = SiteMemory()
    Line.compared = 0
    for step in range(3):
        lines = tuple(Line(f"行 {step // 2} {i}") for i in range(n))
        effect = memory.record(Sighting(step, "/a", "页", lines, (), steps_left=9), None)
        assert len(effect.new_lines) == (0 if step == 1 else n)
        assert len(effect.fresh_here) == (0 if step == 1 else n)
    assert Line.compared < 30 * n


def test_on_a_page_of_thousands_of_links_of_one_name_the_explorer_keeps_to_its_budget() -> None:
    home = [Ctl("link", "首页", to="/0")]
    pages = {"/0": Page(["正文"], same_links(5000)), "/1": Page(["其一"], home), "/2": Page(["其二"], home)}
    site = FakeSite(pages, home="/0", budget=8)
    explorer = Explorer()
    explorer.reset(build_instructions())
    while not site.stopped:
        site.act(explorer.investigate(site.observe()))
    assert len(site.actions) <= 8
    assert site.actions[-1].action is ActionKind.STOP
    assert set(site.seen) == {"/0", "/1", "/2"}


def test_links_of_one_name_lead_where_those_before_them_led_only_if_that_is_one_place() -> None:
    def lead_of(nth: int, reached: dict[int, str]) -> str | None:
        twins = find_twins({("/a", Key("link", "更多", i)): place for i, place in reached.items()})
        return twins["/a", "link", "更多"].lead_of(nth)

    assert lead_of(5, {0: "/b"}) is None
    assert lead_of(5, {3: "/b", 1: "/b"}) == "/b"
    assert lead_of(2, {3: "/b", 1: "/b"}) is None
    assert lead_of(5, {0: "/b", 1: "/b", 4: "/c"}) is None
    assert lead_of(3, {0: "/b", 1: "/b", 4: "/c"}) == "/b"
    assert lead_of(5, {0: "/b", 1: "/c"}) is None
