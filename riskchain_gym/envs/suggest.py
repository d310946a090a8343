"""Near matches for error messages and feedback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 200
_BLANKS = "\u00a0\u3000"


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the option closest to a word, or ``""`` when none is close.

    Args:
        word: What was given.
        options: What exists.
    """
    near = difflib.get_close_matches(word[:_LONGEST], list(options), n=1, cutoff=0.7)
    return f" Did you mean '{near[0]}'?" if near else ""


def shown(given: object, limit: int = 60) -> str:
    """Return what was given as a sentence quotes it: as Python writes it, on one line, cut.

    Args:
        given: Anything.
        limit: Most code points of the result.
    """
    try:
        text = repr(given[:limit] if isinstance(given, str | bytes) else given)
    except (ValueError, RecursionError):
        text = f"<{type(given).__name__}>"
    cut = len(text) > limit or (isinstance(given, str | bytes) and len(given) > limit)
    return one_line(f"{text[: limit - 1]}…" if cut else text)


def one_line(text: str) -> str:
    """Return a text with everything that cannot be printed as an escape, blanks of any width excepted."""
    return "".join(c if c.isprintable() or c in _BLANKS else ascii(c)[1:-1] for c in text)
