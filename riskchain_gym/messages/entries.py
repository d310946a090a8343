"""Canonical entries: the scheme-free three-label ``.test`` name that a message leads to."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from enum import StrEnum

from riskchain_gym.protocol.keyed import KeyedRandom

LABEL = "[a-z0-9]+"
_NAMED = r"[a-zA-Z0-9\u00c0-\u1fff\u2100-\u214f\uff10-\uff19\uff21-\uff3a\uff41-\uff5a-]"
"""What makes a name longer: digits and letters, their look-alikes too; not Chinese characters, which touch names."""

ENTRY_PATTERN = re.compile(rf"(?<!{_NAMED})(?<!{_NAMED}\.){LABEL}\.{LABEL}\.test(?!{_NAMED})(?!\.{_NAMED})")
"""A canonical entry as this room writes it, inside a text and not within a longer name."""

_ANY_CASE = re.compile(ENTRY_PATTERN.pattern, re.IGNORECASE | re.ASCII)


class EntryStyle(StrEnum):
    """What entries look like.

    Without the key nothing about an entry of either style (length, letters, digits) tells its label, its index or its
    site.
    """

    PAPER = "paper"
    """Like the published ones, e.g. ``kw0p7a.gt.test``: six characters, two different ones of ``a k w`` among them
    (one opens it), mostly a ``0``, the rest any of ``[a-z0-9]``; so at least two letters always have a look-alike in
    the published set. The second label has two letters."""
    OPEN = "open"
    """Wider, e.g. ``m4rlo2x.oni.test``: a first label of 5 to 8 letters and digits, each character drawn for itself, a
    second label of 2 to 4 letters."""


_REPLACEABLE = "akw"
_ANY = string.ascii_lowercase + string.digits
_SECOND = "abcdefghijklmnopqrtuvwyz"
_ZERO_SHARE = 0.7
_FIRST_LENGTHS: Mapping[int, int] = {5: 1, 6: 1, 7: 1, 8: 1}
_SECOND_LENGTHS: Mapping[int, int] = {2: 1, 3: 1, 4: 1}
_DIGIT_TENTHS = 3
_CHARACTER_SHARES: Mapping[str, float] = {
    **dict.fromkeys(string.digits, _DIGIT_TENTHS / 10 / len(string.digits)),
    **dict.fromkeys(string.ascii_lowercase, (1 - _DIGIT_TENTHS / 10) / len(string.ascii_lowercase)),
}
_FIRST_SHARES: Mapping[int, float] = {n: weight / sum(_FIRST_LENGTHS.values()) for n, weight in _FIRST_LENGTHS.items()}
_SECOND_SHARES: Mapping[int, float] = {
    length: weight / sum(_SECOND_LENGTHS.values()) / len(string.ascii_lowercase) ** length
    for length, weight in _SECOND_LENGTHS.items()
}


def new_entry(key: bytes, *label: str, style: EntryStyle = EntryStyle.PAPER) -> str:
    """Return the entry that belongs to a label.

    Args:
        key: Key of the split.
        label: What the entry is for, e.g. the session's index.
        style: What it looks like.
    """
    rng = KeyedRandom(key, "entry", *label)
    if style is EntryStyle.OPEN:
        return f"{_open_first(rng)}.{_open_second(rng)}.test"
    opening, other = rng.sample(_REPLACEABLE, 2)
    rest = [other, "0" if rng.chance(_ZERO_SHARE) else rng.choice(_ANY), *(rng.choice(_ANY) for _ in range(3))]
    rng.shuffle(rest)
    return f"{opening}{''.join(rest)}.{rng.choice(_SECOND)}{rng.choice(_SECOND)}.test"


def entries_in(text: str) -> list[str]:
    """Return the entries that a text names in whatever case, each in its canonical form, in order."""
    return [match.lower() for match in _ANY_CASE.findall(text)]


def first_prior(label: str, style: EntryStyle = EntryStyle.OPEN) -> float:
    """Return the probability that a first label of a style is this one; 0 for what is none."""
    if style is EntryStyle.PAPER:
        return _paper_first_prior(label)
    weight = _FIRST_SHARES.get(len(label), 0.0)
    for character in label:
        weight *= _CHARACTER_SHARES.get(character, 0.0)
    return weight


def rest_prior(rest: str, style: EntryStyle = EntryStyle.OPEN) -> float:
    """Return the probability that the rest of an entry of a style is this ``label.test``; 0 for what is none."""
    label, dot, last = rest.partition(".")
    if not dot or last != "test":
        return 0.0
    if style is EntryStyle.PAPER:
        return 0.0 if len(label) != 2 or label.strip(_SECOND) else len(_SECOND) ** -2.0
    return 0.0 if label.strip(string.ascii_lowercase) else _SECOND_SHARES.get(len(label), 0.0)


def entry_prior(entry: str, style: EntryStyle = EntryStyle.OPEN) -> float:
    """Return the probability that an entry of a style is this one; 0 for what is none."""
    first, _, rest = entry.partition(".")
    return first_prior(first, style) * rest_prior(rest, style)


def _paper_first_prior(label: str) -> float:
    """Sum over the places that the second replaceable letter and the likely zero may have been shuffled to."""
    if len(label) != 6 or label[0] not in _REPLACEABLE or label.strip(_ANY):
        return 0.0
    opening, rest = label[0], label[1:]
    others = [0.5 if c in _REPLACEABLE and c != opening else 0.0 for c in rest]
    zeros = [(_ZERO_SHARE if c == "0" else 0.0) + (1 - _ZERO_SHARE) / len(_ANY) for c in rest]
    placed = sum(others[i] * zeros[j] for i in range(5) for j in range(5) if i != j) / 20
    return placed / len(_REPLACEABLE) / len(_ANY) ** 3


def _open_first(rng: KeyedRandom) -> str:
    length = rng.weighted(list(_FIRST_LENGTHS), list(_FIRST_LENGTHS.values()))
    kinds = [string.digits if rng.below(10) < _DIGIT_TENTHS else string.ascii_lowercase for _ in range(length)]
    return "".join(rng.choice(kind) for kind in kinds)


def _open_second(rng: KeyedRandom) -> str:
    length = rng.weighted(list(_SECOND_LENGTHS), list(_SECOND_LENGTHS.values()))
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(length))
