"""What the workbench is told of the last action: parts that it can say in any language, also after a restart."""

from __future__ import annotations

import pytest
from browsed import act, fake_visits, opened

from riskchain_gym.annotation.deed import Deed


@pytest.fixture
def visits(tmp_path):
    desk = fake_visits(tmp_path)
    yield desk
    desk.close()


def test_nothing_was_done_at_first(visits):
    assert opened(visits).view().last is None


def test_an_action_is_told_by_element_and_outcome(visits):
    visit = opened(visits)
    assert act(visit, "click", "查看活动").last == Deed(action="click", role="link", name="查看活动", result="changed")
    chosen = act(visit, "select", "类别", option="企业").last
    assert (chosen.action, chosen.name, chosen.option, chosen.result) == ("select", "类别", "企业", "changed")
    assert act(visit, "press", "类别", key="Escape").last.key == "Escape"


@pytest.mark.parametrize(("name", "result"), [("领取", "element_disabled"), ("合作伙伴", "blocked_navigation")])
def test_what_could_not_be_carried_out_has_its_reason(visits, name, result):
    assert act(opened(visits), "click", name).last.result == result


def test_a_scroll_is_no_change_of_the_page_but_may_move_the_view(visits):
    visit = opened(visits)
    assert act(visit, "scroll_up").last == Deed(action="scroll_up", result="end")
    assert act(visit, "scroll_down").last.result == "scrolled"
    assert act(visit, "scroll_up").last.result == "scrolled"


def test_a_server_that_is_started_again_tells_the_same(visits, tmp_path):
    told = act(opened(visits), "click", "查看活动").last
    visits.close()
    again = fake_visits(tmp_path)
    assert opened(again).view().last == told
    again.close()
