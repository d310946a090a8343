"""Word and character surrogates: what may stand in the place of plain wording, by pool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from riskchain_gym.messages.lexicon_files import Surrogates, read_lexicon
from riskchain_gym.messages.pools import Pool, pool_of_pair
from riskchain_gym.protocol.model import Frozen

Table = Literal[
    "homophones",
    "near_homophones",
    "glyphs",
    "splits",
    "stacked_splits",
    "nested_splits",
    "variants",
    "slang",
    "emoji",
    "oral",
    "signs",
]
"""Name of a table of pairs; each pair belongs to one pool."""

TABLES: tuple[Table, ...] = Table.__args__  # type: ignore[attr-defined]


class Lexicon(Frozen):
    """The surrogates a split draws from.

    Attributes:
        homophones: Word to words of the same length with the same toneless pinyin.
        near_homophones: Word to words of the same length whose pinyin differs as many speakers' does (``n``/``l``,
            ``zh``/``z``, ``ang``/``an`` …).
        glyphs: Character to characters that look like it; none of them is in ``splits``, so that no character is
            hidden twice.
        splits: Character to the characters it is written as side by side.
        stacked_splits: Character to its parts from top to bottom or from the outside in.
        nested_splits: Character to its parts with one or all of them split again.
        variants: Character to its traditional and other variant forms.
        slang: Word to code words, which only the list or the context tells.
        emoji: Word to emoji.
        oral: Word to spellings by ear.
        signs: Character to digits or letters that sound like it.
        readings: Word to its pinyin syllables, each with the digit of its tone. No pairs: the same in every pool.
        initials: Those readings whose first letters may stand for the word: the others' are read as a coarse word.
    """

    homophones: Surrogates
    near_homophones: Surrogates
    glyphs: Surrogates
    splits: Surrogates
    stacked_splits: Surrogates
    nested_splits: Surrogates
    variants: Surrogates
    slang: Surrogates
    emoji: Surrogates
    oral: Surrogates
    signs: Surrogates
    readings: Surrogates
    initials: Surrogates = Field(default_factory=dict)

    def for_pool(self, pool: Pool) -> Lexicon:
        """Return the lexicon with the pairs of one pool only; sources that have none left are gone."""
        return self._by_pool[pool]

    def table(self, name: Table) -> Surrogates:
        """Return a table by name."""
        table: Surrogates = getattr(self, name)
        return table

    def pattern(self, name: Table | Literal["readings", "initials"]) -> re.Pattern[str]:
        """Return what finds the sources of a table in a text, the longest first."""
        if name not in self._patterns:
            self._patterns[name] = _pattern(getattr(self, name))
        return self._patterns[name]

    @property
    def word_pattern(self) -> re.Pattern[str]:
        """What finds the words that have sound-alikes, the longest first."""
        return self.pattern("homophones")

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def _by_pool(self) -> dict[Pool, Lexicon]:
        parts: dict[Pool, dict[Table, Surrogates]] = {pool: {name: {} for name in TABLES} for pool in Pool}
        for name in TABLES:
            for source, surrogates in self.table(name).items():
                for surrogate in surrogates:
                    mine = parts[pool_of_pair(source, surrogate)][name]
                    mine[source] = (*mine.get(source, ()), surrogate)
        return {
            pool: Lexicon.model_construct(None, **tables, readings=self.readings, initials=self.initials)
            for pool, tables in parts.items()
        }


def load_lexicon(folder: Path) -> Lexicon:
    """Return the lexicon of a folder (its files: :func:`~riskchain_gym.messages.lexicon_files.read_lexicon`).

    Raises:
        InputFileError: A file is missing or wrong.
    """
    return Lexicon.model_construct(None, **read_lexicon(folder))


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that tries, at each place, only the words with the character that stands there."""
    tails: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        tails.setdefault(word[0], []).append(re.escape(word[1:]))
    if all(rest == [""] for rest in tails.values()):
        return re.compile(f"[{re.escape(''.join(tails))}]" if tails else r"(?!)")
    return re.compile("|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in tails.items()))
