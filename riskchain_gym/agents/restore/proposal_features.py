"""Proposals as numbers: what is known of a reading, and what its message looks like; all within 0 and 1."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from zlib import crc32

import numpy as np
from rapidfuzz import fuzz

from riskchain_gym.agents.restore.codes import strip_codes
from riskchain_gym.agents.restore.lookalikes import BREAK, DOT, OTHER, fold
from riskchain_gym.agents.restore.undo.hypotheses import WAYS, Hypothesis
from riskchain_gym.envs.wrappers.proposing import Floats
from riskchain_gym.protocol.message import Message, Platform, Surface

SOURCES: tuple[str, ...] = ("plain", "letters", "ladder", "undone", "respelled", "learned")
"""Where a reading may come from: three rungs of the rules (entries that are plainly written, look-alike letters read,
the whole ladder), what is read once disguises are undone, doubtful letters read otherwise, and the learned restorer."""

AROUND = 24
"""Bins that the characters before an entry, and those after it, are hashed into."""

WORDS = 48
"""Bins that the pairs of characters of a message are hashed into."""

_DOUBTFUL = frozenset("0o1li2z5s8b6g9q")
_MOST_COUNTED = 8

FEATURE_NAMES: tuple[str, ...] = (
    "abstain",
    *(f"from_{source}" for source in SOURCES),
    *(f"rank_{source}" for source in SOURCES),
    "confidence_ladder",
    "confidence_learned",
    "agreement",
    "place_among_candidates",
    *(f"undone_{way}" for way in WAYS),
    "times_found",
    "addresses_before_it",
    "addresses_in_its_text",
    "is_last_address",
    "first_label_length",
    "second_label_length",
    "digits",
    "doubtful_letters",
    "doubled_letters",
    "hyphen",
    "stands_in_message",
    "stands_in_folded_message",
    "likeness_to_folded_message",
    *(f"before_{place}" for place in range(AROUND)),
    *(f"after_{place}" for place in range(AROUND)),
)
"""What each feature of a reading is, in order.

``rank_…`` is 1 / rank in that source, 0 where it does not name the entry; ``agreement`` the share of sources that name
it; lengths are divided by 16; ``digits`` and the like are shares of its letters; ``likeness`` is the partial edit
similarity (rapidfuzz's ``partial_ratio``); ``before_…`` and ``after_…`` are hashed counts of characters and pairs.
"""

CONTEXT_NAMES: tuple[str, ...] = (
    *(f"platform_{platform}" for platform in Platform),
    *(f"surface_{surface.lower()}" for surface in Surface),
    "messages",
    "length",
    *(f"share_{name}" for name in ("ascii_letters", "digits", "han", "other_letters", "signs", "spaces", "marks")),
    "breaks",
    "codes",
    "percent_signs",
    "escapes",
    "dots",
    "candidates",
    *(f"word_{place}" for place in range(WORDS)),
)
"""What each feature of a message is, in order: one-hot platform and surface, counts on a logarithmic scale, shares of
kinds of characters, and hashed counts of pairs of characters."""


@dataclass
class Reading:
    """A candidate and what speaks for it.

    Attributes:
        entry: The entry.
        ranks: Its place from 0 in each source that names it.
        confidence: What a source says of it, where it says something.
        found: Its hypothesis, where undoing disguises has led to it.
    """

    entry: str
    ranks: dict[str, int]
    confidence: dict[str, float]
    found: Hypothesis | None = None

    @property
    def score(self) -> float:
        """The sum of its reciprocal ranks."""
        return sum(1 / (1 + rank) for rank in self.ranks.values())


def reading_features(readings: Sequence[Reading], message: Message) -> Floats:
    """Return the features of the reading without an entry and of each candidate.

    Args:
        readings: The candidates, likeliest first.
        message: Their message.

    Returns:
        float32 (n + 1, F), columns as in :data:`FEATURE_NAMES`.
    """
    raw = "\n".join(part.content for part in message.messages)
    folded = fold(raw).replace(BREAK, "").replace(OTHER, " ")
    rows = np.zeros((len(readings) + 1, len(FEATURE_NAMES)), np.float32)
    rows[0, _column("abstain")] = 1.0
    for place, reading in enumerate(readings):
        features = _of_reading(reading, raw, folded) | {"place_among_candidates": (place + 1) / len(readings)}
        row = rows[place + 1]
        for name, value in features.items():
            row[_column(name)] = value
        if reading.found is not None:
            _hash(reading.found.before[-8:], row[_column("before_0") : _column("before_0") + AROUND])
            _hash(reading.found.after[:8], row[_column("after_0") : _column("after_0") + AROUND])
    return np.clip(rows, 0.0, 1.0)


def _of_reading(reading: Reading, raw: str, folded: str) -> dict[str, float]:
    first, second = reading.entry.split(DOT)[:2]
    letters = first + second
    found = reading.found
    features = {f"from_{source}": 1.0 for source in reading.ranks}
    features |= {f"rank_{source}": 1 / (1 + rank) for source, rank in reading.ranks.items()}
    features |= {f"confidence_{source}": value for source, value in reading.confidence.items()}
    if found is not None:
        features |= {f"undone_{way}": 1.0 for way in found.ways} | {
            "times_found": found.count / _MOST_COUNTED,
            "addresses_before_it": found.order / _MOST_COUNTED,
            "addresses_in_its_text": found.places / _MOST_COUNTED,
            "is_last_address": float(found.order + 1 >= found.places),
        }
    return features | {
        "agreement": len(reading.ranks) / len(SOURCES),
        "first_label_length": len(first) / 16,
        "second_label_length": len(second) / 16,
        "digits": sum(char.isdigit() for char in letters) / len(letters),
        "doubtful_letters": sum(char in _DOUBTFUL for char in letters) / len(letters),
        "doubled_letters": sum(a == b for a, b in pairwise(letters)) / len(letters),
        "hyphen": float("-" in letters),
        "stands_in_message": float(reading.entry in raw),
        "stands_in_folded_message": float(reading.entry in folded),
        "likeness_to_folded_message": fuzz.partial_ratio(reading.entry, folded) / 100,
    }


def context_features(message: Message, candidates: int) -> Floats:
    """Return the features of a message.

    Args:
        message: The message.
        candidates: How many candidates there are.

    Returns:
        float32 (M,), as in :data:`CONTEXT_NAMES`.
    """
    raw = "\n".join(part.content for part in message.messages)
    kinds = [_kind(char) for char in raw]
    values = {
        f"platform_{message.platform}": 1.0,
        f"surface_{message.surface.lower()}": 1.0,
        "messages": _log(len(message.messages), 8),
        "length": _log(len(raw), 1024),
        **{f"share_{kind}": kinds.count(kind) / max(len(raw), 1) for kind in set(kinds)},
        "breaks": _log(raw.count("\n"), 32),
        "codes": _log(sum(strip_codes(part.content, message.platform)[1] for part in message.messages), 32),
        "percent_signs": _log(raw.count("%"), 32),
        "escapes": _log(raw.count("\\") + raw.count("&#"), 32),
        "dots": _log(fold(raw).count(DOT), 32),
        "candidates": _log(candidates, 32),
    }
    row = np.zeros(len(CONTEXT_NAMES), np.float32)
    for name, value in values.items():
        row[CONTEXT_NAMES.index(name)] = value
    start = CONTEXT_NAMES.index("word_0")
    _hash(raw, row[start : start + WORDS], whole=False)
    return np.clip(row, 0.0, 1.0)


def _log(count: int, most: int) -> float:
    return float(np.log1p(count) / np.log1p(most))


def _hash(text: str, bins: Floats, *, whole: bool = True) -> None:
    """Count pairs of characters, and single ones where ``whole``, by bin."""
    pairs = [text[place : place + 2] for place in range(len(text) - 1)]
    for word in (*pairs, *(text if whole else ())):
        bins[_bin(word, len(bins))] += 0.25


@lru_cache(maxsize=65536)
def _bin(word: str, bins: int) -> int:
    return crc32(word.encode("utf-8", "replace")) % bins


@cache
def _columns() -> dict[str, int]:
    return {name: place for place, name in enumerate(FEATURE_NAMES)}


def _column(name: str) -> int:
    return _columns()[name]


@lru_cache(maxsize=8192)
def _kind(char: str) -> str:
    if char.isascii() and char.isalpha():
        return "ascii_letters"
    if "\u3400" <= char <= "\u9fff":
        return "han"
    category = unicodedata.category(char)
    if category == "Nd":
        return "digits"
    if char.isspace():
        return "spaces"
    return {"L": "other_letters", "M": "marks", "C": "marks"}.get(category[0], "signs")
