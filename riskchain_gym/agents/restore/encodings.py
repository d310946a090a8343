"""Undoes the encodings of the web: percent signs, text escapes, base 16, 32 and 64, Punycode, as the standards say.

The learned restorer was trained on what comes out here: another rule needs another training.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from riskchain_gym.agents.halves import without_halves
from riskchain_gym.agents.restore.marks import drop_marks

_ESCAPES = re.compile(r"(?:%[0-9a-fA-F]{2})+|(?:\\u[0-9a-fA-F]{4})+|&#[0-9]{1,7};|&#[xX][0-9a-fA-F]{1,6};")
_BASES = re.compile(r"\b(hex:[0-9a-f]+|b32:[a-z2-7]+|b64:[A-Za-z0-9_-]+)")
_NAMES = re.compile(r"(?<![a-z0-9])xn--([a-z0-9-]+)")
_MOST_LAYERS = 3


def decoded(text: str) -> str:
    """Return a text with the encodings of the web undone, one inside another too; what is malformed stays.

    Args:
        text: Any text.
    """
    for _ in range(_MOST_LAYERS):
        plain = text
        for pattern, decode in ((_ESCAPES, _unescape), (_BASES, _from_base), (_NAMES, _from_ascii_name)):
            plain = pattern.sub(_or_as_it_is(decode), plain)
        plain = drop_marks(without_halves(plain))[0]
        if plain == text:
            break
        text = plain
    return text


def _or_as_it_is(decode: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        try:
            return decode(match[0])
        except (ValueError, OverflowError):
            return match[0]

    return replace


def _unescape(run: str) -> str:
    if run.startswith("%"):
        return bytes.fromhex(run.replace("%", "")).decode()
    if run.startswith("\\u"):
        return bytes.fromhex(run.replace("\\u", "")).decode("utf-16-be")
    return chr(int(run[3:-1], 16) if run[2] in "xX" else int(run[2:-1]))


def _from_base(run: str) -> str:
    base, _, body = run.partition(":")
    if base == "hex":
        return bytes.fromhex(body).decode()
    if base == "b32":
        return base64.b32decode(body.upper() + "=" * (-len(body) % 8)).decode()
    return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()


def _from_ascii_name(run: str) -> str:
    return run.removeprefix("xn--").encode("ascii").decode("punycode")
