"""Every entry that a message may name, with the ways that lead to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from riskchain_gym.agents.halves import without_halves
from riskchain_gym.agents.restore.codes import strip_codes
from riskchain_gym.agents.restore.encodings import decoded
from riskchain_gym.agents.restore.entries import find_entries
from riskchain_gym.agents.restore.marks import drop_marks
from riskchain_gym.agents.restore.undo import orders, spelled
from riskchain_gym.agents.restore.undo.shapes import letters_of, rewritten
from riskchain_gym.protocol.message import Message

_VALUE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.test")
_NAMED = re.compile(r"(?<![a-z0-9.-])[a-z0-9][a-z0-9-]{0,62}\.[a-z0-9][a-z0-9-]{0,62}\.test(?![a-z0-9-])")
_TAIL = re.compile(r"(?<![a-z0-9.-])([a-z0-9]{2,5})[.\n ]{1,2}test(?![a-z0-9-])")
_HEAD = re.compile(r"(?<![a-z0-9.-])[a-z0-9]{4,9}(?![a-z0-9-]|\.[a-z0-9])")
_BROKEN = re.compile("(?<=[a-z0-9.])\n(?=[a-z0-9.])")
_HEADS = 3
_DEPTHS = 3
_AROUND = 12


class Way(StrEnum):
    """What was undone before an entry was read."""

    WRITTEN = "written"
    WEB = "web"
    NUMERALS = "numerals"
    NAMES = "names"
    UNLINED = "unlined"
    CLOSED = "closed"
    UNSIGNED = "unsigned"
    THINNED = "thinned"
    BACKWARDS = "backwards"
    LABELS = "labels"
    COLUMNS = "columns"
    ORDERED = "ordered"
    SINGLE = "single"
    HALVES = "halves"
    """Two halves in different places were joined."""
    SHAPES = "shapes"
    """Digits were read as letters, two letters as one."""
    LATER = "later"
    """A second or later reading of the same place."""


WAYS: tuple[Way, ...] = tuple(Way)
"""Every way, in a fixed order."""

Undo = Callable[[str], str]
_Texts = tuple[frozenset[Way], tuple[str, ...]]

_ONE_LAYER = 2
_LINES: tuple[tuple[Way, Undo], ...] = ((Way.UNLINED, orders.unlined),)
_WEB: tuple[tuple[Way, Undo], ...] = ((Way.WEB, decoded),)
_LAYERS: tuple[tuple[Way, Undo], ...] = (
    (Way.NUMERALS, lambda text: spelled.numerals(decoded(text))),
    (Way.NAMES, lambda text: spelled.letter_names(decoded(text))),
)
_ORDERS: tuple[tuple[Way, Undo], ...] = (
    (Way.CLOSED, orders.closed),
    (Way.UNSIGNED, orders.unsigned),
    (Way.THINNED, orders.thinned),
    (Way.BACKWARDS, orders.backwards),
    (Way.LABELS, orders.labels_turned),
    (Way.COLUMNS, orders.uncolumned),
    (Way.ORDERED, orders.ordered),
    (Way.SINGLE, orders.single),
)


@dataclass(frozen=True)
class Hypothesis:
    """An entry that a message may name.

    Attributes:
        value: The entry.
        ways: What was undone on the shortest way to it.
        count: On how many ways it was found.
        order: How many other places of an entry stand before it in the text it was read in.
        places: How many places of an entry that text has.
        before: What stands before it there, at most twelve characters; empty where it was put together.
        after: What stands after it.
    """

    value: str
    ways: frozenset[Way]
    count: int
    order: int
    places: int
    before: str
    after: str


@dataclass(frozen=True)
class _Read:
    value: str
    order: int
    places: int
    before: str
    after: str
    later: bool


def hypotheses(message: Message) -> tuple[Hypothesis, ...]:
    """Return the entries that a message may name, those that needed the least undoing first.

    Args:
        message: Platform and contents; nothing else is used.
    """
    found: dict[str, Hypothesis] = {}
    for ways, texts in _texts(message):
        for read in _read(texts):
            _keep(found, read, ways | {Way.LATER} if read.later else ways)
        for value in _joined(texts):
            _keep(found, _Read(value, 0, 1, "", "", False), ways | {Way.HALVES})
    for known in list(found.values()):
        for value in rewritten(known.value):
            read = _Read(value, known.order, known.places, known.before, known.after, False)
            _keep(found, read, known.ways | {Way.SHAPES})
    return tuple(found.values())


def _keep(found: dict[str, Hypothesis], read: _Read, ways: frozenset[Way]) -> None:
    if not _VALUE.fullmatch(read.value):
        return
    known = found.get(read.value)
    found[read.value] = (
        replace(known, count=known.count + 1)
        if known
        else Hypothesis(read.value, ways, 1, read.order, read.places, read.before, read.after)
    )


def _texts(message: Message) -> Iterator[_Texts]:
    """Yield the texts of a message as they are and as every row of ways leaves them, none twice."""
    plain = tuple(plain_text(part.content, message) for part in message.messages)
    seen: set[tuple[str, ...]] = set()
    written: _Texts = (frozenset({Way.WRITTEN}), plain)
    bases = _new([written, *_undone([written], _LINES)], seen)
    bases += _new(_undone(bases, _WEB), seen)
    yield from bases
    changed = _new(_undone(bases, _ORDERS), seen)
    yield from changed
    spelled_out = _new(_undone([*bases, *changed], _LAYERS), seen)
    yield from spelled_out
    yield from _new(_undone([found for found in spelled_out if len(found[0]) == _ONE_LAYER], _ORDERS), seen)


def _undone(known: Iterable[_Texts], ways: Sequence[tuple[Way, Undo]]) -> list[_Texts]:
    return [(before | {way}, tuple(map(undo, texts))) for before, texts in known for way, undo in ways]


def _new(found: Iterable[_Texts], seen: set[tuple[str, ...]]) -> list[_Texts]:
    new: list[_Texts] = []
    for ways, texts in found:
        if texts not in seen:
            seen.add(texts)
            new.append((ways, texts))
    return new


def plain_text(content: str, message: Message) -> str:
    """Return the content of one message without invisible marks and emoji codes.

    Args:
        content: The content.
        message: Its session; the platform decides which shapes are emoji codes.
    """
    text = without_halves(content).replace("\r\n", "\n").replace("\r", "\n")
    return strip_codes(drop_marks(text)[0], message.platform)[0]


def _read(texts: Sequence[str]) -> Iterator[_Read]:
    plains = [letters_of(text) for text in texts]
    spots: list[tuple[int, int, int, tuple[str, ...]]] = []
    for number, plain in enumerate(plains):
        spots += [
            (number, found.start, found.end, tuple(value for value, _ in found.ranked[:_DEPTHS]))
            for found in find_entries(plain)
        ]
        spots += [(number, named.start(), named.end(), (named[0],)) for named in _NAMED.finditer(plain)]
    places = sorted({(number, end) for number, _, end, _ in spots})
    for number, start, end, values in spots:
        before, after = plains[number][max(0, start - _AROUND) : start], plains[number][end : end + _AROUND]
        for depth, value in enumerate(values):
            yield _Read(value, places.index((number, end)), len(places), before, after, depth > 0)


def _joined(texts: Sequence[str]) -> Iterator[str]:
    """Yield entries whose first label stands elsewhere than the rest."""
    whole = "\0".join(_BROKEN.sub("", letters_of(text)) for text in texts)
    for tail in _TAIL.finditer(whole):
        heads = list(_HEAD.finditer(whole, 0, tail.start()))
        heads.sort(key=lambda head: (not any(char.isdigit() for char in head[0]), -head.start()))
        for head in heads[:_HEADS]:
            yield f"{head[0]}.{tail[1]}.test"
