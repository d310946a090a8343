"""Pressing Enter and Escape in the browser: real keys, with what a browser makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from chromium_stub import FORM, act, show, texts
from egress_site import table_backend

from riskchain_gym.envs.backends.base import ActResult
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.protocol.action import ActionErrorKind as Kind
from riskchain_gym.protocol.action import ActionKind, BrowserAction

pytestmark = pytest.mark.browser

HTML = {"Content-Type": "text/html; charset=utf-8"}
LISTENS = """<script>
for (const kind of ['keydown', 'keypress', 'keyup'])
  addEventListener(kind, (e) => {
    said.textContent += ` ${kind} ${e.key} ${e.isTrusted} ${document.activeElement.id}`;
  });
</script><button id="here" type="button">b</button><p id="said"></p>"""
CHECKED = """<form id="f" action="/done" method="post">
<input id="one" name="one" required><input id="other" name="other"><button id="send">s</button></form>"""
OUT = "http://elsewhere.test/"
PAGES = {
    "/form": FORM,
    "/listens": LISTENS,
    "/asks": "<button id='alert1' onclick='alert(1)'>a</button>",
    "/checked": CHECKED,
    "/off": CHECKED.replace("<button ", "<button disabled ").replace(" required", ""),
    "/plain": "<form id='f' action='/text'><input id='one' name='one'></form><input id='alone'>",
    "/out": f"""<form action="{OUT}"><input id="field"></form><a id="link" href="{OUT}">o</a>
      <form action="/text"><input id="other"><button id="button" formaction="{OUT}">s</button></form>
      <a id="tab" href="/text" target="_blank">t</a>""",
    "/search": "<input id='find' type='search' value='given'>",
    "/unfocused": "<div id='role' role='button'>r</div>",
}


@pytest.fixture(scope="module")
def backend():
    made, _ = table_backend(
        {path: (200, HTML, f"<!doctype html><meta charset=utf-8>{body}") for path, body in PAGES.items()}
    )
    yield made
    made.close()


def press(backend: ChromiumBackend, element: str, key: Any = "Enter") -> ActResult:
    return backend.act(BrowserAction(action=ActionKind.PRESS, element_id="e1", key=key), element)


def test_enter_follows_a_link(backend):
    show(backend, "/")
    result = press(backend, "totext")
    assert (result.error, result.page.path) == (None, "/text")
    assert act(backend, "back").page.path == "/"


@pytest.mark.parametrize("element", ["name1", "num1", "range1", "box1", "send1"])
def test_enter_on_a_button_or_in_a_field_sends_the_form(backend, element):
    show(backend, "/form")
    act(backend, "fill", "name1")
    result = press(backend, element)
    assert (result.error, result.page.path) == (None, "/page/done")
    assert "name=王\u3000五" in texts(result.page)


@pytest.mark.parametrize("element", ["area1", "sel1", "form1"])
def test_enter_where_it_would_type_or_open_something_is_an_error(backend, element):
    page = show(backend, "/form")
    result = press(backend, element)
    assert (result.error, result.page) == (Kind.EXECUTION_ERROR, page)


@pytest.mark.parametrize("element", ["name1", "area1", "sel1", "send1"])
def test_escape_changes_nothing_by_itself(backend, element):
    page = show(backend, "/form")
    result = press(backend, element, "Escape")
    assert (result.error, result.page) == (None, page)


def test_escape_empties_a_search_field_as_browsers_do(backend):
    show(backend, "/search")
    assert not press(backend, "find", "Escape").page.elements[0].has_value


@pytest.mark.parametrize(("key", "kinds"), [("Enter", ("down", "press", "up")), ("Escape", ("down", "up"))])
def test_the_page_hears_a_person_press_a_key_on_the_element(backend, key, kinds):
    show(backend, "/listens")
    heard = texts(press(backend, "here", key).page)
    assert heard[-1] == " ".join(f"key{kind} {key} true here" for kind in kinds)


def test_a_dialog_that_a_key_opens_is_dismissed(backend):
    page = show(backend, "/asks")
    result = press(backend, "alert1")
    assert (result.error, result.page) == (None, page)


@pytest.mark.parametrize("path", ["/checked", "/off"])
def test_a_form_whose_button_is_off_or_that_is_incomplete_is_not_sent(backend, path):
    page = show(backend, path)
    result = press(backend, "other")
    assert (result.error, result.page) == (None, page)


def test_a_form_of_one_field_needs_no_button_and_a_field_of_no_form_sends_nothing(backend):
    page = show(backend, "/plain")
    assert press(backend, "alone").page == page
    assert press(backend, "one").page.path.partition("?")[0] == "/text"


@pytest.mark.parametrize("element", ["field", "link", "other", "button", "tab"])
def test_enter_that_would_lead_out_is_refused_and_escape_leads_nowhere(backend, element):
    page = show(backend, "/out")
    result = press(backend, element)
    assert (result.error, result.page) == (Kind.BLOCKED_NAVIGATION, page)
    assert press(backend, element, "Escape").error is None


def test_what_takes_no_focus_cannot_be_pressed(backend):
    show(backend, "/unfocused")
    assert press(backend, "role").error is Kind.EXECUTION_ERROR


def test_a_disabled_button_and_one_that_is_gone_are_not_pressed(backend):
    show(backend, "/off")
    assert press(backend, "send").error is Kind.ELEMENT_DISABLED
    assert press(backend, "no-such-key").error is Kind.ELEMENT_DETACHED
