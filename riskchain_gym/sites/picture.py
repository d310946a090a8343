"""Pictures that carry something to read: lines of text drawn as SVG, and QR codes."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import segno
from markupsafe import escape

from riskchain_gym.sites.pageview import DrawnLine

_WIDTH = 480
_PAD = 22
_GAP = 10
_CLOSING = frozenset("，。、；：！？）》」』”’…,.;:!?)%")
"""Marks that no line begins with; they may stand out over the edge."""

_NARROW = 0.58
"""Estimated width of a letter or digit, in parts of the font size; Chinese characters have 1."""


@dataclass(frozen=True)
class _Style:
    """How one kind of line is drawn: sizes in pixels, colours as functions of the site's hue."""

    size: int = 18
    weight: int = 400
    colour: str = "hsl({hue} 18% 20%)"
    box: str = ""
    bar: str = ""
    indent: int = 0
    marker: str = ""


_STYLES = {
    "text": _Style(),
    "notice": _Style(box="hsl({hue} 45% 93%)", bar="hsl({hue} 55% 45%)", indent=16),
    "quote": _Style(colour="hsl({hue} 10% 36%)", bar="hsl({hue} 20% 70%)", indent=16),
    "price": _Style(size=26, weight=700, colour="hsl({hue} 60% 36%)"),
    "small": _Style(size=15, colour="hsl({hue} 8% 42%)"),
    "item": _Style(indent=20, marker="•"),
    "step": _Style(indent=28, marker="{number}."),
}


def picture_uri(lines: tuple[DrawnLine, ...], font: str, hue: int) -> str:
    """Return lines of text as an SVG picture in a ``data:`` URI.

    It is 480 pixels wide; what is longer than a line is wrapped.

    Args:
        lines: The lines, from top to bottom.
        font: CSS font families.
        hue: Base hue, 0 to 359.
    """
    parts: list[str] = []
    y, number = float(_PAD), 0
    for drawn in lines:
        style = _STYLES[drawn.kind]
        number = number + 1 if drawn.kind == "step" else 0
        rows = list(_wrapped(drawn.text, (_WIDTH - 2 * _PAD - style.indent) / style.size))
        inset = 8 if style.box else 0
        step = style.size * 1.55
        height = step * len(rows) + 2 * inset
        if style.box:
            parts.append(_rect(_PAD, y, _WIDTH - 2 * _PAD, height, style.box.format(hue=hue)))
        if style.bar:
            parts.append(_rect(_PAD, y, 4, height, style.bar.format(hue=hue)))
        shared = f'font-size="{style.size}" font-weight="{style.weight}" fill="{style.colour.format(hue=hue)}"'
        for i, row in enumerate(rows):
            base = y + inset + step * i + style.size * 1.15
            if i == 0 and style.marker:
                marker = style.marker.format(number=number)
                parts.append(f'<text x="{_PAD}" y="{base:.1f}" {shared}>{marker}</text>')
            parts.append(f'<text x="{_PAD + style.indent}" y="{base:.1f}" {shared}>{escape(row)}</text>')
        y += height + _GAP
    height = y - _GAP + _PAD
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH} {height:.0f}" font-family="{escape(font)}" xml:space="preserve">'
        f"{_rect(0, 0, _WIDTH, height, f'hsl({hue} 30% 98%)')}{''.join(parts)}</svg>"
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def qr_svg(payload: str) -> str:
    """Return a QR code as inline SVG markup, hidden from the accessibility tree.

    Args:
        payload: What the code holds.
    """
    code = segno.make(payload, error="m", micro=False, boost_error=False)
    side = code.symbol_size(border=3)[0]
    dark = "".join(
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(code.matrix_iter(border=3))
        for x, module in enumerate(row)
        if module
    )
    return (
        f'<svg class="qr-code" viewBox="0 0 {side} {side}" width="200" height="200" shape-rendering="crispEdges" '
        f'aria-hidden="true"><rect width="{side}" height="{side}" fill="#fff"/><path fill="#111" d="{dark}"/></svg>'
    )


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}" fill="{fill}"/>'


def _wrapped(text: str, room: float) -> Iterator[str]:
    """Yield a text in rows of at most ``room`` font sizes; words are kept whole where they fit."""
    row, used = "", 0.0
    for piece in _pieces(text):
        width = sum(map(_width, piece))
        if row and used + width > room and piece[0] not in _CLOSING:
            yield row.rstrip()
            row, used = "", 0.0
            piece = piece.lstrip(" ")
        for character in piece if width > room else (piece,):
            wide = sum(map(_width, character))
            if row and used + wide > room and character[:1] not in _CLOSING:
                yield row
                row, used = "", 0.0
            row, used = row + character, used + wide
    if row:
        yield row


def _pieces(text: str) -> Iterator[str]:
    """Yield what is not broken: a wide character, or a run of narrow ones with the space before it."""
    run = ""
    for character in text:
        if _width(character) == 1 or character == " ":
            if run:
                yield run
            run = ""
            if character != " ":
                yield character
                continue
        run += character
    if run:
        yield run


def _width(character: str) -> float:
    return 1.0 if unicodedata.east_asian_width(character) in "WFA" else _NARROW
