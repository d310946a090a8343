"""Text as numbers: signed hashing of character n-grams, the same on every machine and in every process.

Each n-gram adds +1 or −1 to one of a fixed number of places, both drawn from its keyed BLAKE2b hash (feature hashing:
Weinberger et al., 2009). Nothing is learned and no list of words is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import ConfigError

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

NGRAMS = (1, 2)
"""Lengths of the n-grams, in code points. Longer ones collide more and helped no classifier of whole sites."""

KEPT = 1 << 16
"""Texts, and n-grams, of which a hasher keeps what they come to."""

PAGES_KEPT = 1 << 12
"""Pages, and names of controls, of which it does."""

_DIGITS = str.maketrans("123456789", "0" * 9)


class TextHasher:
    """Hashes texts; digits are all the same to it.

    Args:
        size: Number of places.
        seed: Another seed, other collisions.

    Raises:
        ConfigError: A number is out of range.
    """

    def __init__(self, size: int, seed: int = 0) -> None:
        if size < 1 or not 0 <= seed < 2**63:
            raise ConfigError(
                f"Text is hashed to at least one place by a seed from 0 on, got size={size}, seed={seed}."
            )
        self.size = size
        self._key = seed.to_bytes(8, "little")
        self._place = lru_cache(KEPT)(self._hashed)
        self.sparse = lru_cache(KEPT)(self._counted)
        self.dense = lru_cache(PAGES_KEPT)(self._spread)
        self.lines = lru_cache(PAGES_KEPT)(self._of_lines)

    def joint(self, texts: Sequence[str]) -> tuple[Places, Floats]:
        """Return the places that some texts touch and what each adds there; a place may stand there more than once."""
        if not texts:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        hashed = [self.sparse(text) for text in texts]
        return np.concatenate([places for places, _ in hashed]), np.concatenate([sums for _, sums in hashed])

    def _hashed(self, gram: str) -> tuple[int, int]:
        drawn = hashlib.blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key).digest()
        number = int.from_bytes(drawn, "little")
        return (number >> 1) % self.size, 1 if number & 1 else -1

    def _counted(self, text: str) -> tuple[Places, Floats]:
        """Return the places that a text touches, each once, int64 (n,), and their sums, float32 (n,)."""
        text = text.translate(_DIGITS)
        sums: dict[int, int] = {}
        for length in NGRAMS:
            for start in range(len(text) - length + 1):
                place, sign = self._place(text[start : start + length])
                sums[place] = sums.get(place, 0) + sign
        return np.fromiter(sums.keys(), np.int64, len(sums)), np.fromiter(sums.values(), np.float32, len(sums))

    def _spread(self, text: str) -> Floats:
        """Return the sums of all places, float32 (size,), cut to what lies within −1 and 1; not to be written to."""
        places, sums = self.sparse(text)
        found = np.zeros(self.size, np.float32)
        found[places] = np.clip(sums, -1.0, 1.0)
        return found

    def _of_lines(self, text: str) -> tuple[tuple[str, ...], Floats]:
        """Return the lines of a text, each different one once, and their squashed sums, float32 (size,)."""
        lines = tuple(dict.fromkeys(filter(None, text.split("\n"))))
        places, sums = self.joint(lines)
        return lines, squashed(np.bincount(places, sums, self.size).astype(np.float32))


def squashed(sums: Floats) -> Floats:
    """Return sums within −1 and 1, sign kept, growing with the logarithm: ±1 comes to ±0.17, ±54 to ±1.

    Args:
        sums: Whole numbers of any shape.
    """
    found: Floats = np.copysign(np.minimum(np.log1p(np.abs(sums)) * np.float32(0.25), np.float32(1.0)), sums)
    return found


@lru_cache(16)
def hasher(size: int, seed: int = 0) -> TextHasher:
    """Return the hasher of these settings: the environments of one process share what it keeps.

    Raises:
        ConfigError: A number is out of range.
    """
    return TextHasher(size, seed)
