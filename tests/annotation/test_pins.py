"""Pins: whatever a person frames, what is cited was shown and seen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.annotation.pins import QUOTE_LIMIT, place_pin, quote_of
from riskchain_gym.annotation.visit_errors import PinRefusedError
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.citations import citation_problem
from riskchain_gym.scoring.sight import in_view

VIEWPORT = (400, 300)
HEIGHT = 900


def box(x: float, y: float, width: float, height: float) -> Region:
    return Region(x=x, y=y, width=width, height=height)


def line(text: str, y: float, x: float = 0) -> ObservedLine:
    return ObservedLine(text=text, box=box(x, y, 100, 20))


def page(*lines: ObservedLine, scroll_y: int = 0, **more) -> ObservedPage:
    return ObservedPage(path="/", title="t", lines=lines, height=HEIGHT, scroll_y=scroll_y, **more)


edges = st.floats(0, HEIGHT, allow_nan=False).map(lambda value: round(value, 2))
sizes = st.floats(0.01, HEIGHT, allow_nan=False).map(lambda value: max(round(value, 2), 0.01))
boxes = st.builds(box, edges, edges, sizes, sizes)
texts = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(["", " ", "\u3000", "same", "x" * 1200])
observed_lines = st.lists(st.builds(ObservedLine, text=texts, box=boxes | st.none()), max_size=8)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(observed_lines, boxes, st.integers(0, HEIGHT))
def test_a_framed_region_is_refused_or_resolves_and_was_seen(lines, region, scroll_y):
    pages = {0: page(*lines, scroll_y=scroll_y)}
    try:
        pin, place = place_pin(pages, VIEWPORT, 0, region=region)
    except PinRefusedError:
        return
    cited = Citation(anchor_type="VISIBLE_TEXT_OR_CLAIM", **pin.model_dump(exclude={"thumbnail"}))
    assert citation_problem(cited, pages) is None
    assert len(pin.quote) <= QUOTE_LIMIT
    assert in_view(pin.region, box(0, scroll_y, *VIEWPORT))
    assert place is not None
    assert place.x < VIEWPORT[0]
    assert place.y < VIEWPORT[1]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(observed_lines, st.integers(-1, 8), st.integers(0, HEIGHT))
def test_a_line_is_refused_or_quoted_as_it_stands(lines, number, scroll_y):
    pages = {0: page(*lines, scroll_y=scroll_y)}
    try:
        pin, _ = place_pin(pages, VIEWPORT, 0, line=number)
    except PinRefusedError:
        return
    assert pin.quote
    assert lines[number].text.strip().startswith(pin.quote)


def test_a_region_quotes_one_run_of_lines_and_no_half_line():
    shown = [line("first", 0), line("second", 20), line("", 40), line("far away", 60), line("last of all", 200)]
    assert quote_of(shown, box(0, 0, 100, 40)) == "first\nsecond"
    assert quote_of(shown, box(0, 0, 100, 29)) == "first", "less than half of the second line"
    assert quote_of(shown, box(0, 0, 49, 40)) == ""
    assert quote_of(shown, box(0, 190, 100, 40)) == "last of all"
    beside = [line("left one", 0), line("right", 0, x=200), line("left two", 20), line("right two", 20, x=200)]
    assert quote_of(beside, box(200, 0, 100, 40)) == "right two", "what does not stand together is not quoted together"


def test_a_picture_is_pinned_by_its_key_and_quotes_nothing():
    picture = ObservedPicture(key="p1", alt="", box=box(0, 0, 200, 200))
    pages = {0: page(pictures=(picture,))}
    pin, place = place_pin(pages, VIEWPORT, 0, element_id="p1")
    assert (pin.element_id, pin.quote, place) == ("p1", "", box(0, 0, 200, 200))


def test_what_reaches_out_of_the_picture_is_shown_as_far_as_it_does():
    tall = ObservedElement(
        element_id="e1", role="form", name="all", capabilities=Capabilities(submit=True), box=box(10, 100, 200, 700)
    )
    pages = {0: page(elements=(tall,), scroll_y=250)}
    pin, place = place_pin(pages, VIEWPORT, 0, element_id="e1")
    assert (pin.quote, place) == ("all", box(10, 0, 200, 300))
    with pytest.raises(PinRefusedError, match="out of view"):
        place_pin({0: page(elements=(tall,), scroll_y=780)}, VIEWPORT, 0, element_id="e1")
