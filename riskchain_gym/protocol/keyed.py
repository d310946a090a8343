"""Keyed randomness: one key and one label give one stream, on any machine and any Python version."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")

_FOUR_WORDS = struct.Struct(">4Q")
_WORDS = 1 << 64
_BLOCK = 64
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))


def key_from_seed(seed: int) -> bytes:
    """Return the public key that stands for a seed; a secret split uses the bytes of a key file instead."""
    return hashlib.sha256(f"riskchain-seed/{seed}".encode()).digest()


def derive_key(key: bytes, *label: str) -> bytes:
    """Return a key for one purpose, e.g. one split; nothing drawn under it tells of draws under another."""
    parts = (part.replace("\x1e", "\x1e0").replace("\x1f", "\x1e1") for part in label)
    return hmac.digest(key, "\x1f".join(parts).encode(), "sha256")


def keyed_id(key: bytes, *label: str, length: int = 12) -> str:
    """Return an opaque id that only the key's holder can link to its label: ``[a-z0-9]``, a letter first.

    Args:
        key: The secret or public key.
        label: What the id stands for.
        length: Number of characters, at least 2.
    """
    rng = KeyedRandom(key, "id", *label)
    first = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return first + "".join(rng.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(length - 1))


class KeyedRandom:
    """A deterministic stream of draws from HMAC-SHA-256 in counter mode.

    Unlike :class:`random.Random` its methods are ours, so no interpreter release can change a dataset.

    Args:
        key: The key of the split.
        label: What the draws are for; different labels give independent streams.
    """

    def __init__(self, key: bytes, *label: str) -> None:
        # HMAC by hand: copies of the two hashes of the padded key are several times as fast as a new HMAC a block.
        padded = derive_key(key, *label).ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(padded.translate(_INNER_PAD))
        self._outer = hashlib.sha256(padded.translate(_OUTER_PAD))
        self._block = 0
        self._words: list[int] = []

    def _word(self) -> int:
        return self._words.pop() if self._words else self._next_block().pop()

    def _next_block(self) -> list[int]:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(self._block.to_bytes(8, "big"))
        outer.update(inner.digest())
        self._block += 1
        self._words += _FOUR_WORDS.unpack(outer.digest())[::-1]
        return self._words

    def below(self, n: int) -> int:
        """Return an integer in ``[0, n)``, without modulo bias."""
        if not 1 <= n <= _WORDS:
            raise ValueError(f"below() needs a bound from 1 to 2**64, got {n}")
        limit = _WORDS - _WORDS % n
        words = self._words
        while True:
            word = words.pop() if words else self._next_block().pop()
            if word < limit:
                return word % n

    def integer(self, low: int, high: int) -> int:
        """Return an integer in ``[low, high]``, both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self._word() < int(probability * _WORDS)

    def choice(self, items: Sequence[T]) -> T:
        """Return one item of a non-empty sequence."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place (Fisher-Yates from the last index)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return ``k`` distinct positions' items in random order."""
        pool = list(items)
        if k > len(pool):
            raise ValueError(f"cannot sample {k} of {len(pool)} items")
        for i in range(k):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """Return one item with probability proportional to its integer weight."""
        mark = self.below(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            mark -= weight
            if mark < 0:
                return item
        raise AssertionError("unreachable: weights sum to more than the mark")
