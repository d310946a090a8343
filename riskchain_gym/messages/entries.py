"""Canonical entries: the scheme-free three-label ``.test`` name that a message leads to."""

from __future__ import annotations

import re
import string

from riskchain_gym.protocol.keyed import KeyedRandom

ENTRY_PATTERN = re.compile(r"(?<![a-z0-9-])[a-z0-9]+\.[a-z0-9]+\.test(?![a-z0-9-])")
"""A canonical entry as this room writes it, inside a text."""

_REPLACEABLE = "akw"
_ANY = string.ascii_lowercase + string.digits
_SECOND = "abcdefghijklmnopqrtuvwyz"
_ZERO_SHARE = 0.7


def new_entry(key: bytes, *label: str) -> str:
    """Return the entry that belongs to a label, e.g. ``kw0p7a.gt.test``.

    The first label has six characters: two different ones of ``a k w`` (one opens it), mostly a ``0``, the rest any of
    ``[a-z0-9]``; so at least two letters always have a look-alike in the paper's set. The second has two letters.
    Without the key nothing about it (length, first letter, digits) tells its label, its index or its site.

    Args:
        key: Key of the split.
        label: What the entry is for, e.g. the session's index.
    """
    rng = KeyedRandom(key, "entry", *label)
    opening, other = rng.sample(_REPLACEABLE, 2)
    rest = [other, "0" if rng.chance(_ZERO_SHARE) else rng.choice(_ANY), *(rng.choice(_ANY) for _ in range(3))]
    rng.shuffle(rest)
    return f"{opening}{''.join(rest)}.{rng.choice(_SECOND)}{rng.choice(_SECOND)}.test"
