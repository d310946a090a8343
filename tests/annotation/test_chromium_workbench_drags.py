"""The workbench's page in a real Chromium: parts of the picture that are framed with the mouse."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from page_kit import kept_form
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

ROWS = (0.1, 0.3, 0.5)


def drag(bench, left, top, right, bottom):
    """Drag over the picture, from one place to another in shares of its size."""
    frame = bench.get("frame").bounding_box()
    places = [
        (frame["x"] + frame["width"] * x, frame["y"] + frame["height"] * y) for x, y in ((left, top), (right, bottom))
    ]
    bench.page.mouse.move(*places[0])
    bench.page.mouse.down()
    bench.page.mouse.move(*places[1], steps=4)
    bench.page.mouse.up()


@pytest.mark.parametrize("hold", ["p", "Shift"])
@pytest.mark.parametrize("selected", [False, True], ids=["fresh", "after_selecting_all"])
def test_every_drag_makes_a_pin(bench, alone, hold, selected):
    if selected:
        bench.page.get_by_role("heading", name="Task 1").dblclick()
        bench.press("Control+a")
        assert bench.page.evaluate("getSelection().toString()")
    if hold == "p":
        bench.press("p")
    else:
        bench.page.keyboard.down("Shift")
    for number, top in enumerate(ROWS, 1):
        drag(bench, 0.05, top, 0.6, top + 0.15)
        expect(bench.get("pin")).to_have_count(number)
        bench.at_rest()
    if hold == "Shift":
        bench.page.keyboard.up("Shift")
    bench.saved()
    regions = [pin["region"] for pin in kept_form(alone)["pins"]]
    assert [round(region["y"] / 768, 1) for region in regions] == list(ROWS)
    assert len({tuple(region.values()) for region in regions}) == len(ROWS)
    assert bench.page.evaluate("getSelection().toString()") == ""


def test_a_drag_from_one_zone_to_another_is_a_region_and_no_click(real_bench):
    bench = real_bench
    bench.press("p")
    link = bench.page.locator(".zone.element").first.bounding_box()
    bench.page.mouse.move(link["x"] + 3, link["y"] + 3)
    bench.page.mouse.down()
    bench.page.mouse.move(link["x"] + 60, link["y"] + 60, steps=3)
    bench.page.mouse.up()
    expect(bench.get("pin")).to_have_count(1)
    expect(bench.get("step")).to_have_text("step 0")


def test_a_drag_that_makes_no_pin_says_so(bench):
    bench.press("p")
    drag(bench, 0.1, 0.4, 0.5, 0.4)
    expect(bench.get("feedback")).to_contain_text("No pin was made: the frame is too small")
    drag(bench, 0.1, 0.4, 0.5, 0.6)
    expect(bench.get("pin")).to_have_count(1)
    expect(bench.get("feedback")).to_contain_text("Pin 1")
    bench.at_rest()
    drag(bench, 0.1, 0.4, 0.5, 0.6)
    expect(bench.get("feedback")).to_have_text("That is pinned already.")
    expect(bench.get("pin")).to_have_count(1)


def test_a_frame_of_many_lines_hints_at_fewer(bench):
    bench.press("p")
    drag(bench, 0.0, 0.0, 0.9, 0.9)
    expect(bench.get("pin-hint")).to_contain_text("matched line by line")
    drag(bench, 0.0, 0.0, 0.9, 0.06)
    expect(bench.get("pin")).to_have_count(2)
    expect(bench.get("pin-hint").nth(1)).to_be_hidden()


@pytest.mark.parametrize(
    ("field", "kind"), [("password", "CREDENTIAL_OR_IDENTITY_REQUEST"), ("text", "VISIBLE_TEXT_OR_CLAIM")]
)
def test_a_field_for_a_password_asks_for_one(bench, field, kind):
    pin = bench.page.evaluate(
        """async (type) => {
          const { newPin } = await import(new URL("static/form.js", location.href));
          return newPin({ pins: [] }, { element_id: "e1" }, { elements: [{ element_id: "e1", type }] });
        }""",
        field,
    )
    assert (pin["anchor_type"], pin["side"]) == (kind, "evidence")
