"""The explorer's vocabulary: what controls and notices mean by their wording."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

_CODE = re.compile(
    r"(?<![A-Za-z0-9-])(?!\d{4}-\d\d-\d\d(?![A-Za-z0-9-]))"
    r"(?=[A-Za-z0-9-]*[0-9A-Z])[A-Za-z0-9][A-Za-z0-9-]{3,}(?![A-Za-z0-9])"
)
"""Four letters, figures or dashes, with a figure or a capital among them, that are no date."""

MIN_WORD = 4
"""Letters that a word has at least that says something of where a link leads."""


@cache
def _groups() -> dict[str, re.Pattern[str]]:
    raw: dict[str, list[Any]] = yaml.safe_load(
        (Path(__file__).parent / "data" / "words.yaml").read_text(encoding="utf-8")
    )
    return {group: re.compile("|".join(_pattern(str(word).lower()) for word in words)) for group, words in raw.items()}


def _pattern(word: str) -> str:
    return rf"\A{re.escape(word[1:])}\Z" if word.startswith("=") else re.escape(word)


@lru_cache(maxsize=1 << 15)
def means(group: str, text: str) -> bool:
    """Return whether a control's name or a line holds a word of a group of ``data/words.yaml``.

    A word that is written there with ``=`` before it must be the whole text.

    Raises:
        KeyError: There is no such group.
    """
    return _groups()[group].search(text.lower()) is not None


def prints_code(lines: Iterable[str], fields: Iterable[str], *, any_code: bool) -> bool:
    """Return whether the lines seem to print something to be typed into one of the fields.

    Args:
        lines: Lines of text; a label and its value may be two lines, one after the other.
        fields: Names of the fields; a line speaks of one when it holds the end of its name, which is the last word, or
            the last two characters where words are not set apart.
        any_code: Whether a line that speaks of any code will do.
    """
    endings = [_ending(name) for name in fields if len(name) > 1]
    shown = tuple(lines)
    pairs = (f"{line} {following}" for line, following in zip(shown, (*shown[1:], ""), strict=False))
    return any(
        _CODE.search(pair) and (any(e in pair.lower() for e in endings) or (any_code and means("code_line", pair)))
        for pair in pairs
    )


def share_a_word(name: str, other: str) -> bool:
    """Return whether two names share a word: one of four letters or more, or two characters of Chinese."""
    return not _words(name).isdisjoint(_words(other))


def _ending(name: str) -> str:
    return name.lower().split()[-1] if name.isascii() else name[-2:]


@lru_cache(maxsize=1 << 12)
def _words(name: str) -> frozenset[str]:
    letters = (word for word in re.findall(r"[a-z]+", name.lower()) if len(word) >= MIN_WORD)
    runs = re.findall(r"[\u4e00-\u9fff]+", name)
    return frozenset((*letters, *(run[i : i + 2] for run in runs for i in range(len(run) - 1))))
