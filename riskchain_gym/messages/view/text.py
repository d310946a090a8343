"""The text of a message in HTML: every code point kept, its platform's own codes drawn as pictures."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache

from riskchain_gym.messages.bank import DATA
from riskchain_gym.messages.tokens import TokenProfile, load_profiles
from riskchain_gym.messages.view.faces import face
from riskchain_gym.protocol.message import Platform

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
"""Code points that no HTML document can hold."""


@cache
def codes_of(platform: Platform) -> TokenProfile:
    """Return the codes that a platform's own client draws as pictures."""
    return load_profiles(DATA / "tokens.toml")[platform]


def pieces(content: str, codes: TokenProfile) -> Iterator[tuple[str, bool]]:
    """Yield the content in order as texts and codes, each with whether it is a code."""
    end = 0
    for start, stop in codes.find(content):
        if end < start:
            yield content[end:start], False
        yield content[start:stop], True
        end = stop
    if end < len(content):
        yield content[end:], False


def text_html(content: str, codes: TokenProfile) -> str:
    """Return the content as HTML, to be shown with ``white-space: pre-wrap``.

    A code becomes its picture, without its name. All else is text: line breaks, U+3000, zero-width and bidi controls
    stay as they are. A NUL and a lone surrogate, which no document can hold, become U+FFFD.

    Args:
        content: The text as it was sent.
        codes: The codes of the platform it was sent on; those of others are text.
    """
    return "".join(face(piece) if is_code else escaped(piece) for piece, is_code in pieces(content, codes))


def escaped(text: str) -> str:
    """Return text as HTML; a carriage return is written as a reference: parsers read a bare one as a newline."""
    return html.escape(_UNWRITABLE.sub("\ufffd", text), quote=True).replace("\r", "&#13;")
