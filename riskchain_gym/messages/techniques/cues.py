"""Cues: what an entry says about how to read it, written directly behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from riskchain_gym.messages.techniques.base import Language
from riskchain_gym.messages.techniques.word_files import cue_texts
from riskchain_gym.protocol.keyed import KeyedRandom

_NUMBERS: dict[Language, tuple[str, ...]] = {
    "zh": ("零", "一", "两", "三", "四", "五", "六", "七", "八", "九"),
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
}


@dataclass(frozen=True)
class Cue:
    """A cue in several wordings, one of them drawn.

    Attributes:
        name: Its name in ``cues.toml``, or ``""`` for none at all.
        language: Language of the wording.
    """

    name: str = ""
    language: Language = "zh"

    def draw(self, rng: KeyedRandom, **numbers: int) -> str:
        """Return a wording with these numbers, from 0 to 9, in words."""
        words = {name: _NUMBERS[self.language][number] for name, number in numbers.items()}
        return rng.choice(cue_texts(self.language, self.name)).format(**words) if self.name else ""

    def strip(self, shown: str) -> tuple[str, float, dict[str, int]] | None:
        """Return what stands before the cue, the cue's probability and its numbers; ``None`` without a cue."""
        if not self.name:
            return shown, 1.0, {}
        patterns = _patterns(self.language, self.name)
        for pattern in patterns:
            if found := pattern.search(shown):
                words = _NUMBERS[self.language]
                numbers = {name: words.index(word) for name, word in found.groupdict().items()}
                return shown[: found.start()], 1 / len(patterns), numbers
        return None


NO_CUE = Cue()
"""Nothing is said."""


@cache
def _patterns(language: Language, name: str) -> tuple[re.Pattern[str], ...]:
    number = "|".join(_NUMBERS[language])
    return tuple(
        re.compile(re.sub(r"\\{(\w+)\\}", rf"(?P<\1>{number})", re.escape(text)) + r"\Z")
        for text in cue_texts(language, name)
    )
