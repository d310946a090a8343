"""Taking things in turn: each once, in a keyed order, before any comes again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from riskchain_gym.protocol.keyed import KeyedRandom

T = TypeVar("T")


@lru_cache(maxsize=1024)
def order(key: bytes, what: str, turn: int, size: int) -> range:
    """Return the places of one turn in their keyed order, before they are taken modulo ``size``.

    The order is a keyed start and a keyed stride without a common divisor with ``size``: any place of any turn is known
    without the ones before it, so a stream can be entered anywhere at the same cost.

    Args:
        key: Key of the split.
        what: What is taken in turn; part of the label that the order is drawn under.
        turn: Which turn, from 0.
        size: How many there are to take.
    """
    rng = KeyedRandom(key, what, str(turn))
    start = rng.below(size)
    stride = 1 + rng.below(size)
    while math.gcd(stride, size) != 1:
        stride = 1 + rng.below(size)
    return range(start, start + stride * size, stride)


def in_turn(key: bytes, what: str, items: Sequence[T], index: int) -> T:
    """Return the item whose turn it is.

    Args:
        key: Key of the split.
        what: What is taken in turn; part of the label that the order is drawn under.
        items: What there is to take.
        index: Position in the sequence, from 0.
    """
    turn, place = divmod(index, len(items))
    return items[order(key, what, turn, len(items))[place] % len(items)]
