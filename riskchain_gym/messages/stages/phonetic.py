"""Words spelt in Latin letters: their pinyin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.stages.places import found_words, share
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

Spelling = Literal["full_pinyin", "tone_digits", "pinyin_initials"]

_TONES = "12345"
_SPELL: Mapping[Spelling, Callable[[str], str]] = {
    "full_pinyin": lambda syllable: syllable.rstrip(_TONES),
    "tone_digits": lambda syllable: syllable,
    "pinyin_initials": lambda syllable: syllable[0],
}


@dataclass(frozen=True)
class Pinyin:
    """Write a share of the words that have a reading in Latin letters, at least one.

    Words whose first letters are read as something coarse have no initials.

    Attributes:
        spelling: ``full_pinyin`` (``kefu``), ``tone_digits`` (``ke4fu2``) or ``pinyin_initials`` (``kf``).
        part: The share of the words, 0 to 1.
    """

    spelling: Spelling
    part: float

    @property
    def name(self) -> str:
        """The spelling's name."""
        return self.spelling

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a word."""
        table: Literal["readings", "initials"] = "initials" if self.spelling == "pinyin_initials" else "readings"
        readings = getattr(context.lexicon, table)
        spell = _SPELL[self.spelling]
        found = found_words(context.lexicon.pattern(table), text, context)
        return tuple(
            Edit(start=i, before=found[i], after="".join(map(spell, readings[found[i]])), rule=self.name)
            for i in share(list(found), self.part, rng)
        )
