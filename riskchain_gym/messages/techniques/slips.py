"""Codes of the kind that typing errors make: swapped, mistyped and missing characters and dots.

They lose something for good, so several addresses lead to what they show: an ideal reader ranks them.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Literal

from riskchain_gym.messages.techniques.base import Piece
from riskchain_gym.messages.techniques.beam import likeliest
from riskchain_gym.messages.techniques.exact import clusters
from riskchain_gym.protocol.keyed import KeyedRandom

_KEY_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_CHARACTERS = string.ascii_lowercase + string.digits
_LAST_LABEL = "test"
_LONGEST_ENTRY = 18
"""Characters of the longest entry: labels of 8 and 4, ``test`` and two dots."""

NEIGHBOURS: Mapping[str, str] = {
    key: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    for row in _KEY_ROWS
    for place, key in enumerate(row)
}
"""Key to the keys beside it in its row: digits lie beside digits, letters beside letters."""


@dataclass(frozen=True)
class Swaps:
    """Swap neighbouring characters, from left to right; what was swapped is not swapped again.

    Dots stay, and so does all that follows the last one; a text longer than an entry stays altogether.

    Attributes:
        share: Chance of a swap at every place that allows one.
    """

    share: float

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return False

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the characters, swapped ones as pairs."""
        items = clusters(address)
        end = _end(items)
        swappable = len(items) <= _LONGEST_ENTRY
        pieces: list[Piece] = []
        at = 0
        while at < len(items):
            if swappable and _can_swap(items, at, end) and rng.chance(self.share):
                pieces.append(Piece(items[at] + items[at + 1], items[at + 1] + items[at]))
                at += 2
            else:
                pieces.append(Piece(items[at], items[at]))
                at += 1
        return tuple(pieces)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return what every choice of swaps gives when taken back."""
        items = clusters(shown)
        if len(items) > _LONGEST_ENTRY:
            return {shown: 1.0}
        end = _end(items)
        found: list[dict[str, float]] = [{"": 1.0}, *({} for _ in items)]
        for at, item in enumerate(items):
            swaps = _can_swap(items, at, end)
            for text, weight in likeliest(found[at]).items():
                _add(found[at + 1], text + item, weight * (1 - self.share if swaps else 1))
                if swaps:
                    _add(found[at + 2], text + items[at + 1] + item, weight * self.share)
        return found[-1]


@dataclass(frozen=True)
class KeySlips:
    """Replace characters of the first label by a neighbouring key of the same row.

    Attributes:
        count: How many are replaced (all, where there are fewer), every choice as likely as another.
    """

    count: int

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return False

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the characters, each with the one that is shown."""
        places = _keys_of_first_label(address)
        slips = set(rng.sample(places, min(self.count, len(places))))
        return tuple(
            Piece(character, rng.choice(NEIGHBOURS[character]) if place in slips else character)
            for place, character in enumerate(address)
        )

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return what every choice of slips gives when taken back."""
        places = _keys_of_first_label(shown)
        count = min(self.count, len(places))
        found: dict[str, float] = {}
        for slips in combinations(places, count):
            for keys in product(*(NEIGHBOURS[shown[place]] for place in slips)):
                characters = list(shown)
                for place, key in zip(slips, keys, strict=True):
                    characters[place] = key
                ways = comb(len(places), count) * prod(len(NEIGHBOURS[key]) for key in keys)
                _add(found, "".join(characters), 1 / ways)
        return found


@dataclass(frozen=True)
class LostDots:
    """Leave dots of an address out.

    Attributes:
        lost: ``one`` of them, whichever; the ``first``; or ``all``.
    """

    lost: Literal["one", "first", "all"]

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return True

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the labels and the dots, lost ones with nothing shown."""
        first, second, last = address.split(".")
        kept = {"one": rng.below(2) if self.lost == "one" else 0, "first": 1, "all": -1}[self.lost]
        dots = [Piece(".", "." if kept == number else "") for number in (0, 1)]
        return Piece(first, first), dots[0], Piece(second, second), dots[1], Piece(last, last)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the addresses with the lost dots put back wherever they can have stood."""
        kept = shown.count(".")
        if not shown.endswith(_LAST_LABEL) or kept != (0 if self.lost == "all" else 1):
            return {}
        weight = 0.5 if self.lost == "one" else 1.0
        head = shown.removesuffix(_LAST_LABEL)
        if kept and not head.endswith("."):
            return {f"{head}.{_LAST_LABEL}": weight} if self.lost == "one" else {}
        head = head.removesuffix(".")
        return {f"{head[:at]}.{head[at:]}.{_LAST_LABEL}": weight for at in range(len(head) + 1)}


@dataclass(frozen=True)
class LostCharacters:
    """Leave characters of an address out, every choice as likely as another; dots stay.

    Attributes:
        gap: What is shown in the place of a lost character; nothing when empty.
        both: Whether one is lost from the first two labels and one from the last, instead of one from anywhere.
    """

    gap: str = ""
    both: bool = False

    @property
    def whole_only(self) -> bool:
        """Whether it needs a whole plain address."""
        return True

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the characters, lost ones with the gap for them."""
        last = address.rindex(".")
        places = [place for place, character in enumerate(address) if character != "."]
        if self.both:
            lost = {rng.choice([p for p in places if p < last]), rng.choice([p for p in places if p > last])}
        else:
            lost = {rng.choice(places)}
        return tuple(Piece(c, self.gap if place in lost else c) for place, c in enumerate(address))

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the addresses with the lost characters put back, whichever they can have been."""
        head, _, tail = shown.rpartition(".")
        if head.count(".") != 1:
            return {}
        kept = sum(character not in (".", self.gap) for character in head)
        ways = [_LAST_LABEL[:at] + self.gap + _LAST_LABEL[at + 1 :] for at in range(len(_LAST_LABEL))].count(tail)
        if ways and not self.both:
            return {f"{head}.{_LAST_LABEL}": ways / (kept + len(_LAST_LABEL))}
        if self.both:
            chance = ways / len(_LAST_LABEL) / (kept + 1)
        else:
            chance = float(tail == _LAST_LABEL) / (kept + 1 + len(_LAST_LABEL))
        found: dict[str, float] = {}
        for place in range(len(head) + 1) if chance else ():
            if head.startswith(self.gap, place):
                before, after = head[:place], head[place + len(self.gap) :]
                for character in _CHARACTERS:
                    _add(found, f"{before}{character}{after}.{_LAST_LABEL}", chance)
        return found


def _add(found: dict[str, float], text: str, weight: float) -> None:
    found[text] = found.get(text, 0.0) + weight


def _end(items: list[str]) -> int:
    """Return where the last dot stands; the end where there is none."""
    return next((at for at in range(len(items) - 1, -1, -1) if _is_dot(items[at])), len(items))


def _can_swap(items: list[str], at: int, end: int) -> bool:
    return at + 1 < end and not _is_dot(items[at]) and not _is_dot(items[at + 1])


def _is_dot(item: str) -> bool:
    return item[0] == "."


def _keys_of_first_label(text: str) -> list[int]:
    return [place for place, character in enumerate(text.partition(".")[0]) if character in NEIGHBOURS]
