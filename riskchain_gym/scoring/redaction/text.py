"""Masking of text: every span becomes a numbered token, the same literal the same token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from riskchain_gym.scoring.redaction.names import brands, companies, run_by
from riskchain_gym.scoring.redaction.patterns import KINDS, Match, by_form, plain

TOKEN = re.compile(rf"\[(?:{'|'.join(KINDS)})-[1-9][0-9]{{0,5}}\]")
"""A token as it stands in redacted text, e.g. ``[PHONE-2]``."""

_RANK = {kind: i for i, kind in enumerate(KINDS)}
_BLANK = "\ue000"


@dataclass(frozen=True)
class Span:
    """A masked part of a text: code points ``start`` to ``end``, and the token that stands for it."""

    start: int
    end: int
    token: str


class Redactor:
    """Masks the texts of one episode.

    The same literal, separators and widths aside, is the same token wherever it stands, and a different literal another
    one, so that a changed digit stays visible. Tokens are numbered in the order in which texts are masked. Text that
    is masked already is left as it is; numbers that stand in tokens of the given texts are not given out again.

    Args:
        texts: Lines of the episode, from which the names of operators are learned.
        titles: Titles of its pages; what recurs in different ones is the name of an operator too.
        others: Further texts of it that may hold tokens already.

    Attributes:
        operators: The names of operators that were learned.
        names: Pattern that finds them in plain text, or ``None`` if there are none.
        masked: How many spans were masked so far.
    """

    def __init__(self, texts: Iterable[str] = (), titles: Iterable[str] = (), others: Iterable[str] = ()) -> None:
        lines = list(dict.fromkeys(texts))
        names = dict.fromkeys(brands(titles))
        for line in lines:
            names.update(dict.fromkeys(run_by(line)))
        self.operators = tuple(sorted(names, key=lambda name: (-len(name), name)))
        self.names = _any_of(self.operators)
        self._tokens: dict[tuple[str, str], str] = {}
        self._taken = {token for line in (*lines, *others) if "[" in line for token in TOKEN.findall(line)}
        self._given: Counter[str] = Counter()
        self._plain: set[str] = set()
        self._known: dict[str, tuple[Span, ...]] = {}
        self.masked = 0

    def spans(self, line: str) -> tuple[Span, ...]:
        """Return what is masked in a line, in order; spans do not overlap."""
        known = self._known.get(line)
        if known is None:
            found = unmasked(line, self.names)
            known = self._known[line] = tuple(Span(m.start, m.end, self._token(m)) for m in found)
        return known

    def mask(self, text: str) -> str:
        """Return a text with everything masked, line by line."""
        if text in self._plain:
            return text
        masked = "\n".join(map(self._masked, text.split("\n"))) if "\n" in text else self._masked(text)
        if masked == text:
            self._plain.add(text)
        return masked

    def _masked(self, line: str) -> str:
        spans = self.spans(line)
        if not spans:
            return line
        self.masked += len(spans)
        return replaced(line, spans)

    def _token(self, match: Match) -> str:
        key = (match.kind, match.key)
        if key not in self._tokens:
            token = ""
            while not token or token in self._taken:
                self._given[match.kind] += 1
                token = f"[{match.kind}-{self._given[match.kind]}]"
            self._tokens[key] = token
        return self._tokens[key]


def replaced(text: str, spans: Sequence[Span]) -> str:
    """Return a text with its spans, in order, replaced by their tokens."""
    if not spans:
        return text
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], span.token]
        at = span.end
    return "".join((*parts, text[at:]))


def unmasked(line: str, operators: re.Pattern[str] | None = None) -> tuple[Match, ...]:
    """Return everything in a line that is to be masked and is not, in order and without overlaps.

    What one pass leaves is looked through again with the masked parts blanked out, until nothing is found: so the
    redacted line itself has nothing left to mask.

    Args:
        line: One line of text.
        operators: Names to mask, on plain text.
    """
    text = plain(line)
    if "[" in text:
        text = TOKEN.sub(lambda token: _BLANK * len(token.group()), text)
    kept: list[Match] = []
    while found := _pass(text, operators):
        kept += found
        text = _blanked(text, found)
    return tuple(sorted(kept))


def _blanked(text: str, matches: Iterable[Match]) -> str:
    parts, at = [], 0
    for match in sorted(matches):
        parts += [text[at : match.start], _BLANK * (match.end - match.start)]
        at = match.end
    return "".join((*parts, text[at:]))


def _pass(text: str, operators: re.Pattern[str] | None) -> list[Match]:
    names = [_operator(text, *name.span()) for name in operators.finditer(text)] if operators is not None else []
    kept: list[Match] = []
    taken = bytearray(len(text))
    for match in (*names, *_by_form(text)):
        if taken.find(1, match.start, match.end) < 0 and _BLANK not in text[match.start : match.end]:
            kept.append(match)
            taken[match.start : match.end] = b"\x01" * (match.end - match.start)
    return kept


@lru_cache(maxsize=16_384)
def _by_form(text: str) -> tuple[Match, ...]:
    found = (*by_form(text), *(_operator(text, start, end) for start, end in companies(text)))
    return tuple(sorted((m for m in found if m.end > m.start), key=lambda m: (_RANK[m.kind], m.start, -m.end)))


def _operator(text: str, start: int, end: int) -> Match:
    return Match(start, end, "OPERATOR", " ".join(text[start:end].casefold().split()))


def _any_of(names: Sequence[str]) -> re.Pattern[str] | None:
    if not names:
        return None
    return re.compile("|".join(_bounded(plain(name)) for name in names), re.IGNORECASE)


def _bounded(name: str) -> str:
    left = r"(?<![A-Za-z0-9])" if name[0].isascii() and name[0].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if name[-1].isascii() and name[-1].isalnum() else ""
    return f"{left}{re.escape(name)}{right}"
