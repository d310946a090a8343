"""The alphabets that addresses are written in: other characters for a letter, a digit or the dot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from riskchain_gym.messages.bank import DATA
from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.techniques.base import RewriteAddresses
from riskchain_gym.messages.techniques.substitution import Substitution
from riskchain_gym.protocol.model import Frozen

_FILES = ("letters.toml", "numerals.toml")

Forms = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(lambda v: tuple(v)), Field(min_length=1)
]
Source = Annotated[str, Field(pattern=r"^[a-z0-9.]$")]


class AlphabetFile(Frozen):
    """A file of alphabets.

    Attributes:
        alphabet: Name to the other forms of every character, nearest or commonest first.
    """

    alphabet: dict[str, dict[Source, Forms]]

    @model_validator(mode="after")
    def _one_source(self) -> AlphabetFile:
        sources: dict[str, str] = {}
        for table in self.alphabet.values():
            for source, forms in table.items():
                if wrong := [form for form in forms if sources.setdefault(form, source) != source]:
                    raise ValueError(f"{wrong[0]!r} stands for '{source}' and for '{sources[wrong[0]]}', drop one")
        return self


@cache
def _alphabets() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    files = [load_toml(DATA / "entry" / name, AlphabetFile) for name in _FILES]
    return {name: table for file in files for name, table in file.alphabet.items()}


def alphabet(name: str, forms: int) -> dict[str, tuple[str, ...]]:
    """Return the first ``forms`` other forms of every character of an alphabet.

    Args:
        name: Name of the alphabet, as in ``data/entry``.
        forms: How many to give where there are so many.

    Raises:
        InputFileError: The file is missing or wrong.
    """
    return {source: shown[:forms] for source, shown in _alphabets()[name].items()}


def rewrite_in(
    name: str, shares: tuple[float, float, float], forms: tuple[int, int, int]
) -> Callable[[int], RewriteAddresses]:
    """Return what makes the stage of a severity that writes addresses in an alphabet.

    Args:
        name: Name of the alphabet and of the stage.
        shares: Chance that a character is replaced, for severities 1 to 3.
        forms: How many other forms a character may take.
    """

    def make(severity: int) -> RewriteAddresses:
        return RewriteAddresses(name, Substitution(alphabet(name, forms[severity - 1]), shares[severity - 1]))

    return make
