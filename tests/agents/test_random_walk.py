"""The random walker: legal, repeatable, different for another seed, and no better than chance."""

from __future__ import annotations

from fake_site import Ctl, FakeSite, Page
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.base import Investigator
from riskchain_gym.agents.explore.random_walk import RandomInvestigator
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.report import Report


def controls() -> list[Ctl]:
    return [
        Ctl("link", "下一页", to="/b"),
        Ctl("link", "上一页", to="/a"),
        Ctl("form", "登记", do=lambda s: None),
        Ctl("textbox", "称呼"),
        Ctl("checkbox", "同意"),
        Ctl("combobox", "城市", options=("", "北方", "南方")),
        Ctl("button", "提交", do=lambda s: None),
        Ctl("button", "还不能按", do=lambda s: None, disabled=True),
    ]


def a_site(budget: int = 30) -> FakeSite:
    return FakeSite({"/a": Page(["第一页"], controls()), "/b": Page(["第二页"], controls())}, budget=budget)


def walk(walker: Investigator, site: FakeSite, repeat: int = 0) -> list[BrowserAction]:
    walker.reset(build_instructions(repeat=repeat))
    while not site.stopped and site.left > 0:
        site.act(walker.investigate(site.observe()))
    Report.model_validate_json(walker.investigate(site.report_observation()))
    return site.actions


def test_one_seed_is_one_walk_and_another_seed_another() -> None:
    walker = RandomInvestigator(seed=1)
    first = walk(walker, a_site())
    assert walk(walker, a_site()) == first
    assert walk(RandomInvestigator(seed=1), a_site()) == first
    assert any(walk(RandomInvestigator(seed=seed), a_site()) != first for seed in (2, 3))


def test_each_repeat_of_a_run_is_a_walk_of_its_own() -> None:
    walks = [walk(RandomInvestigator(), a_site(), repeat) for repeat in range(3)]
    assert walks[0] == walk(RandomInvestigator(), a_site())
    assert walks[1] == walk(RandomInvestigator(), a_site(), 1)
    assert all(walks.count(each) == 1 for each in walks)


def test_the_walk_depends_on_nothing_but_the_first_page_and_the_seed() -> None:
    other = FakeSite({"/a": Page(["别的页"], controls()), "/b": Page(["第二页"], controls())})
    assert walk(RandomInvestigator(), other) != walk(RandomInvestigator(), a_site())


def test_over_many_seeds_every_legal_kind_of_action_is_taken_and_no_control_that_is_disabled() -> None:
    taken = [action for seed in range(20) for action in walk(RandomInvestigator(seed=seed), a_site())]
    kinds = {action.action for action in taken}
    assert kinds == set(ActionKind) - {
        ActionKind.PRESS,
        ActionKind.SCROLL_DOWN,
        ActionKind.SCROLL_UP,
        ActionKind.NOOP,
    }
    assert all(action.option for action in taken if action.action is ActionKind.SELECT)
    assert not any((action.element_id or "").endswith("#7") for action in taken)
    untargeted = [action for action in taken if action.element_id is None]
    assert len(untargeted) < len(taken) / 3


@given(st.integers(1, 12), st.integers(0, 999), st.booleans())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_it_stops_within_the_budget_even_where_nothing_can_be_done(budget: int, seed: int, bare: bool) -> None:
    site = FakeSite({"/a": Page(["空页"])}, budget=budget) if bare else a_site(budget)
    assert len(walk(RandomInvestigator(seed=seed), site)) <= budget
    assert site.stopped


def test_it_is_a_part_that_any_restorer_combines_with() -> None:
    assert load_agent("copy+random").agent is not None
    assert load_agent("rules+random").spec.kind == "control"


def test_doing_nothing_is_a_part_of_either_half() -> None:
    site = a_site()
    site.act(load_agent("rules+noop").agent.act(site.observe()))
    assert site.stopped
    message = Message(
        platform=Platform.WEIBO,
        surface=Surface.COMMENT,
        messages=(ChatMessage(message_id="m001", content="打开 abc.de.test 看看"),),
    )
    restored = load_agent("noop+explorer").agent.act({"phase": 0, "text": message.model_dump_json()})
    assert Commit.model_validate_json(restored) == EMPTY_COMMIT
