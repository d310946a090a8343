"""Traditional Chinese from Simplified: a table of words and characters, the longest match first."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError


class Traditional:
    """Converts texts with the pairs of a table; what stands in no pair stays as it is.

    Args:
        table: A file with one pair a line, Simplified and Traditional with a tab between them; ``#`` opens a comment.

    Raises:
        InputFileError: A line is not a pair, or the same word stands twice.
    """

    def __init__(self, table: Path) -> None:
        self._pairs: dict[str, str] = {}
        for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            source, tab, target = line.partition("\t")
            if not (source and tab and target) or source in self._pairs:
                raise InputFileError(
                    table, f"line {number}", "must be a pair 'simplified TAB traditional', once a word"
                )
            self._pairs[source] = target
        words = sorted((word for word in self._pairs if len(word) > 1), key=lambda word: (-len(word), word))
        self._words = re.compile("|".join(map(re.escape, words)) or r"(?!)")
        self._characters = str.maketrans({word: to for word, to in self._pairs.items() if len(word) == 1})

    def text(self, text: str) -> str:
        """Return a text converted."""
        done, last = [], 0
        for match in self._words.finditer(text):
            done += [text[last : match.start()].translate(self._characters), self._pairs[match.group()]]
            last = match.end()
        return "".join([*done, text[last:].translate(self._characters)])

    def convert(self, value: Any) -> Any:
        """Return a value with every text inside it converted; the keys of mappings stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.convert(item) for item in value]
        if isinstance(value, dict):
            return {key: self.convert(item) for key, item in value.items()}
        return value
