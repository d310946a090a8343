"""The explorer's vocabulary: what controls and notices mean by their wording."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

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


@lru_cache(maxsize=1 << 12)
def words_of(name: str) -> frozenset[str]:
    """Return the words of a name: those of four letters or more, and every two characters of Chinese."""
    letters = (word for word in re.findall(r"[a-z]+", name.lower()) if len(word) >= MIN_WORD)
    runs = re.findall(r"[\u4e00-\u9fff]+", name)
    return frozenset((*letters, *(run[i : i + 2] for run in runs for i in range(len(run) - 1))))
