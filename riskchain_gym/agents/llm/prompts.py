"""The prompts of the language-model agent: files in ``baselines/prompts/LANGUAGE/``, known by their hash."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Any

from riskchain_gym.llm.fence import neutral
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import sha256_of

DATA = "data.txt"
WORDS = "words.toml"
EXAMPLES = "examples.json"


class Prompts:
    """The prompts of one language. What is filled into them is never looked at again.

    Args:
        language: Name of the folder.
        folder: Folder of the languages; that of the package by default.
    """

    def __init__(self, language: str, folder: Path | None = None) -> None:
        self._folder = (folder or content_dir("baselines") / "prompts") / language
        self._read: dict[str, str] = {}
        self._words: dict[str, Any] | None = None

    def filled(self, name: str, **values: str) -> str:
        """Return a prompt file with its ``$names`` filled in, and ``$data`` with what is said of all data.

        Raises:
            InputFileError: The file is missing, or has a name that nothing is given for.
        """
        return self._fill(self.text(name), self._folder / name, {"data": self.text(DATA).strip(), **values}).strip()

    def section(self, name: str, **values: str) -> str:
        """Return what ``words.toml`` says by a name, filled in, with an empty line before it."""
        return "\n\n" + self.words(name, **values)

    def words(self, name: str, **values: str) -> str:
        """Return what ``words.toml`` says by a name, filled in.

        Raises:
            InputFileError: It has no such name, or one that nothing is given for.
        """
        if self._words is None:
            self._words = tomllib.loads(self.text(WORDS))
        if name not in self._words:
            raise InputFileError(self._folder / WORDS, name, "is missing, the agent needs it")
        return self._fill(str(self._words[name]), self._folder / WORDS, values).strip()

    def examples(self, count: int) -> str:
        """Return the section of the first solved examples, ``""`` for none."""
        solved: list[dict[str, Any]] = json.loads(self.text(EXAMPLES))[:count]
        items = (
            self.words("example", **{name: _line(each[name]) for name in ("message", "answer")}) for each in solved
        )
        return self.section("examples", items="\n\n".join(items)) if solved else ""

    def sha256(self, names: Iterable[str]) -> str:
        """Return the hash of prompt files, by name and content."""
        return sha256_of({name: self.text(name) for name in names})

    def text(self, name: str) -> str:
        """Return a prompt file as it is.

        Raises:
            InputFileError: It cannot be read.
        """
        if name not in self._read:
            try:
                self._read[name] = (self._folder / name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise InputFileError(self._folder / name, "", f"cannot be read as a prompt ({error})") from error
        return self._read[name]

    def _fill(self, text: str, file: Path, values: dict[str, str]) -> str:
        try:
            return Template(text).substitute(values)
        except (KeyError, ValueError) as error:
            raise InputFileError(file, str(error).strip("'"), "is no name that the agent fills in") from error


def _line(value: Any) -> str:
    return neutral(json.dumps(value, ensure_ascii=False))
