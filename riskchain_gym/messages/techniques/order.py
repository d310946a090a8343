"""Addresses in another order: backwards, with strange characters between theirs, or cut into parts out of turn."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, factorial

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
from riskchain_gym.messages.techniques.exact import QUOTES, ExactCode, clusters, is_mark
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class Reversed(ExactCode):
    """Write a text backwards.

    Attributes:
        labels: Whether only the order of the labels is turned; a text without a dot stays.
        cue: What is said about it.
    """

    labels: bool
    cue: Cue

    def leaves(self, text: str) -> bool:
        """Leave a text that has nothing to turn, or whose first character is a mark and would change its bearer."""
        return "." not in text if self.labels else is_mark(text[:1])

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece."""
        return (Piece(text, self._turned(text) + self.cue.draw(rng)),)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text turned back."""
        found = self.cue.strip(shown)
        if found is None or (not self.labels and is_mark(found[0][:1])):
            return None
        return self._turned(found[0]), found[1]

    def _turned(self, text: str) -> str:
        if self.labels:
            return ".".join(reversed(text.split(".")))
        return "".join(reversed(clusters(text)))


_JUNK = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class Interspersed(ExactCode):
    """Put letters and digits that mean nothing between the characters of a text.

    Attributes:
        between: How many between two characters.
        same: Whether it is the same one everywhere.
        cue: What is said about it.
    """

    between: int
    same: bool
    cue: Cue

    def leaves(self, text: str) -> bool:
        """Leave a text whose first character is a mark."""
        return is_mark(text[:1])

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character, the junk after it, and the cue."""
        parts = clusters(text)
        junk = rng.choice(_JUNK)
        pieces = [
            Piece(part, part + "".join(junk if self.same else rng.choice(_JUNK) for _ in range(self.between)))
            for part in parts[:-1]
        ]
        return (*pieces, Piece(parts[-1], parts[-1] + self.cue.draw(rng)))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return every character that is no junk."""
        if (found := self.cue.strip(shown)) is None:
            return None
        body, chance, _ = found
        parts = clusters(body)
        period = self.between + 1
        junk = [part for i, part in enumerate(parts) if i % period]
        if len(parts) % period != 1 or any(part not in _JUNK for part in junk) or (self.same and len({*junk}) > 1):
            return None
        drawn = min(1, len(junk)) if self.same else len(junk)
        return "".join(parts[::period]), chance * float(len(_JUNK)) ** -drawn


_ORDINALS = (
    ("第一段", "第二段", "第三段", "第四段", "第五段", "第六段"),
    ("甲", "乙", "丙", "丁", "戊", "己"),
    ("①", "②", "③", "④", "⑤", "⑥"),
)
_OWN = "第甲乙丙丁戊己①②③④⑤⑥" + QUOTES
_BETWEEN = "，"
_MARK = "|".join(ordinal for ordinals in _ORDINALS for ordinal in ordinals)
_MARK_AND_TEXT = re.compile(f"({_MARK})([^{_OWN}]*){_BETWEEN}")
_TEXT_AND_MARK = re.compile(f"{_BETWEEN}([^{_OWN}]*)({_MARK})")


@dataclass(frozen=True)
class ComponentSplit(ExactCode):
    """Give the parts of a text out of turn, each with its number.

    A text that holds a number's character stays, and so does one that cannot be cut.

    Attributes:
        parts: How many parts; 0 cuts at the dots, which are then not written.
        behind: Whether a part's number stands behind it.
    """

    parts: int
    behind: bool = False

    def leaves(self, text: str) -> bool:
        """Leave a text that has no two parts, or too many, or a number's character."""
        total = self._total(text)
        return not 2 <= total <= len(_ORDINALS[0]) or is_mark(text[:1]) or any(c in _OWN for c in text)

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece."""
        units = clusters(text)
        total = self._total(text)
        parts = text.split(".")
        if self.parts:
            cuts = [0, *sorted(rng.sample(range(1, len(units)), total - 1)), len(units)]
            parts = ["".join(units[start:end]) for start, end in pairwise(cuts)]
        order = list(range(total))
        while order == sorted(order):
            rng.shuffle(order)
        ordinals = rng.choice(_ORDINALS)
        return (Piece(text, self._written([(ordinals[i], parts[i]) for i in order])),)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the parts in the order of their numbers."""
        items = self._items(shown)
        ordinals = next((o for o in _ORDINALS if items and items[0][0] in o), ())
        order = [ordinals.index(mark) for mark, _ in items if mark in ordinals]
        turn = list(range(len(items)))
        if order == turn or sorted(order) != turn:
            return None
        parts = [items[order.index(i)][1] for i in turn]
        source = ("" if self.parts else ".").join(parts)
        if len(parts) != self._total(source) or (self.parts and any(not p or is_mark(p[0]) for p in parts)):
            return None
        ways = comb(len(clusters(source)) - 1, len(parts) - 1) if self.parts else 1
        return source, 1 / (len(_ORDINALS) * (factorial(len(parts)) - 1) * ways)

    def _items(self, shown: str) -> list[tuple[str, str]]:
        """Return each number with its part, as they come; nothing when the text has anything else."""
        if self.behind:
            found = [(mark, part) for part, mark in _TEXT_AND_MARK.findall(_BETWEEN + shown)]
        else:
            found = _MARK_AND_TEXT.findall(shown + _BETWEEN)
        return found if self._written(found) == shown else []

    def _written(self, items: Sequence[tuple[str, str]]) -> str:
        return _BETWEEN.join(part + mark if self.behind else mark + part for mark, part in items)

    def _total(self, text: str) -> int:
        return min(self.parts, len(clusters(text))) if self.parts else text.count(".") + 1


def _reversed(name: str, language: Language) -> Technique:
    levels = (
        Reversed(labels=True, cue=Cue("reversed_labels", language)),
        Reversed(labels=False, cue=Cue("reversed", language)),
        Reversed(labels=False, cue=NO_CUE),
    )
    return Technique(
        name=name,
        summary="The entry backwards: its labels, its characters with a cue, or its characters without one.",
        family=Family.LAYOUT_NOISE,
        types=(),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(name, levels[severity - 1]),
        languages=ZH if language == "zh" else EN,
    )


def _skip(name: str, language: Language) -> Technique:
    levels = (
        Interspersed(between=1, same=True, cue=Cue("skip_one", language)),
        Interspersed(between=1, same=False, cue=Cue("skip_one", language)),
        Interspersed(between=2, same=False, cue=Cue("skip_two", language)),
    )
    return Technique(
        name=name,
        summary="Letters and digits that mean nothing between the entry's characters, with a cue which to read.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.CHARACTER_SPACING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(name, levels[severity - 1]),
        languages=ZH if language == "zh" else EN,
    )


_SPLITS = (ComponentSplit(parts=0), ComponentSplit(parts=4), ComponentSplit(parts=6, behind=True))

TECHNIQUES: tuple[Technique, ...] = (
    _reversed("reversed_entry", "zh"),
    _reversed("reversed_entry_en", "en"),
    _skip("skip_letters", "zh"),
    _skip("skip_letters_en", "en"),
    Technique(
        name="component_split",
        summary="The entry in parts out of turn, each with its number.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.COMPONENT_SPLIT",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("component_split", _SPLITS[severity - 1]),
        languages=ZH,
    ),
)
