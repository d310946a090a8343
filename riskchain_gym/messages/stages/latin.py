"""Words in Latin script: letters replaced, drawn apart, doubled or left out, outside the addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.stages.places import share
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

_WORD = re.compile(r"[A-Za-z]{3,}")
_VOWELS = frozenset("aeiou")


def _words(text: str, context: Context) -> list[tuple[int, int]]:
    """Return the spans of the words of three letters and more outside the addresses."""
    return [word.span() for start, end in context.outside(text) for word in _WORD.finditer(text, start, end)]


@dataclass(frozen=True)
class ReplacedLetters:
    """Put another character in the place of a share of the letters of words, at least one.

    Attributes:
        letters: Letter to what may stand in its place.
        part: The share of the letters that have such characters, 0 to 1.
        name: Name of the stage and of its rule.
    """

    letters: Mapping[str, str]
    part: float
    name: str

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a letter."""
        places = [i for start, end in _words(text, context) for i in range(start, end) if text[i] in self.letters]
        return tuple(
            Edit(start=i, before=text[i], after=rng.choice(self.letters[text[i]]), rule=self.name)
            for i in share(places, self.part, rng)
        )


@dataclass(frozen=True)
class LoosenedWords:
    """Put a mark between all letters of a share of the words, of one word at least.

    Attributes:
        marks: What is inserted, one of them a gap.
        part: The share of the words, 0 to 1.
        name: Name of the stage and of its rule.
    """

    marks: str
    part: float
    name: str

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a mark."""
        ends = dict(_words(text, context))
        return tuple(
            Edit(
                start=i, before="", after=rng.choice(self.marks) if len(self.marks) > 1 else self.marks, rule=self.name
            )
            for start in share(list(ends), self.part, rng)
            for i in range(start + 1, ends[start])
        )


@dataclass(frozen=True)
class DroppedVowels:
    """Leave the inner vowels out of a share of the words, of one word at least.

    Attributes:
        part: The share of the words that have some, 0 to 1.
    """

    part: float
    name: str = "vowel_drop"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a vowel."""
        ends = {start: end for start, end in _words(text, context) if _inner_vowels(text, start, end)}
        return tuple(
            Edit(start=i, before=text[i], after="", rule=self.name)
            for start in share(list(ends), self.part, rng)
            for i in _inner_vowels(text, start, ends[start])
        )


def _inner_vowels(text: str, start: int, end: int) -> list[int]:
    return [i for i in range(start + 1, end - 1) if text[i].lower() in _VOWELS]


@dataclass(frozen=True)
class DrawnOutLetters:
    """Repeat one letter in a share of the words, in one word at least.

    Attributes:
        part: The share of the words, 0 to 1.
        most: How often the letter is repeated at most.
    """

    part: float
    most: int
    name: str = "repeated_letters"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a word."""
        ends = dict(_words(text, context))
        edits: list[Edit] = []
        for start in share(list(ends), self.part, rng):
            place = start + rng.below(ends[start] - start)
            after = text[place] * rng.integer(1, self.most)
            edits.append(Edit(start=place + 1, before="", after=after, rule=self.name))
        return tuple(edits)
