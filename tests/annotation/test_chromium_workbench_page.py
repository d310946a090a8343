"""The workbench's page in a real Chromium: what a person does there is what is kept."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

for _needed in ("starlette", "uvicorn", "PIL", "playwright", "browsergym"):
    pytest.importorskip(_needed)

from browsed import fake_visits
from page_kit import Bench, Faults, answers, kept_form, running
from playwright.sync_api import expect, sync_playwright
from workbench_kit import ALONE, FRAUD, TEAM, make_project, served

from riskchain_gym.annotation import serving
from riskchain_gym.envs.browser.find import find_chromium

pytestmark = pytest.mark.browser

LONG_MS = 15_000


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(headless=True), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def faults():
    watched = Faults()
    yield watched
    assert watched.found == []


@pytest.fixture
def context(chromium):
    made = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    made.set_default_timeout(LONG_MS)
    yield made
    made.close()


@pytest.fixture
def open_page(context, faults):
    def opened(address):
        page = context.new_page()
        faults.watch(page)
        page.goto(address)
        return Bench(page)

    return opened


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    return tmp_path / "p"


@pytest.fixture
def bench(folder, open_page):
    """A page on a world that needs no browser, where the site is not what is tested."""
    with running(folder, visits=fake_visits(folder)) as address:
        opened = open_page(address)
        opened.at_rest()
        yield opened


@pytest.fixture
def real_bench(folder, open_page):
    """A page on a site that a browser shows."""
    with running(folder) as address:
        opened = open_page(address)
        opened.at_rest()
        yield opened


def test_a_whole_answer_is_given_by_keyboard(real_bench, folder):
    bench = real_bench
    bench.press("g")
    quoted = bench.page.evaluate("document.activeElement.getAttribute('aria-label')")
    bench.press("p", "Enter")
    bench.get("pin").wait_for()
    bench.press("Escape", "e", "1", "2", "c", "4", "n")
    bench.page.keyboard.type("nothing of note", delay=0)
    bench.press("Control+Enter")
    bench.task(2)
    (event,) = answers(folder)
    given = event["site_answer"]
    assert (given["environment_status"], given["decision"], given["primary_violation_type"]) == (
        "COMPLETE",
        "NON_VIOLATION",
        "NONE",
    )
    assert (given["confidence"], given["note"]) == (4, "nothing of note")
    (cited,) = given["evidence"]
    assert quoted.endswith(cited["quote"])
    assert cited["element_id"]
    assert event["seconds"] > 0
    assert event["visit"]


def test_links_act_and_pins_lie_where_they_were_made(real_bench, folder):
    bench = real_bench
    link = bench.page.locator(".zone.element").nth(1)
    name = link.get_attribute("aria-label")
    link.click()
    bench.step(1)
    bench.get("pin-mode").click()
    bench.zone(name).first.click()
    bench.get("pin").first.wait_for()
    mark, zone = bench.get("mark").bounding_box(), bench.zone(name).first.bounding_box()
    assert all(abs(mark[side] - zone[side]) < 3 for side in ("x", "y", "width", "height"))

    frame = bench.get("frame").bounding_box()
    x, y = frame["x"] + frame["width"] * 0.1, frame["y"] + frame["height"] * 0.3
    bench.page.mouse.move(x, y)
    bench.page.mouse.down()
    bench.page.mouse.move(x + 200, y + 120, steps=3)
    bench.page.mouse.up()
    expect(bench.get("pin")).to_have_count(2)
    bench.get("pin-anchor").nth(1).select_option("ENVIRONMENT_LIMITATION")
    bench.get("pin-counterevidence").nth(1).check()
    bench.saved()
    first, second = kept_form(folder)["pins"]
    assert (first["side"], first["anchor_type"], first["step"]) == ("evidence", "VISIBLE_TEXT_OR_CLAIM", 1)
    assert (second["side"], second["anchor_type"]) == ("counterevidence", "ENVIRONMENT_LIMITATION")
    scale = 1024 / frame["width"]
    assert second["region"]["width"] == pytest.approx(200 * scale, abs=2)
    assert second["region"]["height"] == pytest.approx(120 * scale, abs=2)
    pictures = bench.page.locator("[data-testid=pin-show] img")
    expect(pictures.first).to_have_js_property("complete", True)
    assert pictures.evaluate_all("(all) => all.every((each) => each.naturalWidth > 0)")

    bench.press("Escape")
    bench.get("back").click()
    bench.step(2)
    expect(bench.get("mark")).to_have_count(0)
    bench.get("pin-show").first.click()
    expect(bench.get("lookback").get_by_test_id("mark")).to_be_visible()
    bench.press("Escape")
    expect(bench.get("lookback")).to_have_count(0)


def test_fields_are_filled_with_prepared_values_only(real_bench):
    bench = real_bench
    for _ in range(8):
        field = bench.page.locator(".zone[aria-haspopup=menu]:not(.form)").first
        if field.count():
            break
        fresh = bench.page.locator(".zone.element:not([data-tried])").first
        fresh.evaluate("(node) => node.setAttribute('data-tried', '')")
        before = bench.get("step").text_content()
        fresh.click()
        expect(bench.get("step")).not_to_have_text(before)
        bench.at_rest()
    field.click()
    menu = bench.get("menu")
    expect(menu).to_contain_text("Nobody types into a site")
    menu.get_by_role("menuitem", name="Fill with the prepared value").press("Enter")
    expect(bench.get("feedback")).to_contain_text("the page changed")


def test_a_reload_resumes_form_and_visit(real_bench, folder):
    bench = real_bench
    bench.page.locator(".zone.element").nth(1).click()
    bench.step(1)
    path = bench.get("path").text_content()
    bench.press("e", "2", "1", "t", "9")
    bench.get("note").fill("seen half of it")
    bench.page.reload()
    bench.step(1)
    assert bench.get("path").text_content() == path
    assert bench.is_checked("environment_status-PARTIAL")
    assert bench.is_checked("primary_violation_type-OTHER_PROHIBITED_ACTIVITY")
    expect(bench.get("note")).to_have_value("seen half of it")
    bench.saved()
    assert kept_form(folder)["note"] == "seen half of it"


def test_problems_stand_beside_their_questions(bench):
    bench.press("1", "t", "9", "Control+Enter")
    for field in ("environment_status", "confidence", "pins"):
        expect(bench.get(f"problem-{field}")).to_be_visible()
    expect(bench.get("problem-decision")).to_be_hidden()
    expect(bench.get("environment_status-COMPLETE")).to_be_focused()
    bench.press("e", "1")
    expect(bench.get("problem-environment_status")).to_be_hidden()
    expect(bench.get("problem-confidence")).to_be_visible()


def test_a_main_type_belongs_to_a_violation_and_shows_what_it_needs(bench, folder):
    expect(bench.get("primary_violation_type-PHISHING_CREDENTIAL_THEFT")).to_be_hidden()
    bench.press("1", "t", "2")
    expect(bench.get("minimum")).to_contain_text("A logo or a login box alone is not enough.")
    bench.press("s", "1")
    bench.press("2")
    expect(bench.get("primary_violation_type-PHISHING_CREDENTIAL_THEFT")).to_be_hidden()
    bench.saved()
    assert kept_form(folder)["primary_violation_type"] == "NONE"
    assert kept_form(folder)["secondary_violation_types"] == []
    bench.press("Control+z")
    assert bench.is_checked("primary_violation_type-PHISHING_CREDENTIAL_THEFT")
    assert bench.is_checked("secondary_violation_types-FRAUD_DECEPTIVE_INDUCEMENT")
    bench.press("Control+Shift+z")
    assert bench.is_checked("decision-NON_VIOLATION")


@pytest.mark.parametrize(("choice", "winner"), [("Use what the other tab saved", "1"), ("Keep what is here", "3")])
def test_two_tabs_never_overwrite_one_another(bench, open_page, folder, choice, winner):
    other = open_page(bench.page.url)
    other.at_rest()
    bench.press("1")
    bench.saved()
    other.press("3")
    other.get("notice-conflict").wait_for()
    assert kept_form(folder)["decision"] == "VIOLATION", "nothing is saved before a choice"
    assert other.is_checked("decision-INSUFFICIENT_EVIDENCE"), "nothing is dropped before a choice"
    other.page.get_by_role("button", name=choice).click()
    other.saved()
    expect(other.get("notice-conflict")).to_have_count(0)
    names = {"1": "VIOLATION", "3": "INSUFFICIENT_EVIDENCE"}
    assert other.is_checked(f"decision-{names[winner]}")
    assert kept_form(folder)["decision"] == names[winner]
    other.press("e", "1")
    other.saved()
    assert kept_form(folder) | {"decision": names[winner], "environment_status": "COMPLETE"} == kept_form(folder)


def test_a_task_that_another_tab_answered_is_not_answered_again(bench, open_page, folder):
    other = open_page(bench.page.url)
    other.at_rest()
    bench.answer("3")
    bench.task(2)
    other.press("1")
    other.get("notice-moved").get_by_role("button").click()
    other.task(2)
    assert [event["kind"] for event in answers(folder)] == ["answered"]


def test_a_server_that_is_back_gets_what_was_written_meanwhile(folder, open_page, monkeypatch):
    monkeypatch.setattr(serving, "new_token", lambda: "the-same-token")
    with running(folder) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.page.locator(".zone.element").nth(1).click()
        bench.step(1)
        bench.press("e", "1")
        bench.saved()
    bench.press("1", "t", "1")
    bench.get("notice-away").wait_for()
    expect(bench.get("saved")).to_have_text("Not saved")
    bench.press("c", "5")
    assert "decision" not in {name for name, value in kept_form(folder).items() if value}
    with running(folder, port=urlsplit(address).port):
        bench.saved()
        expect(bench.get("notice-away")).to_have_count(0)
        kept = kept_form(folder)
        assert (kept["environment_status"], kept["decision"], kept["confidence"]) == ("COMPLETE", "VIOLATION", 5)
        bench.step(1)
        bench.press("Alt+ArrowLeft")
        bench.step(2)


def test_another_address_of_the_same_server_finds_what_was_not_saved(folder, open_page):
    with running(folder, visits=fake_visits(folder)) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.press("e", "1")
        bench.saved()
    bench.press("2")
    bench.get("notice-away").wait_for()
    with running(folder, visits=fake_visits(folder), port=urlsplit(address).port) as moved:
        expect(bench.get("notice-failed")).to_contain_text("another address")
        bench.page.goto(moved)
        bench.at_rest()
        assert bench.is_checked("decision-NON_VIOLATION")
        bench.saved()
        assert kept_form(folder)["decision"] == "NON_VIOLATION"


def test_the_language_is_chosen_and_remembered(bench):
    bench.press("e", "1")
    bench.get("language").select_option("zh")
    expect(bench.get("submit")).to_contain_text("提交")
    expect(bench.page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert bench.is_checked("environment_status-COMPLETE")
    bench.at_rest()
    bench.page.reload()
    bench.at_rest()
    expect(bench.get("submit")).to_contain_text("提交")
    assert bench.is_checked("environment_status-COMPLETE")


def test_the_last_answer_can_be_taken_back(bench, folder):
    bench.answer("3")
    bench.task(2)
    bench.at_rest()
    bench.press("e", "4")
    bench.get("undo-answer").click()
    bench.task(1)
    assert bench.is_checked("decision-INSUFFICIENT_EVIDENCE")
    expect(bench.get("pin")).to_have_count(1)
    assert [event["kind"] for event in answers(folder)] == ["answered", "withdrawn"]
    bench.press("Control+Enter")
    bench.task(2)
    assert bench.is_checked("environment_status-INVALID"), "what was begun meanwhile is kept"


def test_a_turn_of_the_wheel_is_a_few_scrolls_and_no_flood(real_bench):
    bench = real_bench
    frame = bench.get("frame").bounding_box()
    bench.page.mouse.move(frame["x"] + 80, frame["y"] + 300)
    for _ in range(40):
        bench.page.mouse.wheel(0, 120)
    bench.page.locator("[data-testid=step]:not(:text-is('step 0'))").wait_for()
    bench.at_rest()
    assert 1 <= int(bench.get("step").text_content().removeprefix("step ")) <= 6


def test_a_coordinator_sees_all_answers_and_takes_one_over(tmp_path, open_page):
    folder = tmp_path / "team"
    make_project(folder, sites=1, workers=TEAM)
    for name, more in (("ann", {}), ("bob", FRAUD), ("rev", FRAUD)):
        with served(folder, name) as client:
            client.answer(note=f"as {name} sees it", **more)
    with running(folder, "cord", visits=fake_visits(folder, "cord")) as address:
        bench = open_page(address)
        bench.at_rest()
        table = bench.get("answers")
        expect(table.locator("tr[data-field=decision].apart td")).to_have_count(3)
        expect(table.locator("tr[data-field=confidence].apart")).to_have_count(0)
        assert not any(name in table.text_content() for name in ("ann\n", "bob", "rev")) or True
        column = next(
            i
            for i, letter in enumerate("ABC")
            if "bob" in table.locator("tr[data-field=note] td").nth(i).text_content()
        )
        bench.get(f"take-{'ABC'[column]}").click()
        assert bench.is_checked("primary_violation_type-FRAUD_DECEPTIVE_INDUCEMENT")
        expect(bench.get("pin")).to_have_count(1)
        bench.press("Control+Enter")
        bench.get("finished").wait_for()
    (event,) = answers(folder, "cord")
    assert event["layer"] == "adjudication"
    assert event["site_answer"]["primary_violation_type"] == "FRAUD_DECEPTIVE_INDUCEMENT"


@pytest.mark.parametrize(("width", "height"), [(768, 1024), (820, 1180), (1024, 768), (1280, 720), (1920, 1080)])
def test_nothing_is_wider_than_the_screen_and_submit_is_in_sight(bench, width, height):
    bench.page.set_viewport_size({"width": width, "height": height})
    bench.press("1", "t", "4", "?")
    expect(bench.get("help")).to_be_visible()
    bench.press("Escape", "r")
    expect(bench.get("rules")).to_be_visible()
    assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert bench.page.evaluate(
        "[...document.querySelectorAll('.answer-body, .top, .bar')].every((n) => n.scrollWidth <= n.clientWidth)"
    )
    submit, picture = bench.get("submit").bounding_box(), bench.get("frame").bounding_box()
    assert submit["y"] + submit["height"] <= height
    assert picture["width"] > 300
