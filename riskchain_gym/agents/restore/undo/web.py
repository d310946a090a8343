"""Undoes the encodings of the web: percent signs, text escapes, base 16, 32 and 64, Punycode."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping

_DEPTH = 3
_UNICODE_END = 0x110000


def decode(text: str) -> str:
    """Return the text with its encodings undone, one within another too; what does not decode stays.

    Args:
        text: Text without codes and marks.
    """
    for _ in range(_DEPTH):
        before = text
        for pattern, undo in _ENCODINGS:
            text = pattern.sub(lambda found, undo=undo: _tried(undo, found), text)  # type: ignore[misc]
        if text == before:
            break
    return text


def _tried(undo: Callable[[re.Match[str]], str], found: re.Match[str]) -> str:
    try:
        return undo(found)
    except ValueError:
        return found[0]


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if code < _UNICODE_END else found[0]


def _padded(text: str, block: int) -> str:
    return text + "=" * (-len(text) % block)


_BASES: Mapping[str, Callable[[str], bytes]] = {
    "hex": bytes.fromhex,
    "b32": lambda body: base64.b32decode(_padded(body.upper(), 8)),
    "b64": lambda body: base64.urlsafe_b64decode(_padded(body, 4)),
}

_ENCODINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile("(?:%[0-9a-fA-F]{2})+"), lambda found: bytes.fromhex(found[0].replace("%", "")).decode()),
    (
        re.compile(r"(?:\\u[0-9a-fA-F]{4})+"),
        lambda found: bytes.fromhex(found[0].replace("\\u", "")).decode("utf-16-be"),
    ),
    (re.compile("&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));"), _character),
    (re.compile("(hex|b32|b64):([A-Za-z0-9_-]+)"), lambda found: _BASES[found[1]](found[2]).decode()),
    (
        re.compile("xn--([A-Za-z0-9-]+)", re.IGNORECASE),
        lambda found: found[1].lower().encode("ascii").decode("punycode"),
    ),
)
