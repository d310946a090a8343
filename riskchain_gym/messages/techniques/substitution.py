"""A code that writes units of an address in other forms, each unit for itself, with its exact inverse."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from riskchain_gym.messages.techniques.base import Piece
from riskchain_gym.messages.techniques.beam import likeliest
from riskchain_gym.protocol.keyed import KeyedRandom

_PLAIN = frozenset(string.ascii_lowercase + string.digits + ".")


@dataclass(frozen=True)
class Substitution:
    """Write units in other forms.

    An address is cut into units from the left: a pair of characters where the pair has forms, else one character.
    Every unit that has forms is replaced with the same chance, whatever its neighbours; each of its forms is as likely
    as another. Different units may share a form: then a reader cannot tell them apart.

    A text that already holds one of the code's own characters (others than letters, digits and dots) stays as it is,
    so what the code has written is never mistaken for what another wrote before it.

    Attributes:
        forms: Unit, of one or two characters, to what may be shown for it.
        share: Chance that a unit is replaced.
        last_label: Whether what follows the last dot is written too; dots must have no forms if not.
    """

    forms: Mapping[str, tuple[str, ...]]
    share: float
    last_label: bool = True

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return False

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address in units, each with what is shown for it."""
        if not self._marks.isdisjoint(address):
            return (Piece(address, address),)
        end = self._end(address)
        pieces: list[Piece] = []
        for unit in self._units.findall(address, 0, end) if self._units else address[:end]:
            forms = self.forms.get(unit)
            pieces.append(Piece(unit, rng.choice(forms) if forms and rng.chance(self.share) else unit))
        return (*pieces, Piece(address[end:], address[end:]))

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return every text that can be shown so, with its probability: a sum over the ways to cut ``shown``."""
        end = self._end(shown)
        found: list[dict[tuple[str, str], float]] = [{("", ""): 1.0}, *({} for _ in range(end))]
        for at, character in enumerate(shown[:end]):
            if not (here := likeliest(found[at])):
                continue
            for form, unit, likelihood in self._readings.get(character, ()) or self._untouched(character):
                if not shown.startswith(form, at, end):
                    continue
                there = found[at + len(form)]
                for (head, last), weight in here.items():
                    if len(last) == 1 and last + unit[0] in self.forms:
                        continue  # nobody would have cut the text between these two
                    key = (head + last, unit)
                    there[key] = there.get(key, 0.0) + weight * likelihood
        sources: dict[str, float] = {} if self._marks.isdisjoint(shown) else {shown: 1.0}
        for (head, last), weight in found[-1].items():
            source = head + last + shown[end:]
            sources[source] = sources.get(source, 0.0) + weight
        return sources

    def _end(self, text: str) -> int:
        last = -1 if self.last_label else text.rfind(".")
        return len(text) if last < 0 else last

    @cached_property
    def _marks(self) -> frozenset[str]:
        return frozenset("".join(form for forms in self.forms.values() for form in forms)) - _PLAIN

    @cached_property
    def _units(self) -> re.Pattern[str] | None:
        pairs = [unit for unit in self.forms if len(unit) > 1]
        return re.compile("|".join([*(re.escape(unit) for unit in pairs), "."]), re.DOTALL) if pairs else None

    @cached_property
    def _readings(self) -> Mapping[str, tuple[tuple[str, str, float], ...]]:
        """First shown character to the forms that open with it: form, unit, probability."""
        readings: dict[str, list[tuple[str, str, float]]] = {}
        for unit, forms in self.forms.items():
            if self.share < 1:
                readings.setdefault(unit[0], []).append((unit, unit, 1 - self.share))
            for form in forms:
                readings.setdefault(form[0], []).append((form, unit, self.share / len(forms)))
        for first in readings:
            readings[first] += self._untouched(first)
        return {first: tuple(ways) for first, ways in readings.items()}

    def _untouched(self, character: str) -> tuple[tuple[str, str, float], ...]:
        if character in self.forms or character in self._marks:
            return ()
        return ((character, character, 1.0),)
