"""Pins: a place of a page as the parts of a citation, with its words taken from the page and not from a keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskchain_gym.annotation.visit_errors import PinRefusedError
from riskchain_gym.protocol.codebook import AnchorType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import ObservedLine, ObservedPage
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.citations import citation_problem
from riskchain_gym.scoring.sight import in_view, overlap, picture_of

QUOTE_LIMIT = 1000
"""Longest quote of a citation, in code points."""

MIN_LINE_SHARE = 0.5
"""Share of a line that must lie in a region for the region to quote it."""


class Pin(Frozen):
    """A pinned place: a citation without what the person says of it.

    Attributes:
        step: Browse step at which it was seen.
        element_id: The element, or the key of the picture, that is meant; ``None`` for a region.
        region: The place in the document, in CSS pixels; ``None`` for an element.
        quote: Its words as shown at that step; ``""`` where a picture or nothing stands there, or words that no
            file can hold.
        observation: What the person makes of it; empty at first.
        thumbnail: File name of its picture in ``media/``, ``""`` where the page has no geometry.
    """

    step: int
    element_id: str | None = None
    region: Region | None = None
    quote: str = ""
    observation: str = ""
    thumbnail: str = ""


def place_pin(
    pages: Mapping[int, ObservedPage],
    viewport: tuple[int, int],
    step: int,
    *,
    element_id: str | None = None,
    region: Region | None = None,
    line: int | None = None,
) -> tuple[Pin, Region | None]:
    """Return a pin on one thing, and its place in the picture of that step, in pixels.

    A place that was not in view cannot be pinned: a person has not seen it, and scoring would not take it as seen.

    Args:
        pages: Observed pages by browse step, scrolled as they were.
        viewport: Width and height of the picture in CSS pixels.
        step: Browse step.
        element_id: An element of that step, or the key of a picture.
        region: A part of the document, in CSS pixels.
        line: A line of that step, counted from 0.

    Returns:
        The pin without a thumbnail, and the place that one would show, ``None`` where the page has no geometry.

    Raises:
        PinRefusedError: No such place, not exactly one place, or it was not in view.
    """
    if sum(place is not None for place in (element_id, region, line)) != 1:
        raise PinRefusedError("A pin is on one thing: give an element, a region or a line.")
    page = pages.get(step)
    if page is None:
        raise PinRefusedError(f"There is no step {step} in this visit, its steps are 0 to {max(pages, default=0)}.")
    if element_id is not None:
        pin, box = _on_element(page, step, element_id)
    elif line is not None:
        pin, box = _on_line(page, step, line)
    else:
        assert region is not None
        box = _within(region, page)
        pin = Pin(step=step, region=box, quote=_storable(quote_of(page.lines, box)))
    view = Region(x=0, y=page.scroll_y, width=viewport[0], height=viewport[1])
    if box is not None and not in_view(box, view):
        raise PinRefusedError(f"Most of it was out of view at step {step}: scroll to it, then pin it.")
    cited = Citation(anchor_type=AnchorType.VISIBLE_TEXT_OR_CLAIM, **pin.model_dump(exclude={"thumbnail"}))
    if (problem := citation_problem(cited, pages)) is not None:
        raise PinRefusedError(f"This place cannot be cited: {problem}.")
    return pin, None if box is None else _shown(box, view)


def quote_of(lines: Sequence[ObservedLine], region: Region) -> str:
    """Return the words in a region: the lines of which most lies in it, as long as they follow one another.

    Of several groups of such lines, it is the one with most words: what a citation quotes stands in one piece.
    """
    groups: list[list[str]] = [[]]
    for line in lines:
        if line.box is not None and overlap(line.box, region) >= MIN_LINE_SHARE * line.box.width * line.box.height:
            groups[-1].append(line.text)
        elif line.text.strip():
            groups.append([])
    return max(("\n".join(group) for group in groups), key=len)[:QUOTE_LIMIT].strip()


def _on_element(page: ObservedPage, step: int, element_id: str) -> tuple[Pin, Region | None]:
    picture = picture_of(page, element_id)
    if picture is not None:
        return Pin(step=step, element_id=element_id), picture.box
    element = next((each for each in page.elements if each.element_id == element_id), None)
    if element is None:
        raise PinRefusedError(f"There is no element '{element_id[:64]}' at step {step}: look at the page again.")
    return Pin(step=step, element_id=element_id, quote=_storable(element.name.strip())), element.box


def _on_line(page: ObservedPage, step: int, line: int) -> tuple[Pin, Region | None]:
    if not 0 <= line < len(page.lines):
        raise PinRefusedError(f"There is no line {line} at step {step}: look at the page again.")
    shown = page.lines[line]
    quote = shown.text[:QUOTE_LIMIT].strip()
    if not quote:
        raise PinRefusedError(f"Line {line} at step {step} is empty: pin a region.")
    if not (quote := _storable(quote)) and shown.box is None:
        raise PinRefusedError(f"Line {line} at step {step} holds half a character and cannot be quoted: pin another.")
    return Pin(step=step, region=None if shown.box is None else _within(shown.box, page), quote=quote), shown.box


def _storable(quote: str) -> str:
    """Return a quote, or nothing in place of one with half a surrogate pair, which no file and no citation can hold."""
    return "" if any("\ud800" <= character <= "\udfff" for character in quote) else quote


def _within(region: Region, page: ObservedPage) -> Region:
    """Return the part of a region that lies on the page."""
    height = min(region.y + region.height, page.height) - region.y
    if height <= 0:
        raise PinRefusedError("That region lies below the end of the page: pin a place on it.")
    return region.model_copy(update={"height": height})


def _shown(box: Region, view: Region) -> Region:
    """Return the visible part of a box, measured from the top left of the picture."""
    top, left = max(box.y, view.y), max(box.x, 0.0)
    bottom, right = min(box.y + box.height, view.y + view.height), min(box.x + box.width, view.width)
    return Region(x=left, y=top - view.y, width=max(right - left, 1.0), height=max(bottom - top, 1.0))
