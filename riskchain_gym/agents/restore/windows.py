"""The default encoder of the editing environment: where its window lies in a message, and the characters as numbers."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from zlib import crc32

import numpy as np

from riskchain_gym.agents.restore.lookalikes import BREAK, DOT, OTHER, SPACE, fold
from riskchain_gym.agents.restore.undo.shapes import letters_of
from riskchain_gym.envs.wrappers.editing import Encoded

CHARACTERS = 2048
"""Ids of characters: 0 for padding, 1 to 127 the ASCII characters, from 128 on the others by their hash."""

LETTERS = (*"abcdefghijklmnopqrstuvwxyz0123456789-", DOT, BREAK, SPACE, OTHER)
"""What a character can be folded to, from id 1 on; 0 is padding."""

CLASSES = ("lower", "upper", "digit", "han", "other_letter", "sign", "space", "break", "mark", "symbol")
"""Classes of characters, from id 1 on; 0 is padding."""

SIZES = {"characters": CHARACTERS, "letters": len(LETTERS) + 1, "classes": len(CLASSES) + 1}

_TOKEN = re.compile(r"[a-z0-9.-]+(?:\n{1,2}[a-z0-9.-]+)*")
_LABELS = re.compile(r"test|tset")
_LETTER_IDS = {letter: place for place, letter in enumerate(LETTERS, start=1)}


def encode(text: str, width: int) -> Encoded:
    """Return the window of a text and its characters as numbers.

    A text that fits is its own window. Otherwise the window is the stretch with the largest sum of weights, the first
    of several: every folded character of an entry weighs 1, in a word with a digit or a dot among its letters 3, in one
    that holds ``test`` or ``tset`` 6. Where the largest stretch is longer than what weighs, what weighs lies in its
    middle.

    Args:
        text: The messages of a session, a line break between them.
        width: Characters of the window.
    """
    letters = letters_of(text)
    start = 0 if len(text) <= width else _start(letters, width)
    shown = slice(start, start + width)
    return Encoded(
        start=start,
        planes={
            "characters": np.fromiter(map(_character, text[shown]), np.int32),
            "letters": np.fromiter((_letter(char) for char in fold(letters)[shown]), np.int32),
            "classes": np.fromiter(map(_class, text[shown]), np.int32),
        },
        sizes=SIZES,
    )


def _start(letters: str, width: int) -> int:
    weights = np.zeros(len(letters) + 1)
    for token in _TOKEN.finditer(letters):
        word = token[0]
        is_mixed = any(char.isdigit() for char in word) and any(char.isalpha() for char in word)
        weight = 6.0 if _LABELS.search(word) else 3.0 if is_mixed or DOT in word.strip(DOT) else 1.0
        weights[token.start() : token.end()] = weight
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    totals = sums[width : len(letters) + 1] - sums[: len(letters) + 1 - width]
    best = np.flatnonzero(totals == totals.max())
    return int(best[len(best) // 2]) if best[-1] - best[0] == len(best) - 1 else int(best[0])


@lru_cache(maxsize=16384)
def _character(char: str) -> int:
    code = ord(char)
    return max(code, 1) if code < 128 else 128 + crc32(char.encode("utf-8", "replace")) % (CHARACTERS - 128)


def _letter(folded: str) -> int:
    return _LETTER_IDS[folded]


@lru_cache(maxsize=16384)
def _class(char: str) -> int:
    return CLASSES.index(_class_name(char)) + 1


def _class_name(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\n\r\v\u2028\u2029":
        return "break"
    if "\u3400" <= char <= "\u9fff":
        return "han"
    if char.isascii() and char.isalpha():
        return "lower" if char.islower() else "upper"
    if char.isspace():
        return "space"
    names = {"L": "other_letter", "M": "mark", "C": "mark", "N": "digit", "P": "sign", "Z": "space", "S": "symbol"}
    return names[category[0]]
