"""The workbench's page in a real Chromium: a person looks, pins and answers."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from browsed import fake_visits
from page_kit import CLAIMED, answers, claims, kept_form, running
from playwright.sync_api import expect
from workbench_kit import FRAUD, TEAM, make_project, served

pytestmark = pytest.mark.browser


def test_a_whole_answer_is_given_by_keyboard(real_bench, alone):
    bench = real_bench
    bench.press("g")
    quoted = bench.page.evaluate("document.activeElement.getAttribute('aria-label')")
    bench.press("p", "Enter")
    bench.get("pin").wait_for()
    bench.press("Escape", "e", "1", "2", "c", "4", "n")
    bench.page.keyboard.type("nothing of note", delay=0)
    bench.press("Control+Enter")
    bench.task(2)
    (event,) = answers(alone)
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


def test_links_act_and_pins_lie_where_they_were_made(real_bench, alone):
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
    first, second = kept_form(alone)["pins"]
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


def test_problems_stand_beside_their_questions(bench):
    bench.press("1", "t", "9", "Control+Enter")
    for field in ("environment_status", "confidence", "pins"):
        expect(bench.get(f"problem-{field}")).to_be_visible()
    expect(bench.get("problem-decision")).to_be_hidden()
    expect(bench.get("environment_status-COMPLETE")).to_be_focused()
    bench.press("e", "1")
    expect(bench.get("problem-environment_status")).to_be_hidden()
    expect(bench.get("problem-confidence")).to_be_visible()


def test_a_main_type_belongs_to_a_violation_and_shows_what_it_needs(bench, alone):
    expect(bench.get("primary_violation_type-PHISHING_CREDENTIAL_THEFT")).to_be_hidden()
    bench.press("1", "t", "2")
    expect(bench.get("minimum")).to_contain_text("A logo or a login box alone is not enough.")
    bench.press("s", "1")
    bench.press("2")
    expect(bench.get("primary_violation_type-PHISHING_CREDENTIAL_THEFT")).to_be_hidden()
    bench.saved()
    assert kept_form(alone)["primary_violation_type"] == "NONE"
    assert kept_form(alone)["secondary_violation_types"] == []
    bench.press("Control+z")
    assert bench.is_checked("primary_violation_type-PHISHING_CREDENTIAL_THEFT")
    assert bench.is_checked("secondary_violation_types-FRAUD_DECEPTIVE_INDUCEMENT")
    bench.press("Control+Shift+z")
    assert bench.is_checked("decision-NON_VIOLATION")


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
            client.answer(note=f"the answer {'fraud' if more else 'plain'}", **more)
    with running(folder, "cord", visits=fake_visits(folder, "cord")) as address:
        bench = open_page(address)
        bench.at_rest()
        table = bench.get("answers")
        expect(table.locator("tr[data-field=decision].apart td")).to_have_count(3)
        expect(table.locator("tr[data-field=confidence].apart")).to_have_count(0)
        shown = bench.page.content() + bench.page.inner_text("body")
        named = {worker.name for worker in TEAM if re.search(rf"\b{worker.name}\b", shown)}
        assert named == {"cord"}, "who works is named, and nobody whose answer is shown"
        notes = [table.locator("tr[data-field=note] td").nth(i).text_content() for i in range(3)]
        column = notes.index("the answer fraud")
        bench.get(f"take-{'ABC'[column]}").click()
        assert bench.is_checked("primary_violation_type-FRAUD_DECEPTIVE_INDUCEMENT")
        expect(bench.get("pin")).to_have_count(1)
        bench.press("Control+Enter")
        bench.get("finished").wait_for()
    (event,) = answers(folder, "cord")
    assert event["layer"] == "adjudication"
    assert event["site_answer"]["primary_violation_type"] == "FRAUD_DECEPTIVE_INDUCEMENT"


def test_nothing_is_wider_than_the_screen_and_submit_is_in_sight(bench):
    bench.press("1", "t", "4", "?")
    expect(bench.get("help")).to_be_visible()
    bench.press("Escape", "r")
    for width, height in ((768, 1024), (820, 1180), (1024, 768), (1280, 720), (1920, 1080)):
        bench.page.set_viewport_size({"width": width, "height": height})
        expect(bench.get("rules")).to_be_visible()
        inner = "[document.documentElement, ...document.querySelectorAll('.answer-body, .top, .bar')]"
        assert bench.page.evaluate(f"{inner}.every((node) => node.scrollWidth <= node.clientWidth)"), width
        submit, picture = bench.get("submit").bounding_box(), bench.get("frame").bounding_box()
        assert submit["y"] + submit["height"] <= height
        assert picture["width"] > 300
        assert picture["y"] + picture["height"] <= height


def test_claims_are_answered_by_single_keys(tmp_path, open_page):
    with claims(tmp_path / "pairs", CLAIMED) as address:
        bench = open_page(address)
        expect(bench.get("claim")).to_have_text(CLAIMED.question.claim)
        expect(bench.get("pair-lines").locator("mark")).to_have_text("每日返利 8%")
        assert "<b>" in bench.get("pair-lines").text_content(), "what a page says is text and no markup"
        bench.press("y", "n", "c")
        assert bench.is_checked("answer-cannot_tell")
        bench.press("Control+z", "s", "5", "Control+Enter")
        bench.get("finished").wait_for()
    (event,) = answers(tmp_path / "pairs")
    assert event["pair_answer"] == {"answer": "no", "confidence": 5, "note": ""}
