"""Text comparison as the published scorer defines it (protocol B.1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

_BLANKS = re.compile(r"[ \t\r\f\v]+")
_AROUND_NEWLINE = re.compile(r" *\n *")
_MIXED_TOKEN = re.compile(r"[A-Za-z0-9]+|\S")


def normalize_text(text: str) -> str:
    """Return the published normal form: NFC, blanks folded, none around line feeds, stripped.

    Line feeds stay, and so does U+3000 inside the text. No NFKC, no case folding.
    """
    text = _BLANKS.sub(" ", unicodedata.normalize("NFC", text))
    return _AROUND_NEWLINE.sub("\n", text).strip()


def normalize_intent(text: str) -> str:
    """Return the published normal form of an intent: NFKC, case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def edit_distance(a: str, b: str) -> int:
    """Return the Levenshtein distance in code points."""
    return Levenshtein.distance(a, b)


def mixed_tokens(text: str) -> list[str]:
    """Return the published mixed tokens: a run of ASCII letters and digits, or any other character but white space."""
    return _MIXED_TOKEN.findall(text)


def token_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the Levenshtein distance in tokens."""
    # Numbers, not texts: the distance compares hashes, and those of small integers never collide.
    number = {token: place for place, token in enumerate(dict.fromkeys((*a, *b)))}
    return Levenshtein.distance([number[token] for token in a], [number[token] for token in b])


def fold_blanks(text: str) -> str:
    """Return the text with every run of white space (U+3000 too) as one space, for comparing quotes with lines."""
    return " ".join(text.split())
