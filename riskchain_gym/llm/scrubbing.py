"""Keys, control characters and overlong names in what servers say."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from riskchain_gym.llm.reply import Reply

MIN_SCRUBBED = 8
"""Keys shorter than this (``none``, ``EMPTY``) are no secrets and are not looked for."""

MAX_NAME = 120
"""Characters that are kept of a model's name or a finish reason."""

MAX_DETAIL = 400
"""Characters that are kept of what went wrong."""

DEPTH = 8
"""How often text is read as JSON within JSON when a key is looked for; nothing reads any as often."""

_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def scrubber(key: str) -> Callable[[str], str]:
    """Return what puts ``[key]`` in the place of a key, also where JSON has escaped characters of it.

    JSON may stand in a string of JSON, and that in another: whatever a reader of all that would come to is looked at,
    and the text stays JSON where it was. The time grows with the text's length only.

    Args:
        key: The key.
    """
    if len(key) < MIN_SCRUBBED:
        return lambda text: text

    def scrubbed(text: str) -> str:
        while places := _places(text, key):
            ends = [0, *(end for _, end in places)]
            starts = [*(start for start, _ in places), len(text)]
            text = "[key]".join(text[end:start] for end, start in zip(ends, starts, strict=True))
        return text

    return scrubbed


def told(reply: Reply, scrubbed: Callable[[str], str]) -> Reply:
    """Return a reply without a key in it, whose names and sentences are short and can be shown on a terminal.

    The body is scrubbed as it comes; what is read from it is scrubbed once more, since reading decodes it.

    Args:
        reply: The reply.
        scrubbed: What takes out the key.
    """
    changes = {
        "model": plain(reply.model, MAX_NAME, scrubbed),
        "finish_reason": plain(reply.finish_reason, MAX_NAME, scrubbed),
        "detail": plain(reply.detail, MAX_DETAIL, scrubbed),
        "text": scrubbed(reply.text),
        "raw": scrubbed(reply.raw),
        "parsed": _walked(reply.parsed, scrubbed),
    }
    return reply.model_copy(update=changes)


def plain(text: str, longest: int, scrubbed: Callable[[str], str]) -> str:
    """Return text on one line, without the key and what terminals obey, and then cut: half a key is no longer found.

    Args:
        text: The text.
        longest: Code points that it may have.
        scrubbed: What takes out the key.
    """
    shown = "".join(char if char.isprintable() else " " for char in scrubbed(text))
    line = scrubbed(" ".join(shown.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _places(text: str, key: str) -> list[tuple[int, int]]:
    """Return from where to where a key stands in a text, as it is or at the first depth that it appears at."""
    read = text
    for depth in range(DEPTH + 1):
        if key in read:
            return _traced(text, key, depth)
        deeper = _ESCAPE.sub(_meant, read)
        if len(deeper) == len(read):
            break
        read = deeper
    return []


def _traced(text: str, key: str, depth: int) -> list[tuple[int, int]]:
    """Return where in a text the characters stand that spell a key at a depth."""
    origins: Sequence[int] = range(len(text) + 1)
    read = text
    for _ in range(depth):
        pieces: list[str] = []
        traced = array("Q")
        last = 0
        for found in _ESCAPE.finditer(read):
            pieces += (read[last : found.start()], _meant(found))
            traced.extend(origins[last : found.start() + 1])
            last = found.end()
        traced.extend(origins[last:])
        read, origins = "".join((*pieces, read[last:])), traced
    return [(origins[found.start()], origins[found.end()]) for found in re.finditer(re.escape(key), read)]


def _meant(escape: re.Match[str]) -> str:
    """Return the character of an escape."""
    return chr(int(escape[1], 16)) if escape[1] else _SHORT.get(escape[2], escape[2])


def _walked(value: Any, scrubbed: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, list):
        return [_walked(item, scrubbed) for item in value]
    if isinstance(value, dict):
        return {scrubbed(name): _walked(item, scrubbed) for name, item in value.items()}
    return value
