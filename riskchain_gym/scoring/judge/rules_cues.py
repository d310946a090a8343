"""The word lists of the rule judge, compiled once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from riskchain_gym.scoring.redaction.patterns import narrow

_DATA = Path(__file__).parent / "data"


class Cues:
    """The word lists: ``[wide]``, ``[telling]`` and ``[reason]`` of ``data/cues.toml``."""

    def __init__(self) -> None:
        raw = tomllib.loads((_DATA / "cues.toml").read_text(encoding="utf-8"))
        self.wide = {name: _any_of(words) for name, words in raw["wide"].items()}
        self.telling = {name: _any_of(words) for name, words in raw["telling"].items()}
        self.reason = {name: _any_of(words) for name, words in raw["reason"].items()}

    def holds(self, text: str, *names: str) -> bool:
        """Return whether a folded text holds a word of one of the lists, wide or telling."""
        return any(self.wide[name].search(text) or (name in self.telling and self.tells(text, name)) for name in names)

    def tells(self, text: str, *names: str) -> bool:
        """Return whether a folded text holds a telling word of one of the lists."""
        return any(self.telling[name].search(text) for name in names)


@cache
def cues() -> Cues:
    """Return the word lists, read once."""
    return Cues()


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return a text as word lists are: narrow, lower case, traditional characters of the lists as simplified ones."""
    text = narrow(text).lower()
    if text.isascii():
        return text
    characters, pattern, words = _simplified()
    return pattern.sub(lambda found: words[found.group()], text.translate(characters))


@cache
def _simplified() -> tuple[dict[int, str], re.Pattern[str], dict[str, str]]:
    """Return what is folded: single characters, then the words that Taiwan says otherwise, the longest first."""
    lines = (_DATA / "simplified.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [(traditional, simplified) for traditional, simplified in (line.split("\t") for line in lines)]
    characters = {ord(traditional): simplified for traditional, simplified in pairs if len(traditional) == 1}
    words = {traditional.translate(characters): simplified for traditional, simplified in pairs if len(traditional) > 1}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return characters, re.compile("|".join(map(re.escape, longest_first))), words


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(_begun(word) for word in dict.fromkeys(words)))


def _begun(word: str) -> str:
    """Return the pattern of a word. It begins with a letter, not with a look behind, so that search is fast."""
    if not (word[0].isascii() and word[0].isalpha()):
        return re.escape(word)
    return rf"{word[0]}(?<![a-z]{word[0]}){re.escape(word[1:])}"
