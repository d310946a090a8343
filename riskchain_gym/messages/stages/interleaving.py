"""Characters put between, doubled or left out, outside the addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from riskchain_gym.messages.stages.base import Context, pick
from riskchain_gym.messages.stages.places import HAN, found_words, han_gaps, share
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True)
class Interleaved:
    """Put marks between Chinese characters.

    Attributes:
        marks: What is inserted.
        part: The share of the gaps that get a mark, 0 to 1; at least one does.
        name: Name of the stage and of its rule.
        mixed: Whether each gap draws its own mark; otherwise a message has one throughout.
    """

    marks: str
    part: float
    name: str
    mixed: bool = False

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a mark."""
        mark = rng.choice(self.marks)
        return tuple(
            Edit(start=i, before="", after=rng.choice(self.marks) if self.mixed else mark, rule=self.name)
            for i in share(han_gaps(text, context), self.part, rng)
        )


@dataclass(frozen=True)
class FilledPhrases:
    """Put a filler after every character of a phrase, with a cue before it that says so.

    A phrase is a stretch of Chinese characters.

    Attributes:
        fillers: What is put between, one of them a gap.
        cues: What says so, one of them a phrase.
        name: Name of the stage and of its rule.
        count: How many phrases, where there are that many.
        most: Length of a phrase at most; a longer stretch gives its first characters.
    """

    fillers: str
    cues: tuple[str, ...]
    name: str
    count: int
    most: int

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a cue and one a filler."""
        phrases = re.compile(f"[{HAN}]{{3,{self.most}}}")
        ends = {
            phrase.start(): phrase.end()
            for start, end in context.outside(text)
            for phrase in phrases.finditer(text, start, end)
        }
        edits: list[Edit] = []
        for start in pick(list(ends), self.count, rng):
            edits.append(Edit(start=start, before="", after=rng.choice(self.cues), rule=self.name))
            edits += (
                Edit(start=i, before="", after=rng.choice(self.fillers), rule=self.name)
                for i in range(start + 1, ends[start] + 1)
            )
        return tuple(edits)


@dataclass(frozen=True)
class RepeatedCharacters:
    """Write a share of the Chinese characters several times, at least one.

    Attributes:
        part: The share, 0 to 1.
        most: How often a character is repeated at most.
    """

    part: float
    most: int
    name: str = "repeated_characters"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a character."""
        places = [m.end() for start, end in context.outside(text) for m in _HAN.finditer(text, start, end)]
        return tuple(
            Edit(start=i, before="", after=text[i - 1] * rng.integer(1, self.most), rule=self.name)
            for i in share(places, self.part, rng)
        )


@dataclass(frozen=True)
class MissingCharacters:
    """Leave one character out of a share of the words of several characters, at least one.

    Attributes:
        part: The share of the words, 0 to 1.
    """

    part: float
    name: str = "missing_characters"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a word."""
        found = found_words(context.lexicon.pattern("readings"), text, context)
        edits: list[Edit] = []
        for start in share([i for i, word in found.items() if len(word) > 1], self.part, rng):
            place = rng.below(len(found[start]))
            edits.append(Edit(start=start + place, before=found[start][place], after="", rule=self.name))
        return tuple(edits)
