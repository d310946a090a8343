"""Set of marks: a screenshot in which every actionable element is framed and labelled with its id."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Region

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

_COLOURS = (
    (200, 30, 30),
    (20, 90, 200),
    (10, 120, 60),
    (150, 40, 160),
    (170, 85, 0),
    (0, 110, 125),
    (190, 20, 110),
    (70, 70, 80),
)
_PAPER = (255, 255, 255)
_FONT_PX, _PAD_PX, _FRAME_PX = 14, 2, 2
_AROUND_PX, _AROUND_FORM_PX = 1, 4
"""How far outside of an element's box its frame runs; a form's runs around the frame of a button that fills it."""

_SMALLEST_PX = 3
"""What shows less than this of its width or height is not marked."""

_ON_LABEL, _ON_TEXT, _ON_ELEMENT, _PER_PLACE = 60.0, 4.0, 1.0, 0.02
"""What a place for a label costs: times the share of the label that lies on another label, on text, on another element,
and for each better place that was passed over."""

Boxes = NDArray[np.float64]
"""Rectangles in the picture, one a row: left, top, right, bottom."""


@dataclass(frozen=True)
class _Mark:
    """An element in view: its id, its frame in the picture (left, top, right, bottom), and its colour."""

    element_id: str
    box: tuple[int, int, int, int]
    colour: tuple[int, int, int]


def mark_elements(view: NDArray[np.uint8], page: ObservedPage) -> NDArray[np.uint8]:
    """Return a screenshot with a frame around each actionable element in view, and its id on a label beside it.

    Labels stand where they cover neither each other nor text, as far as there is room. A colour follows
    from the id, so an element keeps it while it keeps its id.

    Args:
        view: The screenshot, uint8 (height, width, 3); it stays as it is.
        page: The page it shows, scrolled as it was then.
    """
    from PIL import Image, ImageDraw

    height, width = view.shape[:2]
    marks = _in_view(page, width, height)
    image = Image.fromarray(view)
    canvas = ImageDraw.Draw(image)
    for mark in sorted(marks, key=lambda mark: -_area(mark.box)):
        left, top, right, bottom = mark.box
        # On a dark page, the white line is what is seen first.
        canvas.rectangle((left - 1, top - 1, right, bottom), outline=_PAPER)
        canvas.rectangle((left, top, right - 1, bottom - 1), outline=mark.colour, width=_FRAME_PX)
    font = _font()
    for mark, (left, top, right, bottom) in zip(marks, _places(marks, page, width, height), strict=True):
        canvas.rectangle((left, top, right - 1, bottom - 1), fill=mark.colour, outline=_PAPER)
        middle = ((left + right) / 2, (top + bottom) / 2)
        canvas.text(middle, mark.element_id, fill=_PAPER, font=font, anchor="mm")
    return np.array(image, dtype=np.uint8)


def _in_view(page: ObservedPage, width: int, height: int) -> list[_Mark]:
    marks = []
    for element in page.elements:
        box = _clipped(element.box, page.scroll_y, width, height)
        if box is not None:
            out = _AROUND_FORM_PX if element.capabilities.submit else _AROUND_PX
            left, top, right, bottom = box
            box = (max(left - out, 0), max(top - out, 0), min(right + out, width), min(bottom + out, height))
            number = int("".join(filter(str.isdigit, element.element_id)) or 0)
            marks.append(_Mark(element.element_id, box, _COLOURS[number % len(_COLOURS)]))
    return marks


def _clipped(box: Region | None, scroll_y: int, width: int, height: int) -> tuple[int, int, int, int] | None:
    if box is None:
        return None
    left, top = max(round(box.x), 0), max(round(box.y - scroll_y), 0)
    right = min(round(box.x + box.width), width)
    bottom = min(round(box.y + box.height - scroll_y), height)
    return (left, top, right, bottom) if min(right - left, bottom - top) >= _SMALLEST_PX else None


def _places(marks: list[_Mark], page: ObservedPage, width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Return where each label goes, the smallest elements choosing first: they have the fewest places near them."""
    lines = [_clipped(line.box, page.scroll_y, width, height) for line in page.lines]
    texts = _array([box for box in lines if box is not None])
    elements = _array([mark.box for mark in marks])
    placed: dict[int, tuple[int, int, int, int]] = {}
    for i in sorted(range(len(marks)), key=lambda i: (_area(marks[i].box), i)):
        choices = _choices(marks[i], width, height)
        rows = _array(choices)
        others = np.delete(elements, i, axis=0)
        cost = (
            _ON_LABEL * _covered(rows, _array(list(placed.values())))
            + _ON_TEXT * _covered(rows, texts)
            + _ON_ELEMENT * _covered(rows, others)
            + _PER_PLACE * np.arange(len(choices))
        )
        placed[i] = choices[int(np.argmin(cost))]
    return [placed[i] for i in range(len(marks))]


def _choices(mark: _Mark, width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Return places for a label, the best first: at the corners outside, along the edges, then inside."""
    left, top, right, bottom = mark.box
    label_width = round(_font().getlength(mark.element_id)) + 2 * _PAD_PX + 2
    label_height = _FONT_PX + 2 * _PAD_PX
    middle_x, middle_y = (left + right - label_width) // 2, (top + bottom - label_height) // 2
    above, below = top - label_height, bottom
    corners = [
        (left, above),
        (right - label_width, above),
        (left - label_width, top),
        (right, top),
        (left - label_width, middle_y),
        (right, middle_y),
        (left, below),
        (right - label_width, below),
        (middle_x, above),
        (middle_x, below),
        (left - label_width, above),
        (right, above),
        (right - label_width, top),
        (left, top),
        (right - label_width, bottom - label_height),
        (left, bottom - label_height),
        (left - label_width // 2, top - label_height // 2),
        (right - label_width // 2, top - label_height // 2),
    ]
    kept = dict.fromkeys(
        (min(max(x, 0), width - label_width), min(max(y, 0), height - label_height)) for x, y in corners
    )
    return [(x, y, x + label_width, y + label_height) for x, y in kept]


def _covered(rows: Boxes, others: Boxes) -> NDArray[np.float64]:
    """Return for each row how many times its own area it has in common with others."""
    if not len(others):
        return np.zeros(len(rows))
    low = np.maximum(rows[:, None, :2], others[None, :, :2])
    high = np.minimum(rows[:, None, 2:], others[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)
    own: NDArray[np.float64] = (rows[:, 2:] - rows[:, :2]).prod(axis=1)
    result: NDArray[np.float64] = shared / own
    return result


def _array(boxes: list[tuple[int, int, int, int]]) -> Boxes:
    return np.array(boxes, dtype=np.float64).reshape(-1, 4)


def _area(box: tuple[int, int, int, int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


@cache
def _font() -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(_FONT_PX)
