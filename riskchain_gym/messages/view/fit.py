"""How large text may be so that all of a message fits into a picture of fixed size: an estimate on the safe side."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from riskchain_gym.messages.tokens import TokenProfile
from riskchain_gym.messages.view.faces import FACE_WIDTH_EM
from riskchain_gym.messages.view.text import pieces

LARGEST_PX = 16.0
"""Text size where there is room."""

_STEP_PX = 0.5
_SMALL_PX = 6.0
_SHRINK = 0.9
_SMALLEST_PX = 1.0

_BREAK = re.compile("[\n\v\f\r\x85\u2028\u2029]")
_EMOJI = 0x1F000
_INVISIBLE = frozenset({"Mn", "Me", "Cf"})
_WIDE_ASCII = frozenset("mwMW@%")
# A line ends early where a closing mark may not begin the next one.
_SLACK_EM = 1.0


def fitting_size(height: Callable[[float], float], available_px: float) -> float:
    """Return the largest text size, in pixels, at which what is drawn is not higher than there is room.

    Args:
        height: Height in units of the text size, at a text size in pixels.
        available_px: The room.
    """
    size = LARGEST_PX
    while size > _SMALLEST_PX and height(size) * size > available_px:
        size = size - _STEP_PX if size > _SMALL_PX else size * _SHRINK
    return round(size, 3)


def line_count(content: str, codes: TokenProfile, columns: float, lead: float = 0.0) -> int:
    """Return how many lines a text takes, wrapped at spaces, between wide characters and within overlong words.

    Args:
        content: The text as it was sent.
        codes: The codes that are drawn as pictures.
        columns: Width of a line, in units of the text size.
        lead: Width taken before the first character, in the same units.
    """
    room = max(columns - _SLACK_EM, FACE_WIDTH_EM)
    lines, used = 1, lead
    for width, kind in _units(content, codes):
        if kind == "break":
            lines, used = lines + 1, 0.0
        elif kind == "space" or used + width <= room:
            used += width
        else:
            lines += used > 0
            overlong, used = divmod(width, room)
            lines += int(overlong)
    return lines


def _units(content: str, codes: TokenProfile) -> Iterator[tuple[float, str]]:
    """Yield width and kind of everything that a line does not break inside of, if it can help it."""
    for piece, is_code in pieces(content, codes):
        if is_code:
            yield FACE_WIDTH_EM, "face"
            continue
        word = 0.0
        for char in piece:
            width, kind = _advance(char)
            if kind == "word":
                word += width
                continue
            if word:
                yield word, "word"
                word = 0.0
            yield width, kind
        if word:
            yield word, "word"


@lru_cache(maxsize=8192)
def _advance(char: str) -> tuple[float, str]:
    if _BREAK.match(char):
        return 0.0, "break"
    if char == " ":
        return 0.3, "space"
    if char == "\t":
        return 3.0, "space"
    if unicodedata.category(char) in _INVISIBLE:
        return 0.0, "word"
    if ord(char) >= _EMOJI:
        return FACE_WIDTH_EM, "wide"
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0, "wide"
    if ord(char) < 128:
        return (0.95 if char in _WIDE_ASCII else 0.62), "word"
    return 1.0, "word"
