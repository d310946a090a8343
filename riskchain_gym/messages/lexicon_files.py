"""The lexicon's files: read, checked and put together as tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator, model_validator

from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.sounds import near_sound_alikes, sound_alikes
from riskchain_gym.messages.splitting import nested_splits, with_forms
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen

Surrogates = dict[str, tuple[str, ...]]
"""What may stand in the place of a word or character."""

_SYLLABLE = re.compile(r"[a-z]{1,6}[1-5]")


def _spaced(raw: object) -> object:
    return tuple(raw.split()) if isinstance(raw, str) else raw


def _no_twins(table: Surrogates) -> Surrogates:
    for source, surrogates in table.items():
        if source in surrogates or len(set(surrogates)) != len(surrogates):
            raise ValueError(f"'{source}' lists itself or a surrogate twice")
    return table


Spaced = Annotated[tuple[str, ...], BeforeValidator(_spaced), Field(min_length=1)]
"""Texts in one string, spaces between them."""


class _Words(Frozen):
    words: dict[str, Spaced]

    @field_validator("words")
    @classmethod
    def _one_syllable_a_character(cls, words: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for word, syllables in words.items():
            if len(word) != len(syllables) or not all(map(_SYLLABLE.fullmatch, syllables)):
                raise ValueError(f"'{word}' needs one syllable a character, each with the digit of its tone")
        return words


class _Sounds(Frozen):
    sounds: dict[str, Annotated[str, Field(min_length=1)]]

    @field_validator("sounds")
    @classmethod
    def _once(cls, sounds: dict[str, str]) -> dict[str, str]:
        for syllable, characters in sounds.items():
            if len(set(characters)) != len(characters):
                raise ValueError(f"'{syllable}' lists a character twice")
        return sounds


class _Homophones(Frozen):
    homophones: dict[str, Spaced]

    @field_validator("homophones")
    @classmethod
    def _same_length(cls, table: Surrogates) -> Surrogates:
        for word, surrogates in _no_twins(table).items():
            if any(len(s) != len(word) for s in surrogates):
                raise ValueError(f"'{word}' needs surrogates of its own length")
        return table


class _Unwritten(Frozen):
    sound_alikes: Spaced
    initials: Spaced


class _Avoided(Frozen):
    avoided: _Unwritten


class _Glyphs(Frozen):
    glyphs: dict[str, Spaced]

    @field_validator("glyphs")
    @classmethod
    def _single(cls, table: Surrogates) -> Surrogates:
        return _single_characters(table)


class _Variants(Frozen):
    variants: dict[str, Spaced]

    @field_validator("variants")
    @classmethod
    def _single(cls, table: Surrogates) -> Surrogates:
        return _single_characters(table)


class _Splits(Frozen):
    side: dict[str, Spaced]
    stacked: dict[str, Spaced]
    forms: dict[str, Spaced]

    @field_validator("side", "stacked")
    @classmethod
    def _parts(cls, table: Surrogates) -> Surrogates:
        for source, surrogates in _no_twins(table).items():
            if len(source) != 1 or any(len(s) < 2 for s in surrogates):
                raise ValueError(f"'{source}' must be one character and its parts at least two")
        return table

    @model_validator(mode="after")
    def _unlike(self) -> _Splits:
        seen: dict[str, str] = {}
        for source, surrogates in (*self.side.items(), *self.stacked.items()):
            for parts in surrogates:
                if parts in seen:
                    raise ValueError(f"'{source}' and '{seen[parts]}' have the parts '{parts}': drop one of them")
                seen[parts] = source
        return self


class _Codes(Frozen):
    slang: dict[str, Spaced]

    @field_validator("slang")
    @classmethod
    def _one_meaning(cls, table: Surrogates) -> Surrogates:
        seen: dict[str, str] = {}
        for word, codes in _no_twins(table).items():
            for code in codes:
                if code in seen or code in table:
                    raise ValueError(f"'{code}' stands for '{word}' and is a word or another word's code")
                seen[code] = word
        return table


class _Emoji(Frozen):
    emoji: dict[str, Spaced]

    _differ = field_validator("emoji")(_no_twins)


class _Speech(Frozen):
    oral: dict[str, Spaced]
    signs: dict[str, Spaced]

    _differ = field_validator("oral", "signs")(_no_twins)


def _single_characters(table: Surrogates) -> Surrogates:
    for source, surrogates in _no_twins(table).items():
        if len(source) != 1 or any(len(s) != 1 for s in surrogates):
            raise ValueError(f"'{source}' and what stands for it must be single characters")
    return table


def read_lexicon(folder: Path) -> dict[str, Surrogates]:
    """Return the tables of a lexicon's folder by name, ``readings`` and ``initials``.

    Its files are ``words``, ``sounds``, ``homophones``, ``glyphs``, ``splits``, ``variants``, ``slang``, ``emoji``,
    ``speech`` and ``avoided``, each ``.toml``. Sound-alikes are derived from words and sounds, beside those that
    ``homophones`` lists, without those that hold an avoided one; splits with whole characters for radicals and nested
    splits from the other splits.

    Raises:
        InputFileError: A file is missing or wrong.
    """
    words = load_toml(folder / "words.toml", _Words).words
    sounds = load_toml(folder / "sounds.toml", _Sounds).sounds
    listed = load_toml(folder / "homophones.toml", _Homophones).homophones
    avoided = load_toml(folder / "avoided.toml", _Avoided).avoided
    glyphs = load_toml(folder / "glyphs.toml", _Glyphs).glyphs
    splits = load_toml(folder / "splits.toml", _Splits)
    speech = load_toml(folder / "speech.toml", _Speech)
    _check_glyphs(folder / "glyphs.toml", glyphs, splits.side)
    side = with_forms(splits.side, splits.forms, splits.stacked)
    stacked = with_forms(splits.stacked, splits.forms, side)
    return {
        "homophones": _without(_merged(listed, sound_alikes(words, sounds)), avoided.sound_alikes),
        "near_homophones": _without(near_sound_alikes(words, sounds), avoided.sound_alikes),
        "glyphs": glyphs,
        "splits": side,
        "stacked_splits": stacked,
        "nested_splits": nested_splits(side, stacked),
        "variants": load_toml(folder / "variants.toml", _Variants).variants,
        "slang": load_toml(folder / "slang.toml", _Codes).slang,
        "emoji": load_toml(folder / "emoji.toml", _Emoji).emoji,
        "oral": speech.oral,
        "signs": speech.signs,
        "readings": words,
        "initials": {w: r for w, r in words.items() if "".join(s[0] for s in r) not in avoided.initials},
    }


def _check_glyphs(path: Path, glyphs: Surrogates, splits: Surrogates) -> None:
    for source, surrogates in glyphs.items():
        if twice := [s for s in surrogates if s in splits]:
            raise InputFileError(
                path, "glyphs", f"'{twice[0]}' stands for '{source}' and has a split, drop one of them"
            )


def _merged(one: Surrogates, other: Surrogates) -> Surrogates:
    return {word: tuple(dict.fromkeys((*one.get(word, ()), *other.get(word, ())))) for word in one | other}


def _without(table: Surrogates, avoided: tuple[str, ...]) -> Surrogates:
    kept = {word: tuple(s for s in some if not any(a in s for a in avoided)) for word, some in table.items()}
    return {word: some for word, some in kept.items() if some}
