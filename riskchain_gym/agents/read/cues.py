"""Cues: small patterns of words that a line of text may answer to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_CLAUSE = re.compile(r"[，。；！？,;!?\n]|(?<=[^0-9])\.(?=\s|$)")
_BLANK = "\N{WHITE SQUARE}"
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("‘", "’"))
_SPECIAL: dict[str, re.Pattern[str]] = {
    "#price": re.compile(r"[¥￥$]\s*\d|\d[\d,.]*\s*(?:万|千)?\s*(?:元|块|圆|usdt)|[一二三四五六七八九十百千万]+\s*元"),
    "#percent": re.compile(r"\d\s*[%％]|百分之|\d\s*[倍成](?!功|员|为|立|交)"),
    "#many": re.compile(r"\d{2,}"),
}

Match = Literal["asserted", "denied"]


@dataclass(frozen=True)
class Cue:
    """Groups of alternatives; all groups must be found in one line.

    Attributes:
        groups: The alternatives of each group, in the spelling of the folded lines.
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
            tuple(word.strip() for word in group.split("|") if word.strip())
            for group in source.removeprefix("!").split(" & ")
        )
        if not all(groups):
            raise ValueError(f"cue {source!r} has an empty group: write words joined by | in groups joined by ' & '")
        return cls(groups, 2 if strong else 1, source)

    def match(self, line: str, denial: Denial | None = None) -> Match | None:
        """Tell whether a line answers to the cue, and whether it denies it.

        A group is denied when each of its words that stands in the line is denied there; the cue is denied when one of
        its groups is.

        Args:
            line: The line, folded.
            denial: What denies a word; without it nothing does.
        """
        masked = self._mask(line)
        denied = False
        for group in self.groups:
            found = _find(group, line, masked, denial)
            if found is None:
                return None
            denied = denied or found == "denied"
        return "denied" if denied else "asserted"

    def _mask(self, line: str) -> str:
        """Return the line with the cue's own words blanked out: a negator inside one of them denies no other."""
        for group in self.groups:
            for word in group:
                if word in line and word not in _SPECIAL:
                    line = line.replace(word, _BLANK * len(word))
        return line


@dataclass(frozen=True)
class Denial:
    """What denies a word: a negator before it in its clause, one right before it, or quotation marks around it.

    Attributes:
        negators: Words that deny what follows them in their clause.
        adjacent: Characters that deny a word that follows at once or after one character.
    """

    negators: tuple[str, ...]
    adjacent: tuple[str, ...]

    def denies(self, line: str, start: int) -> bool:
        """Return whether the word at ``start`` is denied.

        Args:
            line: The line, folded, words whose negators do not count blanked out.
            start: Offset of the word.
        """
        clause_start = 0
        for mark in _CLAUSE.finditer(line, 0, start):
            clause_start = mark.end()
        clause = line[clause_start:start]
        if any(negator in clause for negator in self.negators) or clause[-2:].startswith(self.adjacent):
            return True
        return clause.endswith(self.adjacent) or _quoted(line, start)


def _quoted(line: str, start: int) -> bool:
    return any(line.count(opening, 0, start) > line.count(closing, 0, start) for opening, closing in _QUOTES)


def _find(group: tuple[str, ...], line: str, masked: str, denial: Denial | None) -> Match | None:
    result: Match | None = None
    for word in group:
        if word in _SPECIAL:
            if _SPECIAL[word].search(line):
                return "asserted"
            continue
        start = line.find(word)
        while start != -1:
            if denial is None or not denial.denies(masked, start):
                return "asserted"
            result = "denied"
            start = line.find(word, start + 1)
    return result
