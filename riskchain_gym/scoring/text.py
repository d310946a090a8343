"""Text comparison as the published scorer defines it (protocol B.1)."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz.distance import Levenshtein

_BLANKS = re.compile(r"[ \t\r\f\v]+")
_AROUND_NEWLINE = re.compile(r" *\n *")


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


def fold_blanks(text: str) -> str:
    """Return the text with every run of white space (U+3000 too) as one space, for comparing quotes with lines."""
    return " ".join(text.split())
