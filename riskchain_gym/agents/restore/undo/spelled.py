"""Reads what is written in words: dots, digits and the names of letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from riskchain_gym.agents.restore.sounds import syllables
from riskchain_gym.agents.restore.undo.shapes import letters_of

_DOT_WORDS = re.compile(
    r" ?[（(\[{｛【]\s*(?:dot|point|period|点|點|\.)\s*[)）\]}｝】] ?| (?:dot|point|period) "
    "|小点|圆点|一点|句号|句点|點|丶",
    re.IGNORECASE,
)
_SIGNS: Mapping[str, str] = {
    **dict(zip("零一二三四五六七八九", "0123456789", strict=True)),
    **dict(zip("〇壹贰叁肆伍陆柒捌玖", "0123456789", strict=True)),
    **dict(zip("〡〢〣〤〥〦〧〨〩貳參陸弌弍弎", "123456789236123", strict=True)),
}
_DIGIT_SOUNDS = {
    "ling": "0", "yi": "1", "er": "2", "san": "3", "si": "4", "wu": "5", "liu": "6", "qi": "7", "ba": "8", "jiu": "9",
    "dian": ".",
}  # fmt: skip
_NAME_SOUNDS: Mapping[tuple[str, ...], str] = {
    tuple(names.split()): letter
    for names, letter in {
        "ai ke si": "x", "da bu liu": "w", "ai fu": "f", "ai chi": "h", "ai qu": "h", "ai le": "l", "ai lei": "l",
        "ai mu": "m", "an mu": "m", "a er": "r", "ai si": "s", "ei": "a", "bi": "b", "xi": "c", "di": "d", "yi": "e",
        "ji": "g", "ai": "i", "jie": "j", "kai": "k", "en": "n", "ng": "n", "n": "n", "ou": "o", "o": "o", "e": "o",
        "pi": "p", "qiu": "q", "kou": "q", "ti": "t", "you": "u", "wei": "v", "wai": "y", "zei": "z", "zi": "z",
        "dian": ".",
    }.items()
}  # fmt: skip
_LONGEST_NAME = max(map(len, _NAME_SOUNDS))
_ENTRY = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.")


def dots(text: str) -> str:
    """Return the text with dots for the words that stand for them."""
    return _DOT_WORDS.sub(".", text)


def numerals(text: str) -> str:
    """Return the text with the numerals and sound-alikes of digits read that touch letters of an entry.

    Args:
        text: Text without codes and marks.
    """
    read = list(letters_of(dots(text)))
    for places in (range(len(read)), range(len(read) - 1, -1, -1)):
        for i in places:
            if read[i] in _ENTRY or not _touches(read, i):
                continue
            read[i] = _digit(read[i]) or read[i]
    return "".join(read)


def letter_names(text: str) -> str:
    """Return the text with every character read that sounds like the name of a letter, numerals too.

    Only rows of such characters that end in an entry make one; the rest of the text comes out as nonsense.

    Args:
        text: Text without codes and marks.
    """
    plain = letters_of(dots(text))
    read: list[str] = []
    at = 0
    while at < len(plain):
        size, letter = _named(plain[at : at + _LONGEST_NAME])
        read.append(letter)
        at += size
    return "".join(read)


def _touches(read: list[str], i: int) -> bool:
    return (i > 0 and read[i - 1] in _ENTRY) or (i + 1 < len(read) and read[i + 1] in _ENTRY)


def _digit(char: str) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    for syllable in syllables(char):
        if syllable in _DIGIT_SOUNDS:
            return _DIGIT_SOUNDS[syllable]
    value = unicodedata.numeric(char, -1.0)
    return str(int(value)) if value in range(10) else ""


@lru_cache(maxsize=65536)
def _named(ahead: str) -> tuple[int, str]:
    """Return how many characters a letter's name takes, and the letter; one character as it is where none does.

    Args:
        ahead: The next characters, as many as the longest name has.
    """
    if ahead[0] in _SIGNS:
        return 1, _SIGNS[ahead[0]]
    for length in range(len(ahead), 0, -1):
        heard = [syllables(char) for char in ahead[:length]]
        if all(heard):
            for names, letter in _NAME_SOUNDS.items():
                if len(names) == length and all(name in each for name, each in zip(names, heard, strict=True)):
                    return length, letter
    return 1, ahead[0]
