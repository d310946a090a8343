"""Letters moved along the alphabet by a number that stands behind the entry."""

from __future__ import annotations

import string
from dataclasses import dataclass

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
from riskchain_gym.messages.techniques.cues import Cue
from riskchain_gym.messages.techniques.exact import ExactCode
from riskchain_gym.protocol.keyed import KeyedRandom

_SIGNS = {"back": 1, "ahead": -1}
"""Where the reader has to go, and the sign of the move that was made."""


@dataclass(frozen=True)
class ShiftedLetters(ExactCode):
    """Move every letter of a text, in a circle, and say how to move it back.

    Attributes:
        steps: The numbers of places that a letter may be moved by.
        digits: Whether digits move too.
        language: Language of the cue.
    """

    steps: tuple[int, ...]
    digits: bool
    language: Language

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character, and the cue."""
        direction = rng.choice(tuple(_SIGNS))
        step = rng.choice(self.steps)
        table = self._table(_SIGNS[direction] * step)
        cue = self._cue(direction).draw(rng, n=step)
        return (*(Piece(character, character.translate(table)) for character in text), Piece("", cue))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text with its letters moved back."""
        for direction, sign in _SIGNS.items():
            found = self._cue(direction).strip(shown)
            if found is not None and found[2]["n"] in self.steps:
                body, chance, numbers = found
                source = body.translate(self._table(-sign * numbers["n"]))
                return source, chance / len(self.steps) / len(_SIGNS)
        return None

    def _cue(self, direction: str) -> Cue:
        return Cue(f"shift_{'digits_' if self.digits else ''}{direction}", self.language)

    def _table(self, step: int) -> dict[int, str]:
        table: dict[int, str] = {}
        for ring in (string.ascii_lowercase, string.digits if self.digits else ""):
            table |= {ord(c): ring[(i + step) % len(ring)] for i, c in enumerate(ring)}
        return table


def _technique(name: str, language: Language) -> Technique:
    levels = (
        ShiftedLetters((1,), digits=False, language=language),
        ShiftedLetters((2, 3, 4, 5), digits=False, language=language),
        ShiftedLetters((2, 3, 4, 5), digits=True, language=language),
    )
    return Technique(
        name=name,
        summary="Every letter of the entry, at severity 3 every digit too, moved by a number that stands behind it.",
        family=Family.ENTRY_ENCODING,
        types=(),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(name, levels[severity - 1]),
        languages=ZH if language == "zh" else EN,
        held_out=True,
    )


TECHNIQUES: tuple[Technique, ...] = (_technique("shifted_letters", "zh"), _technique("shifted_letters_en", "en"))
