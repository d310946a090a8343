"""Cues: small patterns of words that a line of text may answer to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_CLAUSE = re.compile(r"[，。；！？,;!?\n]|(?<=[^0-9])\.(?=\s|$)")
_SPECIAL: dict[str, re.Pattern[str]] = {
    "#price": re.compile(r"[¥￥$]\s*\d|\d[\d,.]*\s*(?:万|千)?\s*(?:元|块|圆|USDT)|[一二三四五六七八九十百千万]+\s*元"),
    "#percent": re.compile(r"\d\s*[%％]|百分之|\d\s*[倍成](?!功|员|为|立|交)"),
    "#many": re.compile(r"\d{2,}"),
}

Match = Literal["asserted", "denied"]


@dataclass(frozen=True)
class Cue:
    """Groups of alternatives; all groups must be found in one line.

    Attributes:
        groups: The alternatives of each group, lower case.
        weight: 2 for a strong cue, else 1.
        source: The cue as written in the data file.
    """

    groups: tuple[tuple[str, ...], ...]
    weight: int
    source: str

    @classmethod
    def parse(cls, source: str) -> Cue:
        """Read a cue: ``! a|b & c|d``.

        Raises:
            ValueError: A group has no words.
        """
        strong = source.startswith("!")
        groups = tuple(
            tuple(word.strip().lower() for word in group.split("|") if word.strip())
            for group in source.removeprefix("!").split(" & ")
        )
        if not all(groups):
            raise ValueError(f"cue {source!r} has an empty group: write words joined by | in groups joined by ' & '")
        return cls(groups, 2 if strong else 1, source)

    def match(self, line: str, negators: tuple[str, ...]) -> Match | None:
        """Tell whether a line answers to the cue, and whether it denies it.

        A group is denied when every clause that holds one of its words has a negator before the word; the cue is
        denied when one of its groups is.

        Args:
            line: The line, lower case.
            negators: Words that deny what follows them in their clause, lower case.
        """
        denied = False
        for group in self.groups:
            found = _find(group, line, negators)
            if found is None:
                return None
            denied = denied or found == "denied"
        return "denied" if denied else "asserted"


def _find(group: tuple[str, ...], line: str, negators: tuple[str, ...]) -> Match | None:
    result: Match | None = None
    for word in group:
        if word in _SPECIAL:
            if _SPECIAL[word].search(line):
                return "asserted"
            continue
        start = line.find(word)
        while start != -1:
            if not _denied(line, start, negators):
                return "asserted"
            result = "denied"
            start = line.find(word, start + 1)
    return result


def _denied(line: str, start: int, negators: tuple[str, ...]) -> bool:
    clause_start = 0
    for mark in _CLAUSE.finditer(line, 0, start):
        clause_start = mark.end()
    before = line[clause_start:start]
    return any(negator in before for negator in negators)
