"""Every action in the browser, and every way it can fail."""

from __future__ import annotations

import pytest
from chromium_stub import act, asked, in_page, show, stub_backend, texts

from riskchain_gym.protocol.action import ActionErrorKind as Kind

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def backend():
    made = stub_backend()
    yield made
    made.close()


def _state(page, key):
    return next(element for element in page.elements if element.key == key)


def test_click_follows_a_link_and_back_returns(backend):
    show(backend)
    there = act(backend, "click", "totext")
    assert (there.error, there.page.path) == (None, "/text")
    back = act(backend, "back")
    assert (back.error, back.page.path) == (None, "/")


def test_back_from_the_landing_page_has_nowhere_to_go(backend):
    show(backend)
    result = act(backend, "back")
    assert (result.error, result.page.path) == (Kind.NO_HISTORY, "/")


def test_a_form_is_filled_in_and_sent(backend):
    show(backend, "/form")
    for key in ("name1", "num1", "range1", "area1"):
        assert _state(act(backend, "fill", key).page, key).has_value
    assert _state(act(backend, "select", "sel1").page, "sel1").has_value
    act(backend, "select", "pick1")
    assert _state(act(backend, "check", "box1").page, "box1").checked
    again = act(backend, "check", "box1")
    assert again.error is None
    assert _state(again.page, "box1").checked
    done = act(backend, "submit", "form1").page
    assert done.path == "/page/done"
    assert texts(done)[:-1] == [
        "area=一行\n两行\u3000",
        "box=on",
        "name=王\u3000五",
        "num=42",
        "pick=早",
        "range=100",
        "sel=\u3000北部",
    ]


def test_a_button_sends_its_form(backend):
    show(backend, "/form")
    act(backend, "select", "pick1", option="晚")
    done = act(backend, "click", "send1").page
    assert "pick=晚" in texts(done)


def test_an_option_that_is_not_there_is_an_error(backend):
    show(backend, "/form")
    assert act(backend, "select", "pick1", option="夜").error is Kind.EXECUTION_ERROR


@pytest.mark.parametrize("away", ["reload", "back"])
def test_a_form_left_unsent_is_empty_when_it_is_shown_again(backend, away):
    show(backend)
    fresh = act(backend, "click", "toform").page
    for kind, key in [("fill", "name1"), ("fill", "area1"), ("select", "sel1"), ("check", "box1")]:
        act(backend, kind, key)
    if away == "reload":
        shown = act(backend, "reload").page
    else:
        act(backend, "click", "send1")
        shown = act(backend, "back").page
    assert shown == fresh


def test_reload_asks_the_server_again(backend):
    show(backend)
    before = len(asked(backend))
    assert act(backend, "reload").page.path == "/"
    assert [path for _, _, path in asked(backend)[before:]] == ["/"]


def test_scrolling_moves_by_700_pixels_and_stops_at_the_ends(backend):
    show(backend, "/long")
    places = [act(backend, kind).page.scroll_y for kind in ("scroll_down", "scroll_down", "scroll_up", "scroll_up")]
    assert places == [700, 1400, 700, 0]
    assert act(backend, "scroll_up").page.scroll_y == 0


def test_what_is_out_of_view_is_scrolled_to(backend):
    show(backend, "/long")
    assert act(backend, "click", "deep").page.path == "/text"


@pytest.mark.parametrize("key", ["file1", "js1", "data1", "chrome1", "source1", "other1", "tab1", "jssend"])
def test_links_that_lead_elsewhere_are_refused_before_they_are_touched(backend, key):
    page = show(backend, "/bad")
    before = len(asked(backend))
    result = act(backend, "click", key)
    assert result.error is Kind.BLOCKED_NAVIGATION
    assert result.page == page
    assert len(asked(backend)) == before


def test_a_form_that_posts_elsewhere_is_refused(backend):
    show(backend, "/bad")
    assert act(backend, "submit", "jsform").error is Kind.BLOCKED_NAVIGATION


@pytest.mark.parametrize("key", ["redirect1", "out1"])
def test_a_redirect_that_leads_elsewhere_is_taken_back(backend, key):
    page = show(backend, "/bad")
    result = act(backend, "click", key)
    assert (result.error, result.page) == (Kind.BLOCKED_NAVIGATION, page)


@pytest.mark.parametrize("key", ["popup1", "elsewhere1"])
def test_a_page_that_opens_windows_or_leaves_by_script_is_taken_back(backend, key):
    page = show(backend, "/script")
    result = act(backend, "click", key)
    assert (result.error, result.page) == (Kind.BLOCKED_NAVIGATION, page)


@pytest.mark.parametrize("key", ["alert1", "leave1"])
def test_dialogs_are_dismissed_and_the_page_stays(backend, key):
    page = show(backend, "/script")
    result = act(backend, "click", key)
    assert (result.error, result.page) == (None, page)


@pytest.mark.parametrize("key", ["download1", "nothing1"])
def test_downloads_and_empty_answers_leave_the_page_as_it_is(backend, key):
    page = show(backend, "/bad")
    result = act(backend, "click", key)
    assert (result.error, result.page) == (None, page)


def test_a_disabled_button_is_not_clicked(backend):
    show(backend, "/bad")
    assert act(backend, "click", "off1").error is Kind.ELEMENT_DISABLED


def test_a_covered_link_is_intercepted_at_once(backend):
    show(backend, "/bad")
    assert act(backend, "click", "under1").error is Kind.ELEMENT_INTERCEPTED


def test_an_element_that_went_away_since_is_not_acted_on(backend):
    show(backend)
    in_page(backend, "(totext.style.display = 'none', toform.remove())")
    assert act(backend, "click", "toform").error is Kind.ELEMENT_DETACHED
    show(backend)
    in_page(backend, "(totext.style.display = 'none')")
    assert act(backend, "click", "totext").error is Kind.ELEMENT_NOT_VISIBLE


def test_a_key_of_another_page_is_not_acted_on(backend):
    show(backend)
    assert act(backend, "click", "name1").error is Kind.ELEMENT_DETACHED


def test_a_field_that_takes_no_value_is_an_error(backend):
    show(backend, "/form")
    in_page(backend, "(name1.type = 'number')")
    assert act(backend, "fill", "name1").error is Kind.EXECUTION_ERROR


def test_a_field_unknown_to_the_site_is_an_error(backend):
    show(backend, "/form")
    in_page(backend, "(name1.id = 'stranger1')")
    page = act(backend, "scroll_down").page
    assert "stranger1" in [element.key for element in page.elements]
    assert act(backend, "fill", "stranger1").error is Kind.EXECUTION_ERROR


def test_every_call_counts_as_one_step_of_the_site(backend):
    show(backend)
    session = backend._session
    for kind, key in [
        ("click", "totext"),
        ("click", "no-such-key"),
        ("back", None),
        ("back", None),
        ("scroll_up", None),
    ]:
        act(backend, kind, key)
    assert session.ticks == 5
