"""Spellings that are read as one: letter case, Traditional and Simplified characters, words of one region."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent / "data"
"""Where the reader's data files lie."""


@dataclass(frozen=True)
class Folding:
    """What is read as what.

    Attributes:
        characters: Character (its code point) and what stands for it.
        words: Word and what stands for it, after the characters have been replaced.
    """

    characters: dict[int, str]
    words: dict[str, str]

    def fold(self, text: str) -> str:
        """Return a text in the lexicon's spelling: lower case, simplified characters, its own words."""
        folded = text.lower().translate(self.characters)
        for word, own in self.words.items():
            folded = folded.replace(word, own)
        return folded


@cache
def default_folding() -> Folding:
    """Return the folding that ships with the package."""
    raw: dict[str, Any] = yaml.safe_load((DATA / "folding.yaml").read_text(encoding="utf-8"))
    pairs: list[str] = raw["characters"].split()
    return Folding({ord(pair[0]): pair[1] for pair in pairs}, dict(raw["words"]))
