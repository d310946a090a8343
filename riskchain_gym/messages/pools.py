"""Pools: which word pairs, codes and skeletons belong to which split, so that no split teaches another's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum


class Pool(StrEnum):
    """A part of the bank that shares no skeleton and no word pair with any other part.

    ``CONTROL`` serves the clean, the no-entry and the contrast split.
    """

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"
    HARD = "hard"
    OOD = "ood"
    CONTROL = "control"


SHARES: Mapping[Pool, int] = {
    Pool.TRAIN: 36,
    Pool.TEST: 20,
    Pool.HARD: 14,
    Pool.OOD: 14,
    Pool.DEV: 8,
    Pool.CONTROL: 8,
}
"""How many of a hundred word pairs a pool gets."""


def pool_of_pair(source: str, surrogate: str) -> Pool:
    """Return the one pool that may put ``surrogate`` in the place of ``source``.

    The pool is read off a hash of the pair, so it does not change when the tables grow, and is the same in
    every table.

    Args:
        source: The plain word or character.
        surrogate: What may stand in its place.
    """
    mark = _hundredth("pair", source, surrogate)
    for pool, share in SHARES.items():
        mark -= share
        if mark < 0:
            return pool
    raise AssertionError("unreachable: the shares sum to 100")


def by_hash(label: str, item: str) -> bytes:
    """Return a sort key that puts items in an order which says nothing of them.

    Args:
        label: What is being ordered.
        item: The item.
    """
    return hashlib.sha256(f"{label}\x1f{item}".encode()).digest()


def _hundredth(*label: str) -> int:
    digest = hashlib.sha256("\x1f".join(label).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100
