"""The explorer's vocabulary: what controls and notices mean by their wording."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9-]*[0-9A-Z])[A-Za-z0-9][A-Za-z0-9-]{3,}(?![A-Za-z0-9])")


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    raw: dict[str, list[Any]] = yaml.safe_load(
        (Path(__file__).parent / "data" / "words.yaml").read_text(encoding="utf-8")
    )
    return {group: tuple(str(word).lower() for word in words) for group, words in raw.items()}


def means(group: str, text: str) -> bool:
    """Return whether a control's name or a line holds a word of a group of ``data/words.yaml``.

    Raises:
        KeyError: There is no such group.
    """
    folded = text.lower()
    return any(word in folded for word in _groups()[group])


def prints_code(lines: Iterable[str], fields: Iterable[str], *, any_code: bool) -> bool:
    """Return whether the lines seem to print something to be typed into one of the fields.

    Args:
        lines: Lines of text; a label and its value may be two lines, one after the other.
        fields: Names of the fields; a line speaks of one when it holds the last two characters of its name.
        any_code: Whether a line that speaks of any code will do.
    """
    endings = [name[-2:] for name in fields if len(name) > 1]
    shown = tuple(lines)
    pairs = (f"{line} {following}" for line, following in zip(shown, (*shown[1:], ""), strict=False))
    return any(
        _CODE.search(pair) and (any(e in pair for e in endings) or (any_code and means("code_line", pair)))
        for pair in pairs
    )
