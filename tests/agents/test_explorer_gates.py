"""The explorer meets every kind of gate that a site may put before a page, in wordings that no site of ours has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_site import Ctl, FakeSite, Page

from riskchain_gym.agents.explore.explorer import Explorer
from riskchain_gym.agents.instructions import build_instructions

WANTED = "要看的内容就在这里"
Open = Callable[[FakeSite], bool]
Gate = dict[str, Callable[[FakeSite], Page]]


def link(name: str, to: str = "", do: Callable[[FakeSite], str | None] | None = None) -> Ctl:
    return Ctl("link", name, to=to, do=do)


NAV = [link("首页", "/"), link("资料室", "/room"), link("通知栏", "/news"), link("联系人", "/people")]
FOOT = [link("网站地图", "/map")]


def page(title: str, lines: list[str], *own: Ctl) -> Page:
    return Page(lines, [*NAV, *own, *FOOT], title=f"{title} - 小站")


def sets(key: str, then: str | None = None) -> Callable[[FakeSite], str | None]:
    def do(site: FakeSite) -> str | None:
        site.state[key] = True
        return then

    return do


def wants(*names: str, then: str | None, key: str = "open") -> Callable[[FakeSite], str | None]:
    def do(site: FakeSite) -> str | None:
        if not site.filled(*names):
            site.refuse("请先填写")
            return None
        site.state[key] = True
        return then

    return do


def form(name: str, do: Callable[[FakeSite], str | None], *fields: Ctl) -> list[Ctl]:
    return [Ctl("form", name, do=do), *fields, Ctl("button", name, do=do)]


def consent(site: FakeSite) -> Page:
    done = wants("我没有异议", then="/room")
    return page("须知", ["进门之前先看这几条"], *form("进门", done, Ctl("checkbox", "我没有异议")))


def slider(site: FakeSite) -> Page:
    return page("校验", ["拉一下横条"], *form("好了", wants("横条", then="/room"), Ctl("slider", "横条")))


def login(site: FakeSite) -> Page:
    fields = (Ctl("textbox", "用户名"), Ctl("textbox", "密码"))
    return page(
        "请登录", ["试用名 demo88，密码 pass2026"], *form("登录", wants("用户名", "密码", then="/room"), *fields)
    )


def first_form(site: FakeSite) -> Page:
    fields = (Ctl("textbox", "姓氏"), Ctl("combobox", "城市", options=("", "北方", "南方")))
    return page("来客簿", ["第一张"], *form("翻页", wants("姓氏", "城市", then="/gate2", key="half"), *fields))


def second_form(site: FakeSite) -> Page:
    back = Ctl("button", "返回上一步", do=lambda s: "/gate")
    done = wants("邮箱", "无误", then="/room")
    return page("来客簿", ["第二张"], *form("交", done, Ctl("textbox", "邮箱"), Ctl("checkbox", "无误")), back)


def modal(site: FakeSite) -> Page:
    buttons = Ctl("button", "看", do=sets("open", "/room")), Ctl("button", "不看", do=lambda s: "/")
    return page("提示", ["后面的内容比较长"], *buttons)


def download(site: FakeSite) -> Page:
    go_on = link("存好以后点这里", do=lambda s: "/room" if s.state.get("kept") else None)
    return page("附件", ["先存下附件"], link("存下附件", do=sets("kept")), go_on)


def moved(site: FakeSite) -> Page:
    return page("搬家", ["这里搬走了"], link("新的门牌", do=sets("open", "/room")))


def picture_link(site: FakeSite) -> Page:
    return page("扫码", ["点图也行"], link("扫码用的图", "/gate2"))


def scanned(site: FakeSite) -> Page:
    return page("扫好了", ["扫好了"], link("往里走", do=sets("open", "/room")))


def device(site: FakeSite) -> Page:
    buttons = Ctl("button", "换成宽屏", do=sets("open", "/room")), Ctl("button", "保持窄屏", do=lambda s: "/")
    return page("屏幕", ["宽屏才有这一页"], *buttons)


def chat(site: FakeSite) -> Page:
    asked = site.state.get("asked")
    ask = [Ctl("button", name, do=sets("asked")) for name in ("几点开门", "在哪条街", "有车位吗")]
    return page("窗口", ["先问一句", *(["问过了"] if asked else [])], *([link("进", "/room")] if asked else ask))


def leaf(number: int) -> Callable[[FakeSite], Page]:
    def make(site: FakeSite) -> Page:
        back = [link("上一页", f"/gate{number - 1 if number > 2 else ''}")] if number > 1 else []
        onward = link("读完了", do=sets("open", "/room")) if number == 3 else link("往后翻", f"/gate{number + 1}")
        return page("手册", [f"手册第 {number} 张"], *back, onward)

    return make


def broken(site: FakeSite) -> Page:
    site.state["asked_for"] = site.state.get("asked_for", 0) + 1
    return page("出错", ["服务器没有应答"], link("重试", "/room"))


def first_visit(site: FakeSite) -> Page:
    return page("生客", ["先去首页走走，再回来"], link("去首页走走", "/"), link("又来了", "/room"))


def queue(site: FakeSite) -> Page:
    return page("排队", ["前面有人，请稍候"], link("再看看", "/room"))


def folded(site: FakeSite) -> Page:
    button = Ctl("button", "打开看", do=sets("unfolded"))
    return page("资料室", ["收起来了", *([WANTED] if site.state.get("unfolded") else [])], button)


def came_back(site: FakeSite) -> bool:
    return "/gate" in site.seen and "/" in site.seen[site.seen.index("/gate") :]


def has(key: str) -> Open:
    return lambda site: bool(site.state.get(key))


GATES: dict[str, tuple[Open, Gate]] = {
    "consent": (has("open"), {"/gate": consent}),
    "slider": (has("open"), {"/gate": slider}),
    "login": (has("open"), {"/gate": login}),
    "form2": (has("open"), {"/gate": first_form, "/gate2": second_form}),
    "modal": (has("open"), {"/gate": modal}),
    "download": (has("kept"), {"/gate": download}),
    "redirect": (has("open"), {"/gate": moved}),
    "qr": (has("open"), {"/gate": picture_link, "/gate2": scanned}),
    "device": (has("open"), {"/gate": device}),
    "chat": (has("asked"), {"/gate": chat}),
    "pages": (has("open"), {"/gate": leaf(1), "/gate2": leaf(2), "/gate3": leaf(3)}),
    "retry": (lambda site: site.state.get("asked_for", 0) > 4, {"/gate": broken}),
    "revisit": (came_back, {"/gate": first_visit}),
    "steps": (lambda site: site.step >= 7, {"/gate": queue}),
    "fold": (has("unfolded"), {"/room": folded}),
}
"""When a gate is open, and its pages; a picture has nothing to pass, and ``invite`` stands on two pages (below)."""


def gated(is_open: Open, gate: Gate) -> FakeSite:
    def room(site: FakeSite) -> Page:
        if is_open(site):
            return page("资料室", [WANTED])
        site.path = "/gate"
        site.seen[-1] = "/gate"
        return gate["/gate"](site)

    return FakeSite(
        {
            "/": Page(["欢迎"], [*NAV, *FOOT], title="小站"),
            "/room": room,
            "/news": page("通知栏", ["今天没有通知"]),
            "/people": page("联系人", ["王老师在二楼"]),
            "/map": page("网站地图", ["本站共六页，入门号是 KX7Q29"]),
            **gate,
        },
        home="/",
    )


def walk(site: FakeSite) -> list[tuple[str, ...]]:
    explorer = Explorer()
    explorer.reset(build_instructions())
    while not site.stopped and site.left > 0:
        site.act(explorer.investigate(site.observe()))
    return [seen.lines for seen in explorer.memory.sightings]


@pytest.mark.parametrize("kind", GATES)
def test_every_kind_of_gate_is_passed_and_the_rest_is_seen_too(kind: str) -> None:
    site = gated(*GATES[kind])
    lines = {line for page_lines in walk(site) for line in page_lines}
    assert {WANTED, "今天没有通知", "王老师在二楼", "欢迎"} <= lines
    assert site.stopped
    assert len(site.actions) < 30


def test_a_code_that_another_page_prints_is_fetched_from_there_first() -> None:
    def answer(site: FakeSite) -> str | None:
        if "/map" in site.seen and site.filled("入门号"):
            return sets("open", "/room")(site)
        site.refuse("入门号不对")
        return None

    def ask(site: FakeSite) -> Page:
        go = link("去“网站地图”", "/map")
        return page("问号码", ["入门号写在“网站地图”里"], go, *form("交号码", answer, Ctl("textbox", "入门号")))

    site = gated(has("open"), {"/gate": ask})
    shown = walk(site)
    assert any(WANTED in lines for lines in shown)
    assert site.seen.index("/map") == site.seen.index("/gate") + 1


def test_once_a_gate_is_passed_nothing_more_is_done_on_it() -> None:
    site = gated(*GATES["modal"])
    walk(site)
    assert "不看" not in {site_control(site, action.element_id) for action in site.actions}


def site_control(site: FakeSite, element_id: str | None) -> str:
    path, _, number = (element_id or "").partition("#")
    made = site.pages.get(path)
    controls = (made(site) if callable(made) else made).controls if made else []
    return controls[int(number)].name if number and int(number) < len(controls) else ""


def test_pages_that_show_more_to_those_who_come_back_are_looked_at_again() -> None:
    def hall(path: str, name: str) -> Callable[[FakeSite], Page]:
        def make(site: FakeSite) -> Page:
            again = site.seen.count(path) > 1
            return page(name, [f"{name}的介绍", *([f"{name}给回头客的话"] if again else [])])

        return make

    site = FakeSite(
        {
            "/": Page(["欢迎"], [*NAV, *FOOT], title="小站"),
            **{p: hall(p, n) for p, n in (("/room", "资料室"), ("/news", "通知栏"), ("/people", "联系人"))},
            "/map": page("网站地图", ["本站共五页"]),
        },
        home="/",
    )
    lines = {line for page_lines in walk(site) for line in page_lines}
    assert {f"{name}给回头客的话" for name in ("资料室", "通知栏", "联系人")} <= lines


def test_a_form_is_not_begun_that_the_budget_cannot_finish() -> None:
    fields = [Ctl("textbox", f"第{n}项") for n in "一二三四五"]
    site = FakeSite({"/": Page(["登记"], form("登记", sets("sent"), *fields))}, home="/", budget=5)
    walk(site)
    assert len(site.actions) == 1
