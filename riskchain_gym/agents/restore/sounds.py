"""Tone-free readings of Chinese characters (pypinyin's single-character table)."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib import import_module

_READINGS = 2
"""Readings kept per character: the table lists them by how common they are."""


@lru_cache(maxsize=8192)
def syllables(char: str) -> tuple[str, ...]:
    """Return the commonest readings of a character without tones, ``v`` for ``ü``; empty when it has none.

    Args:
        char: One character.
    """
    table: dict[int, str] = import_module("pypinyin.pinyin_dict").pinyin_dict
    plain: list[str] = []
    for reading in table.get(ord(char), "").split(",")[: _READINGS + 1]:
        letters = unicodedata.normalize("NFD", reading).replace("u\u0308", "v")
        bare = "".join(c for c in letters if not unicodedata.combining(c))
        if bare and bare not in plain:
            plain.append(bare)
    return tuple(plain[:_READINGS])


def is_known_phrase(text: str) -> bool:
    """Tell whether pypinyin's phrase table holds a text; such text is left as it is unless the context is strong."""
    return text in import_module("pypinyin.phrases_dict").phrases_dict
