"""Screenshots are redacted by geometry: a grey box over every line, element or picture whose text has a masked span."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Region
from riskchain_gym.scoring.redaction.text import Redactor

MARGIN = 4
"""How far a grey box reaches beyond the box of what it covers, in CSS pixels."""

GREY = (128, 128, 128)


def masked_boxes(page: ObservedPage, redactor: Redactor) -> tuple[Region, ...]:
    """Return what must be covered in a screenshot of a page, in viewport coordinates (device scale 1).

    A line or a control is covered whole if any part of its text is masked: where in its box a span is drawn is not
    known. A picture is covered whole if its alternative text has a span. What is drawn in a picture without such a text
    is recorded nowhere, so it stays visible: covering every picture would take away what pictures are shown for.

    Args:
        page: The page, scrolled as it was.
        redactor: What masks its text.
    """
    boxes = dict.fromkeys(box for text, box in _boxed(page) if any(map(redactor.spans, text.split("\n"))))
    return tuple(
        Region(x=max(left, 0), y=max(top, 0), width=right - max(left, 0), height=bottom - max(top, 0))
        for left, top, right, bottom in (_around(box, page.scroll_y) for box in boxes)
        if right > 0 and bottom > 0
    )


def grey_out(data: bytes, boxes: Sequence[Region]) -> bytes:
    """Return a screenshot as PNG with grey boxes drawn over it; the image as it came if there are none.

    Args:
        data: The encoded screenshot, one pixel to a CSS pixel.
        boxes: What to cover, in viewport coordinates.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    if not boxes:
        return data
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise MissingExtraError("browser", "Redacting screenshots") from error
    image = Image.open(io.BytesIO(data)).convert("RGB")
    draw = ImageDraw.Draw(image)
    for box in boxes:
        draw.rectangle((box.x, box.y, box.x + box.width, box.y + box.height), fill=GREY)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _boxed(page: ObservedPage) -> Iterator[tuple[str, Region]]:
    texts = (*((line.text, line.box) for line in page.lines), *((p.alt, p.box) for p in page.pictures))
    controls = (("\n".join((e.name, e.placeholder, *e.options)), e.box) for e in page.elements)
    return ((text, box) for text, box in (*texts, *controls) if box is not None)


def _around(box: Region, scroll_y: int) -> tuple[float, float, float, float]:
    top = box.y - scroll_y
    return box.x - MARGIN, top - MARGIN, box.x + box.width + MARGIN, top + box.height + MARGIN
