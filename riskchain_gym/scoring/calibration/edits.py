"""Small edits of a quoted line that change what it says: a digit, a character, a word, a negation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from riskchain_gym.protocol.keyed import KeyedRandom

Edit = Callable[[str, str, KeyedRandom], Iterator[str]]
"""Yields changed copies of a text, the preferred first; the second text is the page that it stands on."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{3,}")
_VERBS = re.compile(r"(?<![不没沒未])(?:可以|需要|提供|保证|保證|会|會|要|收|能|是|有|须|須)")
_ENGLISH_VERBS = re.compile(r"\b(?:is|are|was|were|can|will|may|must|should|does|do|has|have)\b(?! not)", re.IGNORECASE)
_NEGATIONS = re.compile(r"不|没|沒|无|無|未|勿|\bnot |\bno |\bnever |(?<=can)not\b")


def change_digit(text: str, page: str, rng: KeyedRandom) -> Iterator[str]:  # noqa: ARG001 - every edit takes the page
    """Yield the text with one digit changed."""
    places = [match.start() for match in re.finditer(r"[0-9]", text)]
    rng.shuffle(places)
    for at in places:
        other = str((int(text[at]) + rng.integer(1, 9)) % 10)
        yield text[:at] + other + text[at + 1 :]


def change_word(text: str, page: str, rng: KeyedRandom) -> Iterator[str]:
    """Yield the text with one Chinese character, or one word of another script, changed for one of the page's."""
    unit = _HAN if len(_HAN.findall(text)) > 1 else _WORD
    places = [match.span() for match in unit.finditer(text)]
    others = sorted(set(unit.findall(page)) - set(unit.findall(text)))
    rng.shuffle(places)
    for start, end in places if others else ():
        yield text[:start] + rng.choice(others) + text[end:]


def insert_negation(text: str, page: str, rng: KeyedRandom) -> Iterator[str]:  # noqa: ARG001
    """Yield the text with a verb negated."""
    chinese = [(m.start(), "没" if m[0] == "有" else "不") for m in _VERBS.finditer(text)]
    english = [(m.end(), " not") for m in _ENGLISH_VERBS.finditer(text)]
    places = chinese + english
    rng.shuffle(places)
    for at, word in places:
        yield text[:at] + word + text[at:]


def remove_negation(text: str, page: str, rng: KeyedRandom) -> Iterator[str]:  # noqa: ARG001
    """Yield the text with a negation left out."""
    places = [match.span() for match in _NEGATIONS.finditer(text)]
    rng.shuffle(places)
    for start, end in places:
        yield text[:start] + text[end:]
