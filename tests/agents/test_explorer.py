"""The explorer on small sites: gates, codes found elsewhere, budgets, no endless loops."""

from __future__ import annotations

from fake_site import Ctl, FakeSite, Page
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.report import Report


def walk(site: FakeSite) -> set[str]:
    """Explore a site to the end; return every line that was shown."""
    explorer = Explorer()
    explorer.reset(build_instructions())
    while not site.stopped and site.left > 0:
        site.act(explorer.investigate(site.observe()))
    Report.model_validate_json(explorer.investigate(site.report_observation()))
    return {line for page in explorer.memory.sightings for line in page.lines}


def link(name: str, to: str) -> Ctl:
    return Ctl("link", name, to=to)


def test_every_link_is_followed_once_and_the_explorer_stops() -> None:
    nav = [link("首页", "/a"), link("积分规则", "/b"), link("活动大厅", "/c"), link("关于我们", "/d")]
    site = FakeSite({p: Page([f"内容 {p}"], nav) for p in ("/a", "/b", "/c", "/d")})
    walk(site)
    assert set(site.seen) == {"/a", "/b", "/c", "/d"}
    assert site.stopped
    assert len(site.actions) < 12


def test_far_pages_are_reached_by_walking_back() -> None:
    pages = {
        "/a": Page(["甲"], [link("目录一", "/b"), link("目录二", "/c")]),
        "/b": Page(["乙"], [link("返回首页", "/a"), link("专题甲", "/d")]),
        "/c": Page(["丙"], [link("返回首页", "/a"), link("专题乙", "/e")]),
        "/d": Page(["丁"], [link("返回首页", "/a")]),
        "/e": Page(["戊"], []),
    }
    site = FakeSite(pages)
    walk(site)
    assert set(site.seen) == set(pages)


def test_same_named_links_lead_to_different_pages() -> None:
    pages = {
        "/a": Page(["商品"], [link("查看详情", "/b"), link("查看详情", "/c"), link("查看详情", "/d")]),
        **{p: Page([f"商品 {p}"], [link("返回", "/a")]) for p in ("/b", "/c", "/d")},
    }
    site = FakeSite(pages)
    walk(site)
    assert set(site.seen) == set(pages)


def test_consent_box_and_slider_are_passed() -> None:
    def submit(site: FakeSite) -> str | None:
        if site.filled("我已年满十八岁", "拖动滑块"):
            site.state["open"] = True
            return "/in"
        site.refuse("请先勾选并拖动滑块")
        return None

    gate = [
        Ctl("form", "入场确认", do=submit),
        Ctl("checkbox", "我已年满十八岁"),
        Ctl("slider", "拖动滑块"),
        Ctl("button", "进入", do=submit),
    ]
    site = FakeSite({"/a": Page(["欢迎"], gate), "/in": Page(["里面"])})
    walk(site)
    assert "/in" in site.seen
    assert len(site.actions) <= 6


def test_accept_is_pressed_before_leave() -> None:
    pages = {
        "/a": Page(
            ["本站内容仅供成年人浏览"],
            [Ctl("button", "离开", do=lambda s: "/out"), Ctl("button", "同意并进入", do=lambda s: "/in")],
        ),
        "/in": Page(["里面"]),
        "/out": Page(["再见"]),
    }
    site = FakeSite(pages)
    walk(site)
    assert site.seen[1] == "/in"


def _invite_site(budget: int = 30) -> FakeSite:
    def join(site: FakeSite) -> str | None:
        if site.filled("邀请码") and site.state.get("knows"):
            return "/in"
        site.refuse("邀请码不正确")
        return None

    def faq(site: FakeSite) -> Page:
        site.state["knows"] = True
        return Page(["本月邀请码：KX7Q29"], [link("首页", "/a")])

    return FakeSite(
        {
            "/a": Page(
                ["会员入口"],
                [
                    Ctl("form", "加入", do=join),
                    Ctl("textbox", "邀请码"),
                    Ctl("button", "加入", do=join),
                    link("常见问题", "/b"),
                ],
            ),
            "/b": faq,
            "/in": Page(["会员区"]),
        },
        budget=budget,
    )


def test_invite_code_is_looked_for_before_the_form_is_filled() -> None:
    site = _invite_site()
    walk(site)
    assert "/in" in site.seen
    assert [a.action for a in site.actions].count(ActionKind.SUBMIT) == 1


def test_a_page_without_a_line_is_passed() -> None:
    form = [Ctl("form", "登记", do=lambda s: None), Ctl("textbox", "邀请码")]
    fields = [*form, link("下一页", "/b"), link("末页", "/c")]
    site = FakeSite({"/a": Page(["内容"], fields), "/b": Page([]), "/c": Page(["最后"])})
    assert {"内容", "最后"} <= walk(site)
    assert set(site.seen) == {"/a", "/b", "/c"}


def test_refused_form_is_tried_again_once_what_it_wants_was_seen() -> None:
    def login(site: FakeSite) -> str | None:
        if site.state.get("knows"):
            return "/in"
        site.state["asked"] = True
        site.refuse("密码错误")
        return None

    def entrance(site: FakeSite) -> Page:
        form = [Ctl("form", "登录", do=login), Ctl("textbox", "账号"), Ctl("textbox", "密码")]
        return Page(["入口"], [*form, link("其他", "/c"), *([link("忘记了", "/b")] if site.state.get("asked") else [])])

    def notes(site: FakeSite) -> Page:
        site.state["knows"] = True
        return Page(["演示账号 demo88，密码 pass2026"], [link("回到入口", "/a")])

    site = FakeSite(
        {"/a": entrance, "/b": notes, "/c": Page(["其他"], [link("回到入口", "/a")]), "/in": Page(["账户"])}
    )
    walk(site)
    assert "/in" in site.seen
    assert [a.action for a in site.actions].count(ActionKind.SUBMIT) == 2


def test_field_left_out_is_filled_at_once() -> None:
    def send(site: FakeSite) -> str | None:
        if not site.state.get("asked"):
            site.state["asked"] = True
            site.refuse("请填写备注")
            return None
        return "/in" if site.filled("备注", "姓名") else None

    def form(site: FakeSite) -> Page:
        extra = [Ctl("textbox", "备注")] if site.state.get("asked") else []
        return Page(
            ["登记"], [Ctl("form", "登记", do=send), Ctl("textbox", "姓名"), *extra, Ctl("button", "提交", do=send)]
        )

    site = FakeSite({"/a": form, "/in": Page(["完成"])})
    walk(site)
    assert "/in" in site.seen


def test_login_wall_reopens_the_links_it_stood_before() -> None:
    def wall(path: str, text: str):
        def make(site: FakeSite) -> Page:
            if site.state.get("in"):
                return Page([text], nav)
            site.path = "/login"
            return login_page(site)

        return make

    def do_login(site: FakeSite) -> str | None:
        site.state["in"] = True
        return "/a"

    def login_page(site: FakeSite) -> Page:
        return Page(["请登录"], [Ctl("form", "登录", do=do_login), Ctl("textbox", "账号"), *nav])

    nav = [link("我的钱包", "/w"), link("任务大厅", "/t"), link("主页面", "/a")]
    site = FakeSite(
        {"/a": Page(["首页"], nav), "/login": login_page, "/w": wall("/w", "余额"), "/t": wall("/t", "任务")}
    )
    assert {"余额", "任务"} <= walk(site)


def test_broken_page_is_retried() -> None:
    def shaky(site: FakeSite) -> Page:
        site.state["n"] = site.state.get("n", 0) + 1
        if site.state["n"] <= 6:
            return Page(["服务器繁忙，请重试"], [link("重试", "/b")])
        return Page(["终于打开"])

    site = FakeSite({"/a": Page(["首页"], [link("大厅", "/b")]), "/b": shaky})
    assert "终于打开" in walk(site)


def test_broken_page_with_a_button_is_retried_too() -> None:
    def again(site: FakeSite) -> str | None:
        site.state["n"] = site.state.get("n", 0) + 1
        return "/c" if site.state["n"] > 1 else None

    broken = Page(["出错了，系统错误"], [Ctl("form", "再试一次", do=again), Ctl("button", "再试一次", do=again)])
    site = FakeSite({"/a": Page(["首页"], [link("大厅", "/b")]), "/b": broken, "/c": Page(["终于打开"])})
    assert "终于打开" in walk(site)


def test_filter_is_tried_with_another_option() -> None:
    def page(site: FakeSite) -> Page:
        chosen = site.values.get("/a#1") not in (None, True)
        fields = [
            Ctl("combobox", "用途", options=("全部", "其他")),
            Ctl("button", "筛选", do=lambda s: s.state.update(f=chosen)),
        ]
        extra = ["其他类目：试用装"] if site.state.get("f") else []
        return Page(["商品列表", *extra], [Ctl("form", "筛选", do=lambda s: s.state.update(f=chosen)), *fields])

    site = FakeSite({"/a": page})
    site.values["/a#1"] = True
    assert "其他类目：试用装" in walk(site)
    assert [a.option for a in site.actions if a.option] == ["其他"]


def test_page_that_asks_to_wait_is_looked_at_again() -> None:
    def late(site: FakeSite) -> Page:
        return Page(["结果已出"] if site.step >= 6 else ["正在准备，请稍后再来"], [link("首页", "/a")])

    nav = [link("结果", "/r"), link("新闻", "/n"), link("说明", "/m")]
    site = FakeSite({"/a": Page(["首页"], nav), "/r": late, "/n": Page(["新闻"], nav), "/m": Page(["说明"], nav)})
    assert "结果已出" in walk(site)


def test_chat_button_is_pressed_while_it_brings_something_new() -> None:
    def more(site: FakeSite) -> None:
        site.state["n"] = min(3, site.state.get("n", 0) + 1)

    site = FakeSite(
        {"/a": lambda s: Page([f"回复 {i}" for i in range(s.state.get("n", 0) + 1)], [Ctl("button", "追问", do=more)])}
    )
    walk(site)
    assert site.state["n"] == 3


def test_disabled_button_is_left_alone_until_it_opens() -> None:
    def page(site: FakeSite) -> Page:
        ready = "/a#0" in site.values
        return Page(
            ["条款"], [Ctl("checkbox", "我已阅读"), Ctl("button", "继续", do=lambda s: "/in", disabled=not ready)]
        )

    site = FakeSite({"/a": page, "/in": Page(["里面"])})
    walk(site)
    assert "/in" in site.seen


def test_stops_before_the_budget_is_spent() -> None:
    site = FakeSite(
        {f"/{i}": Page([f"第 {i} 页"], [link(f"第 {i + 1} 页", f"/{i + 1}")]) for i in range(60)}, "/0", budget=9
    )
    walk(site)
    assert site.stopped
    assert len(site.actions) == 9


_names = st.sampled_from(["查看", "同意", "提交", "返回", "邀请码", "登录", "重试", "下一步", "甲", "乙", "丙", ""])
_lines = st.lists(
    st.sampled_from(["请稍后再来", "服务器错误 500", "密码错误", "口令：AB12CD", "正文", "", "充值 100 元"]), max_size=4
)


@st.composite
def _sites(draw: st.DrawFn) -> FakeSite:
    paths = [f"/{i}" for i in range(draw(st.integers(1, 6)))]
    path = st.sampled_from(paths)

    def control() -> Ctl:
        role = draw(st.sampled_from(["link", "button", "form", "textbox", "checkbox", "combobox", "slider"]))
        target = draw(st.one_of(st.none(), path))
        error = draw(st.sampled_from(["", "密码错误", "请先填写"]))

        def do(site: FakeSite) -> str | None:
            if error:
                site.refuse(error)
            return target

        return Ctl(role, draw(_names), to=draw(path), do=do, disabled=draw(st.booleans()) and draw(st.booleans()))

    pages = {p: Page(draw(_lines), [control() for _ in range(draw(st.integers(0, 6)))]) for p in paths}
    return FakeSite(pages, paths[0], budget=draw(st.integers(1, 30)))


@given(_sites())
@settings(max_examples=150, deadline=None)
def test_any_site_ends_within_the_budget_with_legal_actions_and_a_report(site: FakeSite) -> None:
    budget = site.left
    walk(site)
    assert len(site.actions) <= budget
    assert site.stopped
