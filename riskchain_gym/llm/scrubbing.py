"""Keys in what servers say."""

from __future__ import annotations

import re
from collections.abc import Callable

MIN_SCRUBBED = 8
"""Keys shorter than this (``none``, ``EMPTY``) are no secrets and are not looked for."""


def scrubber(key: str) -> Callable[[str], str]:
    """Return what puts ``[key]`` in the place of a key, also where JSON has escaped characters of it.

    Args:
        key: The key.
    """
    if len(key) < MIN_SCRUBBED:
        return lambda text: text
    spelled = re.compile("".join(rf"(?:\\?{re.escape(char)}|\\u(?i:{ord(char):04x}))" for char in key))
    return lambda text: spelled.sub("[key]", text)
