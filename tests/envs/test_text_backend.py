"""The text backend: pages, forms, history, downloads and errors, without geometry."""

from __future__ import annotations

from typing import Any

import pytest
from chain_builder import ACTION, CLAIM, make_site

from riskchain_gym.envs.backends.base import ActResult, RawElement, RawPage
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.action import TARGETED, ActionErrorKind, ActionKind, BrowserAction
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError

pytestmark = pytest.mark.contract


class Visitor:
    """Names elements by role and name instead of by key."""

    def __init__(self) -> None:
        self.backend = TextBackend()
        self.page: RawPage = self.backend.open(make_site(0, CLAIM))

    def find(self, name: str, role: str = "") -> RawElement:
        return next(e for e in self.page.elements if e.name == name and (not role or e.role == role))

    def do(self, kind: str, name: str = "", role: str = "", **more: Any) -> ActResult:
        action = ActionKind(kind)
        key = self.find(name, role).key if action in TARGETED else None
        given = BrowserAction(action=action, element_id="x" if key else None, **more)
        result = self.backend.act(given, key)
        self.page = result.page
        return result

    @property
    def text(self) -> list[str]:
        return [line.text for line in self.page.lines]


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


def test_the_landing_page(visitor: Visitor) -> None:
    page = visitor.page
    assert (page.path, page.title, page.status) == ("/", "首页", 200)
    assert visitor.text[:2] == ["示例站0", "随便看看"]
    assert all(line.box is None for line in page.lines)
    assert len({e.key for e in page.elements}) == len(page.elements)


def test_links_reload_and_history(visitor: Visitor) -> None:
    visitor.do("click", "进入活动")
    assert visitor.page.path == "/offer"
    assert CLAIM in visitor.text
    visitor.do("click", "首页")
    visitor.do("reload")
    assert visitor.page.path == "/"
    visitor.do("back")
    assert visitor.page.path == "/offer"
    visitor.do("back")
    assert visitor.do("back").error is ActionErrorKind.NO_HISTORY
    assert visitor.page.path == "/"


def test_a_link_to_the_same_page_is_no_new_entry(visitor: Visitor) -> None:
    visitor.do("click", "首页")
    assert visitor.do("back").error is ActionErrorKind.NO_HISTORY


def test_a_form_keeps_its_drafts_until_the_page_goes(visitor: Visitor) -> None:
    visitor.do("click", "进入活动")
    assert not visitor.find("手机号").has_value
    assert visitor.find("意愿").has_value, "a slider always stands somewhere"
    assert (visitor.find("手机号").placeholder, visitor.find("手机号").type) == ("11 位", "tel")
    assert (visitor.find("城市").type, visitor.find("城市").options) == ("", ("", "甲城", "乙城"))
    visitor.do("fill", "手机号")
    visitor.do("check", "同意条款")
    visitor.do("select", "城市")
    assert visitor.find("手机号").has_value
    assert visitor.find("同意条款").checked
    assert not visitor.find("同意条款").has_value
    assert visitor.find("城市").has_value
    visitor.do("check", "同意条款")
    assert visitor.find("同意条款").checked, "checking twice is checking"
    visitor.do("select", "城市", option="")
    assert not visitor.find("城市").has_value
    visitor.do("reload")
    assert not visitor.find("手机号").has_value
    assert not visitor.find("同意条款").checked


@pytest.mark.parametrize(("kind", "name", "role"), [("click", "提交", "button"), ("submit", "报名", "form")])
def test_a_form_is_checked_by_the_site(visitor: Visitor, kind: str, name: str, role: str) -> None:
    visitor.do("click", "进入活动")
    visitor.do(kind, name, role)
    assert "请填写手机号" in visitor.text
    visitor.do("fill", "手机号")
    visitor.do(kind, name, role)
    assert "请先同意条款" in visitor.text
    assert visitor.find("手机号").has_value, "what was typed is served back"
    visitor.do("check", "同意条款")
    visitor.do(kind, name, role)
    assert visitor.page.path == "/done"
    assert ACTION in visitor.text


@pytest.mark.parametrize("name", ["手机号", "同意条款", "意愿"])
def test_enter_in_a_field_sends_its_form(visitor: Visitor, name: str) -> None:
    visitor.do("click", "进入活动")
    visitor.do("fill", "手机号")
    visitor.do("check", "同意条款")
    assert visitor.do("press", name, key="Enter").error is None
    assert visitor.page.path == "/done"


def test_enter_follows_a_link_and_pushes_a_button(visitor: Visitor) -> None:
    visitor.do("press", "刷新回合", "button", key="Enter")
    assert "第 1 回合" in visitor.text
    visitor.do("press", "进入活动", key="Enter")
    assert visitor.page.path == "/offer"
    visitor.do("back")
    assert visitor.page.path == "/"


def test_enter_where_it_would_type_or_open_something_is_an_error(visitor: Visitor) -> None:
    visitor.do("click", "进入活动")
    before = visitor.page
    for name, role in [("城市", "combobox"), ("报名", "form")]:
        assert visitor.do("press", name, role, key="Enter").error is ActionErrorKind.EXECUTION_ERROR
        assert visitor.page == before


def test_escape_changes_nothing(visitor: Visitor) -> None:
    visitor.do("click", "进入活动")
    visitor.do("fill", "手机号")
    before = visitor.page
    for name, role in [("手机号", ""), ("城市", ""), ("提交", "button"), ("首页", "link")]:
        assert visitor.do("press", name, role, key="Escape").error is None
        assert visitor.page == before


def test_a_button_changes_the_state_for_the_episode_only(visitor: Visitor) -> None:
    visitor.do("click", "刷新回合")
    visitor.do("click", "刷新回合")
    assert "第 2 回合" in visitor.text
    visitor.do("reload")
    assert "第 2 回合" in visitor.text
    visitor.page = visitor.backend.open(make_site(0, CLAIM))
    assert "第 0 回合" in visitor.text
    assert visitor.do("back").error is ActionErrorKind.NO_HISTORY


def test_downloads_leave_the_page(visitor: Visitor) -> None:
    visitor.do("click", "文件")
    before = visitor.page
    result = visitor.do("click", "下载说明")
    assert result.error is None
    assert result.page == before


def test_scrolling_changes_nothing(visitor: Visitor) -> None:
    before = visitor.page
    assert visitor.do("scroll_down").page == before
    assert visitor.do("scroll_up").error is None


def test_what_is_not_there(visitor: Visitor) -> None:
    gone = visitor.backend.act(BrowserAction(action=ActionKind.CLICK, element_id="x"), "nokey")
    assert gone.error is ActionErrorKind.ELEMENT_DETACHED
    visitor.do("click", "进入活动")
    assert visitor.do("select", "城市", option="丙城").error is ActionErrorKind.EXECUTION_ERROR


def test_no_pictures_and_nothing_after_close() -> None:
    backend = TextBackend()
    with pytest.raises(ConfigError, match="chromium"):
        backend.screenshot()
    with pytest.raises(ConfigError, match="chromium"):
        backend.axtree({})
    with pytest.raises(ConfigError, match="no DOM"):
        backend.dom({})
    for _ in range(2):
        backend.close()
    with pytest.raises(InfrastructureError, match="open"):
        backend.act(BrowserAction(action=ActionKind.RELOAD), None)
    assert backend.open(make_site(0, CLAIM)).path == "/"
