"""Folds letters by their names, reads digits as letters and pairs of letters as one: entries by what they look like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product

from riskchain_gym.agents.restore.lookalikes import OTHER, fold

_LATIN = re.compile("LATIN SMALL LETTER ([A-Z]) WITH .*")
_SHAPES = dict(zip("ՏԍꙁӽҳլꭤϸϺŋꭇꭈքƅաʍʊџβζς", "sgzxxlapmnrrfbwmuubzc", strict=True))
"""What letters look like whose names say something else; every one of them is written in ``train``."""

_DIGIT_LETTERS = {"0": "o", "1": "li", "2": "z", "3": "e", "4": "a", "5": "s", "6": "b", "7": "t", "8": "b", "9": "gq"}
_PAIRS = (("vv", "w"), ("rn", "m"), ("cl", "d"))
_MOST = 3


def letters_of(text: str) -> str:
    """Return the text in the ASCII letters, dots and breaks that it may stand for; what has none stays as it is.

    Beside look-alikes that are listed (:func:`~riskchain_gym.agents.restore.lookalikes.fold`) a letter is read by its
    shape or its Unicode name, a digit of another script by its value. The length stays.
    """
    return "".join(
        (_by_name(char) or char) if folded == OTHER else folded for char, folded in zip(text, fold(text), strict=True)
    )


@lru_cache(maxsize=8192)
def _by_name(char: str) -> str:
    if char in _SHAPES:
        return _SHAPES[char]
    if (digit := unicodedata.digit(char, -1)) >= 0:
        return str(digit)
    found = _LATIN.fullmatch(unicodedata.name(char, ""))
    return found[1].lower() if found else ""


def rewritten(entry: str) -> Iterator[str]:
    """Yield the entries that look like one: letters for the digits of its second label, one letter for two.

    Args:
        entry: Three labels.
    """
    first, second, last = entry.split(".")
    if any(char.isdigit() for char in second):
        ways = product(*(_DIGIT_LETTERS.get(char, char) for char in second))
        for way in islice(ways, _MOST):
            yield f"{first}.{''.join(way)}.{last}"
    for pair, letter in _PAIRS:
        if pair in first or pair in second:
            yield f"{first.replace(pair, letter)}.{second.replace(pair, letter)}.{last}"
