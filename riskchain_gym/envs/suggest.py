"""Near matches for error messages and feedback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the option closest to a word, or ``""`` when none is close.

    Args:
        word: What was given.
        options: What exists.
    """
    near = difflib.get_close_matches(word, list(options), n=1, cutoff=0.7)
    return f" Did you mean '{near[0]}'?" if near else ""
