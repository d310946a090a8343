"""The workbench's page in a real Chromium: what it says of what was done, and where the keys lead."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from browsed import fake_visits
from page_kit import running
from playwright.sync_api import expect
from workbench_kit import ALONE, TEAM, make_project

pytestmark = pytest.mark.browser

HEIGHTS = ((768, 1024), (820, 1180), (1024, 768), (1024, 500), (1366, 768), (1920, 1080))


def follow(bench):
    """Follow a link that leads on and return its name."""
    link = bench.page.locator(".zone.element").nth(1)
    name = link.get_attribute("aria-label").removeprefix("link ")
    link.click()
    return name


def test_what_was_done_is_said_in_the_language_of_the_page(real_bench, open_page):
    bench = real_bench
    said = bench.get("feedback")
    name = follow(bench)
    expect(said).to_have_text(f"Click · link {name}: the page changed.")
    bench.step(1)
    bench.page.reload()
    bench.step(1)
    expect(said).to_have_text(f"Click · link {name}: the page changed.")
    bench.get("language").select_option("zh")
    expect(said).to_have_text(f"点击 · 链接 {name}：页面已变化。")
    other = open_page(bench.page.url)
    expect(other.get("feedback")).to_have_text(f"点击 · 链接 {name}：页面已变化。")


def test_a_scroll_is_no_change_of_the_page(real_bench):
    bench = real_bench
    bench.get("scroll-down").click()
    bench.step(1)
    expect(bench.get("feedback")).to_have_text("Scrolled.")
    bench.page.reload()
    bench.step(1)
    expect(bench.get("feedback")).to_have_text("Scrolled.")


def test_page_keys_scroll_the_site_wherever_the_focus_is(real_bench):
    bench = real_bench
    for number, name in enumerate(("decision-VIOLATION", "undo-answer", "rules-button", "language"), 1):
        bench.get(name).focus()
        bench.press("PageDown" if number % 2 else "PageUp")
        bench.step(number)
    bench.get("note").focus()
    bench.press("PageDown")
    bench.get("rules-button").click()
    expect(bench.get("rules")).to_be_focused()
    bench.press("PageDown", "Escape", "PageDown")
    bench.step(5)


def test_keys_answer_once_a_language_was_chosen(bench):
    bench.get("language").select_option("zh")
    bench.press("1")
    assert bench.is_checked("decision-VIOLATION")
    bench.at_rest()
    bench.press("PageDown")
    expect(bench.get("step")).to_have_text("第 1 步")


def test_the_page_itself_never_scrolls_and_help_opens_at_its_top(bench):
    root = "document.documentElement"
    for width, height in HEIGHTS:
        bench.page.set_viewport_size({"width": width, "height": height})
        assert bench.page.evaluate(f"{root}.scrollHeight <= {root}.clientHeight"), (width, height)
    bench.page.set_viewport_size({"width": 1024, "height": 500})
    bench.press("?")
    assert bench.get("help").evaluate("(node) => [node.scrollHeight > node.clientHeight, node.scrollTop]") == [True, 0]


def test_all_is_done_only_once_every_item_has_its_label(tmp_path, open_page):
    team, own = tmp_path / "team", tmp_path / "own"
    make_project(team, sites=1, workers=TEAM)
    make_project(own, sites=1, workers=ALONE)
    with running(team, visits=fake_visits(team)) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.answer("3")
        expect(bench.get("finished")).to_contain_text("Nothing to do for you now")
        expect(bench.get("finished")).to_contain_text("More may come while others work")
    with running(team, "cord", visits=fake_visits(team, "cord")) as address:
        expect(open_page(address).get("finished")).to_contain_text("Nothing to do for you now")
    for worker, said in (("bob", "Nothing to do for you now"), ("cord", "All done")):
        with running(team, worker, visits=fake_visits(team, worker)) as address:
            bench = open_page(address)
            if worker == "bob":
                bench.at_rest()
                bench.answer("3")
            expect(bench.get("finished")).to_contain_text(said)
    with running(own, visits=fake_visits(own)) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.answer("3")
        expect(bench.get("finished")).to_contain_text("All done")


def test_what_went_wrong_with_the_browser_is_said_in_the_language_of_the_page(tmp_path, open_page):
    folder = tmp_path / "p"
    make_project(folder, sites=1, workers=ALONE)
    with running(folder, visits=fake_visits(folder, fail_at=range(2, 9))) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.get("language").select_option("zh")
        bench.at_rest()
        bench.get("reload").click()
        expect(bench.get("notice-closed")).to_contain_text("出现故障，浏览已停止。")
        expect(bench.get("feedback")).to_contain_text("无法显示网站。")
        bench.page.reload()
        expect(bench.get("feedback")).to_have_text("出现故障，浏览已停止。")
