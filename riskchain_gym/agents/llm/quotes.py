"""Quotes of redacted lines, as the lines were shown: citations must hold word for word."""

from __future__ import annotations

from riskchain_gym.scoring.redaction.text import Redactor
from riskchain_gym.scoring.text import fold_blanks

_Place = tuple[int, int]


def as_shown(quote: str, source: str, redactor: Redactor) -> str:
    """Return what a quote of a redacted text says in the text itself; one that is not found is left as it is.

    A token stands for the whole of what it masks, also where a quote cuts it short. Runs of blanks count as one, as
    they do where citations are checked.

    Args:
        quote: The quote, of the redacted text.
        source: The text as it was shown.
        redactor: What masked it.
    """
    wanted = fold_blanks(quote)
    masked, places = _masked(source, redactor)
    folded, kept = _folded(masked)
    at = folded.find(wanted) if wanted else -1
    if at < 0:
        return quote
    return source[places[kept[at]][0] : places[kept[at + len(wanted) - 1]][1]]


def _masked(source: str, redactor: Redactor) -> tuple[str, list[_Place]]:
    """Return the redacted text, and which code points of the source each of its code points stands for."""
    parts: list[str] = []
    places: list[_Place] = []
    start = 0
    for line in source.split("\n"):
        at = 0
        for span in redactor.spans(line):
            parts += [line[at : span.start], span.token]
            places += [(start + i, start + i + 1) for i in range(at, span.start)]
            places += [(start + span.start, start + span.end)] * len(span.token)
            at = span.end
        parts += [line[at:], "\n"]
        places += [(start + i, start + i + 1) for i in range(at, len(line) + 1)]
        start += len(line) + 1
    return "".join(parts)[:-1], places[:-1]


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the text with every run of blanks as one space, and where each of its code points stood."""
    chars: list[str] = []
    kept: list[int] = []
    for i, char in enumerate(text):
        if not char.isspace() or (chars and chars[-1] != " "):
            chars.append(" " if char.isspace() else char)
            kept.append(i)
    return "".join(chars), kept
