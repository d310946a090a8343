"""The workbench's page in a real Chromium: whatever becomes of page, tabs or server, nothing written is lost."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from browsed import fake_visits
from page_kit import answers, kept_form, running
from playwright.sync_api import expect

from riskchain_gym.annotation import serving

pytestmark = pytest.mark.browser


def test_a_reload_resumes_form_and_visit(real_bench, alone):
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
    assert kept_form(alone)["note"] == "seen half of it"


@pytest.mark.parametrize(("choice", "winner"), [("Use what the other tab saved", "1"), ("Keep what is here", "3")])
def test_two_tabs_never_overwrite_one_another(bench, open_page, alone, choice, winner):
    other = open_page(bench.page.url)
    other.at_rest()
    bench.press("1")
    bench.saved()
    other.press("3")
    other.get("notice-conflict").wait_for()
    assert kept_form(alone)["decision"] == "VIOLATION", "nothing is saved before a choice"
    assert other.is_checked("decision-INSUFFICIENT_EVIDENCE"), "nothing is dropped before a choice"
    other.page.get_by_role("button", name=choice).click()
    other.saved()
    expect(other.get("notice-conflict")).to_have_count(0)
    names = {"1": "VIOLATION", "3": "INSUFFICIENT_EVIDENCE"}
    assert other.is_checked(f"decision-{names[winner]}")
    assert kept_form(alone)["decision"] == names[winner]
    other.press("e", "1")
    other.saved()
    assert kept_form(alone) | {"decision": names[winner], "environment_status": "COMPLETE"} == kept_form(alone)


def test_a_task_that_another_tab_answered_is_not_answered_again(bench, open_page, alone):
    other = open_page(bench.page.url)
    other.at_rest()
    bench.answer("3")
    bench.task(2)
    other.press("1")
    other.get("notice-moved").get_by_role("button").click()
    other.task(2)
    assert [event["kind"] for event in answers(alone)] == ["answered"]


def test_a_server_that_is_back_gets_what_was_written_meanwhile(alone, open_page, monkeypatch, warm):
    monkeypatch.setattr(serving, "new_token", lambda: "the-same-token")
    with running(alone) as address:
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
    assert "decision" not in {name for name, value in kept_form(alone).items() if value}
    with running(alone, port=urlsplit(address).port):
        bench.saved()
        expect(bench.get("notice-away")).to_have_count(0)
        kept = kept_form(alone)
        assert (kept["environment_status"], kept["decision"], kept["confidence"]) == ("COMPLETE", "VIOLATION", 5)
        bench.step(1)
        bench.press("Alt+ArrowLeft")
        bench.step(2)


def test_another_address_of_the_same_server_finds_what_was_not_saved(alone, open_page):
    with running(alone, visits=fake_visits(alone)) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.press("e", "1")
        bench.saved()
    bench.press("2")
    bench.get("notice-away").wait_for()
    with running(alone, visits=fake_visits(alone), port=urlsplit(address).port) as moved:
        expect(bench.get("notice-failed")).to_contain_text("another address")
        bench.page.goto(moved)
        bench.at_rest()
        assert bench.is_checked("decision-NON_VIOLATION")
        bench.saved()
        assert kept_form(alone)["decision"] == "NON_VIOLATION"


def test_the_last_answer_can_be_taken_back(bench, alone):
    bench.answer("3")
    bench.task(2)
    bench.at_rest()
    bench.press("e", "4")
    bench.get("undo-answer").click()
    bench.task(1)
    assert bench.is_checked("decision-INSUFFICIENT_EVIDENCE")
    expect(bench.get("pin")).to_have_count(1)
    assert [event["kind"] for event in answers(alone)] == ["answered", "withdrawn"]
    bench.press("Control+Enter")
    bench.task(2)
    assert bench.is_checked("environment_status-INVALID"), "what was begun meanwhile is kept"


def test_a_visit_begun_anew_takes_its_pins_along(bench, alone):
    bench.press("p", "g", "Enter")
    bench.get("pin").wait_for()
    bench.press("Escape", "e", "1")
    bench.get("reload").click()
    bench.step(1)
    bench.get("restart").click()
    expect(bench.get("ask")).to_contain_text("off the form: 1")
    bench.press("Escape")
    expect(bench.get("pin")).to_have_count(1)
    bench.get("restart").click()
    bench.get("ask-yes").click()
    bench.step(0)
    expect(bench.get("pin")).to_have_count(0)
    bench.saved()
    assert (kept_form(alone)["pins"], kept_form(alone)["environment_status"]) == ([], "COMPLETE")
