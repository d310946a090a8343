"""Quotes are masked as the page that they are found on, so that a true quote stays one."""

from __future__ import annotations

from collections.abc import Iterable

from riskchain_gym.scoring.redaction.text import Redactor, Span, replaced
from riskchain_gym.scoring.text import fold_blanks


def mask_quote(quote: str, sources: Iterable[str], redactor: Redactor) -> str:
    """Return a quote with what its source masks masked; one that is found nowhere is masked on its own.

    A quote that begins or ends inside a masked span gets the whole token. Blanks are folded before it is looked for,
    and stay folded where it was found only so.

    Args:
        quote: The quote, raw.
        sources: Raw texts that it may come from, the likeliest first.
        redactor: What masks the sources.
    """
    wanted = fold_blanks(quote)
    for source in sources if wanted else ():
        at = source.find(quote)
        if at >= 0:
            return _cut(source, at, at + len(quote), redactor)
        if wanted in fold_blanks(source):
            folded, places = _folded(source)
            at = folded.find(wanted)
            return fold_blanks(_cut(source, places[at], places[at + len(wanted) - 1] + 1, redactor))
    return redactor.mask(quote)


def _cut(source: str, start: int, end: int, redactor: Redactor) -> str:
    """Return code points ``start`` to ``end`` of a source, masked as the source is."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    parts, at = [], first
    for line in source[first : None if last < 0 else last].split("\n"):
        low, high = max(start - at, 0), min(end - at, len(line))
        spans = [
            Span(max(span.start, low) - low, min(span.end, high) - low, span.token)
            for span in redactor.spans(line)
            if span.start < high and span.end > low
        ]
        parts.append(replaced(line[low:high], spans))
        at += len(line) + 1
    return "\n".join(parts)


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the text with every run of blanks as one space, and where each of its code points stood."""
    kept: list[str] = []
    places: list[int] = []
    for i, char in enumerate(text):
        blank = char.isspace()
        if not blank or (kept and kept[-1] != " "):
            kept.append(" " if blank else char)
            places.append(i)
    return "".join(kept), places
