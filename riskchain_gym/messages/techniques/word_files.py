"""The word lists of the entry techniques: files of ``data/entry_words/``, read once when first asked for."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from riskchain_gym.messages.bank import DATA
from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.techniques.base import Language
from riskchain_gym.protocol.model import Frozen

FOLDER = DATA / "entry_words"
"""Where the lists lie."""

Words = Annotated[tuple[str, ...], Field(min_length=1)]


class SpellingFile(Frozen):
    """What characters may be written as.

    Attributes:
        common: Character to its usual spellings.
        rare: Character to harder ones.
    """

    common: dict[str, Words]
    rare: dict[str, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _readable(self) -> Self:
        if odd := [c for c in (*self.common, *self.rare) if len(c) != 1]:
            raise ValueError(f"'{odd[0]}' is not one character")
        words = sorted(w for table in (self.common, self.rare) for spellings in table.values() for w in spellings)
        if clash := [(a, b) for a, b in pairwise(words) if b.startswith(a)]:
            raise ValueError("'{}' opens '{}', so that nobody can tell them apart".format(*clash[0]))
        return self


class CueFile(Frozen):
    """What an entry says about how to read it, by language and name; numbers stand in braces."""

    zh: dict[str, Words]
    en: dict[str, Words]

    @field_validator("zh", "en")
    @classmethod
    def _closed(cls, cues: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for cue in (cue for texts in cues.values() for cue in texts):
            if cue[0] not in "（(" or cue[-1] not in "）)" or any(c in "（）()" for c in cue[1:-1]):
                raise ValueError(f"'{cue}' must stand in one pair of parentheses")
        if twice := [name for name, texts in cues.items() if len(set(texts)) != len(texts)]:
            raise ValueError(f"'{twice[0]}' lists a wording twice")
        return cues


class LineFile(Frozen):
    """Lines that say nothing."""

    lines: Words

    @field_validator("lines")
    @classmethod
    def _tellable(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            if near := [other for other in lines if other != line and (other.startswith(line) or other.endswith(line))]:
                raise ValueError(f"'{line}' opens or ends '{near[0]}', so that nobody can tell them apart")
        if len(set(lines)) != len(lines):
            raise ValueError("a line is listed twice")
        return lines


@cache
def spelling_file(name: str) -> SpellingFile:
    """Return a table of spellings.

    Raises:
        InputFileError: The file is wrong.
    """
    return load_toml(FOLDER / f"{name}.toml", SpellingFile)


@cache
def cue_texts(language: Language, name: str) -> tuple[str, ...]:
    """Return the wordings of a cue.

    Raises:
        InputFileError: The file is wrong.
    """
    cues = load_toml(FOLDER / "cues.toml", CueFile)
    return (cues.zh if language == "zh" else cues.en)[name]


@cache
def acrostic_lines() -> tuple[str, ...]:
    """Return the lines that an acrostic is made of.

    Raises:
        InputFileError: The file is wrong.
    """
    return load_toml(FOLDER / "acrostic_lines.toml", LineFile).lines
