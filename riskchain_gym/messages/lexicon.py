"""Word and character surrogates: sound-alikes, look-alikes and split characters."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.pools import Pool, pool_of_pair
from riskchain_gym.protocol.model import Frozen

Surrogates = dict[str, Annotated[tuple[str, ...], Field(min_length=1)]]
"""What may stand in the place of a word or character."""


class Lexicon(Frozen):
    """The surrogates a split draws from.

    Attributes:
        homophones: Word to words of the same length with the same toneless pinyin.
        glyphs: Character to characters that look like it; none of them has a split, so that no character is hidden
            twice.
        splits: Character to the characters it is written as side by side.
    """

    homophones: Surrogates
    glyphs: Surrogates
    splits: Surrogates

    @field_validator("homophones", "glyphs", "splits")
    @classmethod
    def _differ(cls, table: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for source, surrogates in table.items():
            if source in surrogates or len(set(surrogates)) != len(surrogates):
                raise ValueError(f"'{source}' lists itself or a surrogate twice")
        return table

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        for word, surrogates in self.homophones.items():
            if any(len(s) != len(word) for s in surrogates):
                raise ValueError(f"homophones: '{word}' needs surrogates of its own length")
        for source, surrogates in self.glyphs.items():
            if len(source) != 1 or any(len(s) != 1 for s in surrogates):
                raise ValueError(f"glyphs: '{source}' and its look-alikes must be single characters")
            if twice := [s for s in surrogates if s in self.splits]:
                raise ValueError(f"glyphs: '{twice[0]}' stands for '{source}' and has a split, drop one of them")
        for source, surrogates in self.splits.items():
            if len(source) != 1 or any(len(s) < 2 for s in surrogates):
                raise ValueError(f"splits: '{source}' must be one character and its parts at least two")
        return self

    def for_pool(self, pool: Pool) -> Lexicon:
        """Return the lexicon with the pairs of one pool only; sources that have none left are gone."""
        tables = {}
        for name in ("homophones", "glyphs", "splits"):
            table: Surrogates = getattr(self, name)
            mine = {
                source: tuple(s for s in surrogates if pool_of_pair(name, source, s) is pool)
                for source, surrogates in table.items()
            }
            tables[name] = {source: surrogates for source, surrogates in mine.items() if surrogates}
        return Lexicon(**tables)

    @cached_property
    def word_pattern(self) -> re.Pattern[str]:
        """The words that have sound-alikes, longest first."""
        return re.compile(
            "|".join(re.escape(w) for w in sorted(self.homophones, key=lambda w: (-len(w), w))) or r"(?!)"
        )


def load_lexicon(path: Path) -> Lexicon:
    """Return the lexicon of a folder.

    Raises:
        InputFileError: A file is wrong.
    """
    return load_toml(path / "tables.toml", Lexicon)
