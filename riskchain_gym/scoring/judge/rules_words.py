"""Does a view bear out an observation: its tokens, its quoted parts, its numbers and its words, in that order."""

from __future__ import annotations

import re
from functools import lru_cache

from riskchain_gym.scoring.judge.bundle import CitedItem
from riskchain_gym.scoring.judge.rules_finding import Finding, cannot_tell, no, yes
from riskchain_gym.scoring.judge.rules_numbers import numbers_in, numbers_said
from riskchain_gym.scoring.judge.rules_reading import Reading, ReadView
from riskchain_gym.scoring.redaction.text import TOKEN
from riskchain_gym.scoring.text import fold_blanks

ENOUGH, LITTLE = 0.6, 0.25
"""Share of an observation's grams that bears it out, and the share below which it is not about a text."""

MIN_GRAMS = 4
"""Grams that an observation needs before its words are compared at all."""

FEW = 6
"""Grams that may stand beside what an observation quotes or counts without being looked for themselves."""

_QUOTED = re.compile(
    r"“([^“”]{2,})”|「([^「」]{2,})」|『([^『』]{2,})』|\"([^\"]{2,})\"|‘([^‘’]{2,})’|《([^《》]{2,})》"
)
_LEFT_OUT = re.compile(r"\s*(?:…+|\.{3,})\s*")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LATIN = re.compile(r"[a-z]{3,}")
_EDGE = " \t，。、；：！？,.;:!?"
_COMMON = frozenset(
    [
        "the",
        "and",
        "that",
        "this",
        "with",
        "for",
        "from",
        "are",
        "was",
        "has",
        "have",
        "its",
        "page",
        "site",
        "view",
        "says",
        "say",
        "said",
        "shows",
        "show",
        "shown",
        "text",
        "line",
        "quote",
        "quoted",
        "states",
        "state",
        "visible",
        "here",
        "there",
        "which",
        "what",
        "who",
        "when",
        "where",
        "into",
        "onto",
        "about",
        "does",
        "not",
    ]
)


def supported(citation: CitedItem, view: ReadView) -> Finding:
    """Say whether a view bears out an observation, near what is quoted where something is quoted.

    Args:
        citation: A citation with an observation.
        view: The view that it cites.
    """
    said = fold_blanks(citation.observation)
    line = _cited_line(citation, view)
    for token in dict.fromkeys(TOKEN.findall(said)):
        if token not in view.text and token not in line:
            return no(f"{token} is not in the view.")
    quoted = _quoted_parts(said)
    for part in quoted:
        if not _stands_in(part, view, line):
            return no("A quoted part of the observation is not in the view.")
    own = TOKEN.sub(" ", _QUOTED.sub(" ", said))
    numbers = numbers_said(own)
    near, anywhere = numbers_in(line), numbers_in(view.text)
    strict = bool(near) and share(own, line) >= ENOUGH
    if any(number not in near and (strict or number not in anywhere) for number in numbers):
        return no("A number of the observation is not what the view shows.")
    brief = len(_grams(own)) <= FEW
    if (quoted and brief) or share(own, line) >= ENOUGH or share(own, view.text) >= ENOUGH:
        return yes("The view has what is observed.")
    if brief and any(number in near for number in numbers):
        return yes("The cited line has the numbers of the observation.")
    return cannot_tell("The observation says it in other words.")


def about_something_else(citation: CitedItem, view: ReadView, reading: Reading) -> Finding | None:
    """Return ``no`` if an observation is plainly about what another citation quotes or another view shows.

    Args:
        citation: A citation with an observation.
        view: The view that it cites.
        reading: The bundle.
    """
    said, line = fold_blanks(citation.observation), _cited_line(citation, view)
    if _is_about(said, line, LITTLE):
        return None
    for other in reading.bundle.report.citations:
        if other.place != citation.place and _is_about(said, fold_blanks(other.quote), ENOUGH):
            return no(f"It describes what {other.place} quotes.")
    if share(said, view.text) >= LITTLE:
        return None
    for seen in reading.by_state.values():
        if share(said, seen.text) >= ENOUGH:
            return no(f"It describes view {seen.view.step}.")
    return None


def _is_about(said: str, text: str, enough: float) -> bool:
    """Say whether what is said quotes a text or shares enough of its words."""
    lowered = text.lower()
    return any(part.lower() in lowered for part in _quoted_parts(said)) or share(said, text) >= enough


def share(said: str, text: str) -> float:
    """Return the share of the grams of what is said that stand in a text; 0 where too little is said to compare."""
    grams = _grams(said)
    return len(grams & _grams(text)) / len(grams) if len(grams) >= MIN_GRAMS else 0.0


@lru_cache(maxsize=512)
def _grams(text: str) -> frozenset[str]:
    """Return pairs of neighbouring Chinese characters and Latin words of three letters or more."""
    runs = _HAN.findall(text)
    pairs = {run[i : i + 2] for run in runs for i in range(len(run) - 1)}
    return frozenset(pairs | {word for word in _LATIN.findall(text.lower()) if word not in _COMMON})


def _cited_line(citation: CitedItem, view: ReadView) -> str:
    quote = fold_blanks(citation.quote)
    named = view.names.get(citation.element_id or "", "")
    if quote:
        return f"{view.line_of(quote)} {named}"
    return " ".join((named, *(fold_blanks(line) for line in citation.region_lines or ())))


def _quoted_parts(said: str) -> tuple[str, ...]:
    wholes = (next(group for group in found.groups() if group is not None) for found in _QUOTED.finditer(said))
    pieces = (piece.strip(_EDGE) for whole in wholes for piece in _LEFT_OUT.split(whole))
    return tuple(piece for piece in pieces if len(piece) > 1)


def _stands_in(part: str, view: ReadView, line: str) -> bool:
    lowered = part.lower()
    return lowered in view.lowered or lowered in line.lower() or any(lowered in n.lower() for n in view.names.values())
