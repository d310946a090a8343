"""Addresses spelled out: letter names, sound-alike digits, words and pictures that begin with a letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from riskchain_gym.messages.techniques.base import (
    EN,
    ZH,
    Family,
    Language,
    Phase,
    Piece,
    Reversibility,
    RewriteAddresses,
    Technique,
)
from riskchain_gym.messages.techniques.cues import NO_CUE, Cue
from riskchain_gym.messages.techniques.exact import QUOTES, ExactCode, draw_share, is_mark, share_chance
from riskchain_gym.messages.techniques.word_files import spelling_file
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class Spellings:
    """What characters are written as.

    Attributes:
        words: Character to its spellings; no spelling opens another, of whatever character.
    """

    words: Mapping[str, tuple[str, ...]]

    @cached_property
    def meaning(self) -> Mapping[str, str]:
        """Spelling to its character."""
        return {word: character for character, words in self.words.items() for word in words}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A spelling."""
        return re.compile("|".join(map(re.escape, self.meaning)))

    @cached_property
    def own(self) -> frozenset[str]:
        """The characters of the spellings that are not spelled themselves, and the quotes."""
        return frozenset("".join(self.meaning) + QUOTES) - self.words.keys()


@cache
def _spellings(file: str, tables: tuple[str, ...]) -> Spellings:
    listed = spelling_file(file)
    words: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for character, spellings in (listed.rare if table == "rare" else listed.common).items():
            words[character] = words.get(character, ()) + spellings
    return Spellings(words)


@dataclass(frozen=True)
class Spelled(ExactCode):
    """Spell characters of a text; what has no spelling stays.

    A text that holds a character of the spellings or the separator already stays as it is.

    Attributes:
        file: Name of the file of spellings.
        tables: Which of its tables are used: ``common``, ``rare``.
        share: Share of the characters with a spelling that are spelled; 1 where letters are spelled in letters.
        separator: What stands between two characters, but beside a dot.
        cue: What is said about it.
    """

    file: str
    tables: tuple[str, ...] = ("common",)
    share: float = 1.0
    separator: str = ""
    cue: Cue = NO_CUE

    def leaves(self, text: str) -> bool:
        """Leave a text that holds a character of the spellings, or the separator."""
        own = _spellings(self.file, self.tables).own
        return any(c in own for c in text) or (self.separator != "" and self.separator in text)

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character, and the cue."""
        words = _spellings(self.file, self.tables).words
        places = [i for i, character in enumerate(text) if character in words]
        spelled = {places[place] for place in draw_share(len(places), self.share, rng)}
        pieces = [
            Piece(character, self._seam(text, i) + (rng.choice(words[character]) if i in spelled else character))
            for i, character in enumerate(text)
        ]
        return (*pieces, Piece("", self.cue.draw(rng)))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text that is spelled so."""
        if (found := self.cue.strip(shown)) is None:
            return None
        body, chance, _ = found
        spellings = _spellings(self.file, self.tables)
        text, parts, spelled, at = "", [""], 0, 0
        while at < len(body):
            if self.separator and body.startswith(self.separator, at):
                at += len(self.separator)
                if at == len(body):
                    return None
            word = spellings.pattern.match(body, at)
            parts.append(word[0] if word else body[at : at + 1])
            text += spellings.meaning[word[0]] if word else parts[-1]
            at += len(parts[-1])
            if word:
                spelled += 1
                chance /= len(spellings.words[text[-1]])
        if "".join(self._seam(text, i) + part for i, part in enumerate(parts[1:])) != body:
            return None
        chance *= share_chance(sum(c in spellings.words for c in text), self.share, spelled)
        return (text, chance) if chance else None

    def _seam(self, text: str, place: int) -> str:
        """Return what stands before a character of the text."""
        if not self.separator or not place or "." in text[place - 1 : place + 1] or is_mark(text[place]):
            return ""
        return self.separator


def _letter_words(name: str, language: Language, separators: tuple[str, str, str]) -> Technique:
    cue = Cue("letter_words", language)
    return Technique(
        name=name,
        summary="Every letter of the entry written as a word that begins with it.",
        family=Family.PHONETIC,
        types=("PHON.ALNUM_PHONETIC",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(
            name, Spelled(name, separator=separators[severity - 1], cue=cue if severity < 3 else NO_CUE)
        ),
        languages=ZH if language == "zh" else EN,
        held_out=True,
    )


_LEVELS = ((("common",), 0.5), (("common",), 1.0), (("common", "rare"), 1.0))

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="verbalized",
        summary="Letters of the entry written as characters that sound like their names, digits and dots in words.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.VERBALIZED_URL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("verbalized", Spelled("verbalized", *_LEVELS[severity - 1])),
        languages=ZH,
    ),
    Technique(
        name="digit_homophones",
        summary="Digits and dots of the entry written as characters that sound the same, at severity 3 as rare ones.",
        family=Family.PHONETIC,
        types=("PHON.ALNUM_PHONETIC",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(
            "digit_homophones",
            Spelled("digit_homophones", ("rare" if severity == 3 else "common",), 0.6 if severity == 1 else 1.0),
        ),
        languages=ZH,
    ),
    Technique(
        name="emoji_letters",
        summary="Letters of the entry shown as emoji whose English names begin with them.",
        family=Family.PLATFORM_MULTIMODAL,
        types=("PLATFORM.UNICODE_EMOJI_SEMANTIC", "PHON.ALNUM_PHONETIC"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("emoji_letters", Spelled("emoji_letters", *_LEVELS[severity - 1])),
        held_out=True,
    ),
    _letter_words("letter_words", "zh", ("、", "", "")),
    _letter_words("letter_words_en", "en", ("-", " ", " ")),
)
