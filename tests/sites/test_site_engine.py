"""The engine: state, checks, redirects, downloads and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.sites import engine
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.state import initial_state


def make(tmp_path: Path, change: Any = None) -> CompiledSite:
    content = tiny(tmp_path, change)
    return compile_site(load_archetype("tiny-site", content), KEY, "one", "s0", content=content).site


@pytest.fixture
def session(tmp_path: Path) -> SiteSession:
    return SiteSession(make(tmp_path))


def go_in(session: SiteSession) -> PageView:
    link = next(n for n in session.open("/").page.controls() if n.control.name == "进入")  # type: ignore[union-attr]
    return session.open(link.control.href).page  # type: ignore[union-attr, return-value]


def find(page: PageView, name: str, role: str = "") -> Node:
    return next(n for n in page.controls() if n.control and n.control.name == name and role in ("", n.control.role))


def field(page: PageView, name: str) -> str:
    return find(page, name).control.field  # type: ignore[union-attr]


def send(session: SiteSession, page: PageView, **values: str) -> PageView:
    form = {field(page, label): value for label, value in values.items()}
    answer = session.post(find(page, "提交").control.action, form)  # type: ignore[union-attr]
    assert answer.status == 303
    return session.open(answer.location).page  # type: ignore[return-value]


def test_a_form_that_passes_changes_the_state(session: SiteSession) -> None:
    page = go_in(session)
    secret = session.fixture(page.path, find(page, "口令").key)
    assert secret.startswith("open-")
    page = send(session, page, 称呼=" 小周 ", 口令=secret, 同意="on")
    assert "小周，欢迎" in page.lines()
    assert any(line.startswith("请转入") for line in page.lines())
    assert "小周，欢迎" in session.open(page.path).page.lines()  # type: ignore[union-attr]
    session.reset()
    assert "小周，欢迎" not in go_in(session).lines()


def test_checks_are_made_in_order_and_typed_values_kept(session: SiteSession) -> None:
    page = go_in(session)
    page = send(session, page)
    assert "请填写称呼" in page.lines()
    page = send(session, page, 称呼="小周", 口令="wrong")
    assert "口令不对" in page.lines()
    assert "请填写称呼" not in page.lines()
    assert find(page, "称呼").control.value == "小周"  # type: ignore[union-attr]
    assert find(page, "口令").control.value == ""  # type: ignore[union-attr]
    page = send(session, page, 称呼="小周", 口令=session.fixture(page.path, find(page, "口令").key))
    assert "请先同意" in page.lines()
    form = next(n for n in page.walk() if n.kind == "form")
    texts = [n.text for n in form.walk() if n.text]
    assert texts[:2] == ["登记", "请先同意"]


def test_an_error_stays_on_reload_and_goes_with_the_page(session: SiteSession) -> None:
    page = send(session, go_in(session))
    assert "请填写称呼" in session.open(page.path).page.lines()  # type: ignore[union-attr]
    assert "请填写称呼" not in go_in(session).lines()


def test_keys_stay_when_conditions_add_lines(session: SiteSession) -> None:
    page = go_in(session)
    before = {n.control.name: n.key for n in page.controls() if n.control}
    page = send(session, page, 称呼="小周", 口令=session.fixture(page.path, find(page, "口令").key), 同意="on")
    assert {n.control.name: n.key for n in page.controls() if n.control} == before
    assert len({n.key for n in page.controls()}) == len(page.controls())


def test_an_unknown_path_is_a_page_of_the_site(session: SiteSession) -> None:
    for answer in (session.get("/nothing?x=1"), session.post("/nothing", {}), session.get("//"), session.get("/%zz")):
        assert answer.status == 404
        assert answer.page is not None
        assert session.site.operator in answer.page.lines()
        assert find(answer.page, "返回首页").control.href == "/"  # type: ignore[union-attr]
    assert session.get("/nothing?x=1").page.path == "/nothing?x=1"  # type: ignore[union-attr]


def test_malformed_posts_are_answered(session: SiteSession) -> None:
    page = go_in(session)
    action = find(page, "提交").control.action  # type: ignore[union-attr]
    for form in ({}, {"": ""}, {"x": "\x00"}, {field(page, "称呼"): "长" * 5000}, {field(page, "称呼"): "两\n行"}):
        assert session.post(action, form).status == 303
    assert session.post(page.path, {"a": "b"}).status == 404
    assert session.get(action).status == 404


def test_a_value_that_does_not_fit_is_an_error_on_the_form(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["state"] = {"total": 0}
        site["actions"]["join"] = {"set": {"total": "{{ 100 // (form.nickname | int) }}"}}

    session = SiteSession(make(tmp_path, edit))
    page = send(session, go_in(session), 称呼="0")
    assert "提交的内容无法识别，请检查后重新填写" in page.lines()


def test_typed_text_is_never_read_as_a_template(session: SiteSession) -> None:
    page = go_in(session)
    secret = session.fixture(page.path, find(page, "口令").key)
    page = send(session, page, 称呼="{{ 7 * 7 }}", 口令=secret, 同意="on")
    assert "{{ 7 * 7 }}，欢迎" in page.lines()


def test_folds_open_and_close_by_posts(session: SiteSession) -> None:
    page = go_in(session)
    assert "折叠的内容" not in page.lines()
    for expected in (True, False):
        answer = session.post(find(page, "更多", "button").control.action, {})  # type: ignore[union-attr]
        page = session.open(answer.location).page  # type: ignore[assignment]
        assert ("折叠的内容" in page.lines()) is expected


def test_a_download_is_inert_text_and_changes_nothing(session: SiteSession) -> None:
    page = go_in(session)
    before = session.state
    answer = session.get(find(page, "下载说明").control.href)  # type: ignore[union-attr]
    assert answer.filename == "guide.txt"
    assert "guide.txt" in (answer.download or b"").decode()
    assert session.state == before


def test_detours_lead_on_and_never_round_in_a_circle(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["wall"] = {
            "title": "墙",
            "blocks": [{"kind": "text", "text": "墙"}],
            "detours": [{"when": "joined", "go": "inner"}],
        }
        site["pages"]["inner"]["detours"] = [{"when": "not joined", "go": "wall"}]
        site["pages"]["loop"] = {
            "title": "圈",
            "nav": "圈",
            "blocks": [{"kind": "text", "text": "圈"}],
            "detours": [{"when": "true", "go": "ring"}],
        }
        site["pages"]["ring"] = {"title": "环", "blocks": [], "detours": [{"when": "true", "go": "loop"}]}

    site = make(tmp_path, edit)
    session = SiteSession(site)
    assert go_in(session).title == "墙"
    loop = next(path for path, page in site.pages.items() if page.title == "圈")
    assert session.open(loop).page.title == "圈"  # type: ignore[union-attr]


def test_counters_can_be_asked_for(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["inner"]["blocks"].append(
            {"kind": "text", "text": "{{ visits.inner }} {{ visited.home }} {{ visited.late }} {{ steps }}"}
        )
        site["pages"]["late"] = {"title": "晚", "nav": "晚", "blocks": []}

    session = SiteSession(make(tmp_path, edit))
    assert "1 True False 0" in go_in(session).lines()
    session.tick()
    assert "2 True False 1" in go_in(session).lines()


def test_the_engine_is_pure(tmp_path: Path) -> None:
    site = make(tmp_path)
    state = initial_state(site)
    first = engine.get(site, state, "/")
    assert engine.get(site, state, "/") == first
    assert state == initial_state(site)


def test_generic_fixtures_follow_the_type_of_the_field(tmp_path: Path) -> None:
    kinds = ["text", "tel", "number", "email", "password", "textarea", "search", "range", "checkbox"]

    def edit(site: dict[str, Any]) -> None:
        form = site["pages"]["inner"]["blocks"][4]
        form["fields"] += [{"name": f"f_{kind}", "label": kind, "type": kind} for kind in kinds]
        form["fields"].append({"name": "f_select", "label": "select", "type": "select", "options": ["", "一", "二"]})

    session = SiteSession(make(tmp_path, edit))
    page = go_in(session)
    got = {kind: session.fixture(page.path, find(page, kind).key) for kind in [*kinds, "select"]}
    assert got["email"] == "mirror@example.test"
    assert got["number"] == "4242"
    assert got["text"] == got["password"] == got["search"] == "mirror-value"
    assert len(got["tel"]) == 11
    assert got["select"] == "一"
    assert got["range"] == "100"
    with pytest.raises(KeyError):
        session.fixture(page.path, "nobody")
