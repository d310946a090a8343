"""Labels with look-alike letters of other scripts, written in the ASCII form of internationalized names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import comb

from riskchain_gym.messages.entries import ENTRY_PATTERN
from riskchain_gym.messages.techniques.base import Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.exact import ExactCode
from riskchain_gym.messages.techniques.word_files import spelling_file
from riskchain_gym.protocol.keyed import KeyedRandom

_PREFIX = "xn--"


@cache
def _letters() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, str]]:
    look_alikes = spelling_file("idn_letters").common
    return look_alikes, {other: letter for letter, others in look_alikes.items() for other in others}


@dataclass(frozen=True)
class Punycode(ExactCode):
    """Give letters of the first two labels look-alikes and write these labels as ``xn--…``.

    Attributes:
        severity: 1: one letter; 2: half of the letters of each label, rounded up; 3: every letter.
    """

    severity: int

    @property
    def whole_only(self) -> bool:
        """True: a look-alike is folded back to the letter of a plain address."""
        return True

    def leaves(self, text: str) -> bool:
        """Leave what is no plain address."""
        return ENTRY_PATTERN.fullmatch(text) is None

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a label, and the dots."""
        look_alikes, _ = _letters()
        *labels, last = text.split(".")
        pieces: list[Piece] = []
        for label, count in zip(labels, self._counts(labels), strict=True):
            characters = list(label)
            for i in rng.sample([i for i, c in enumerate(label) if c in look_alikes], count):
                characters[i] = rng.choice(look_alikes[label[i]])
            shown = _PREFIX + "".join(characters).encode("punycode").decode() if count else label
            pieces += (Piece(label, shown), Piece(".", "."))
        return (*pieces, Piece(last, last))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the address with its look-alikes folded back."""
        *written, last = shown.split(".")
        look_alikes, folds = _letters()
        labels: list[str] = []
        replaced: list[int] = []
        chance = 1.0
        for label in written:
            if (characters := _decoded(label)) is None:
                return None
            folded = "".join(folds.get(c, c) for c in characters)
            foreign = [plain for plain, c in zip(folded, characters, strict=True) if plain != c]
            for plain in foreign:
                chance /= len(look_alikes[plain])
            chance /= comb(sum(c in look_alikes for c in folded), len(foreign))
            labels.append(folded)
            replaced.append(len(foreign))
        return (".".join((*labels, last)), chance) if replaced == self._counts(labels) else None

    def _counts(self, labels: list[str]) -> list[int]:
        """Return how many letters of each label are replaced."""
        letters = [sum(c in _letters()[0] for c in label) for label in labels]
        if self.severity == 1:
            first = next((i for i, count in enumerate(letters) if count), -1)
            return [int(i == first) for i in range(len(labels))]
        return [(count + 1) // 2 if self.severity == 2 else count for count in letters]


def _decoded(label: str) -> str | None:
    if not label.startswith(_PREFIX):
        return label
    try:
        decoded = label.removeprefix(_PREFIX).encode("ascii").decode("punycode")
        return decoded if _PREFIX + decoded.encode("punycode").decode() == label else None
    except ValueError:
        return None


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="punycode",
        summary="Labels of the entry with look-alike letters of other scripts, in their ASCII form xn--….",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.PUNYCODE", "ENTRY.IDN_UNICODE"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("punycode", Punycode(severity)),
    ),
)
