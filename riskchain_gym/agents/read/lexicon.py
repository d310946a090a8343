"""The reader's lexicon, read once from ``data/*.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from riskchain_gym.agents.read.cues import Cue, Denial
from riskchain_gym.protocol.codebook import Component, ViolationType

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class TypedCue:
    """A cue of one side of one violation type."""

    violation_type: ViolationType
    component: Component
    cue: Cue


@dataclass(frozen=True)
class Folding:
    """Spellings that are read as one: letter case, regional characters and words."""

    characters: dict[int, str]
    words: dict[str, str]

    def fold(self, text: str) -> str:
        """Return a text in the lexicon's spelling: lower case, simplified characters, its own words."""
        folded = text.lower().translate(self.characters)
        for word, own in self.words.items():
            folded = folded.replace(word, own)
        return folded


@dataclass(frozen=True)
class Lexicon:
    """All cues and context words.

    Attributes:
        typed: Claims and actions of the nine types, in file order.
        benign: What an honest service says.
        limitation: What keeps a site from being judged.
        denial: What denies a word.
        warnings: What makes a line speak about a risk.
        about_pages: Words that make a whole page speak about risks or news.
        folding: Spellings that are read as one.
    """

    typed: tuple[TypedCue, ...]
    benign: tuple[Cue, ...]
    limitation: tuple[Cue, ...]
    denial: Denial
    warnings: tuple[Cue, ...]
    about_pages: tuple[str, ...]
    folding: Folding

    def fold(self, text: str) -> str:
        """Return a text in the spelling of the cues."""
        return self.folding.fold(text)


@cache
def default_lexicon() -> Lexicon:
    """Return the lexicon that ships with the package."""
    violations: dict[str, dict[str, list[str]]] = _load("violations.yaml")
    context: dict[str, list[str]] = _load("context.yaml")
    folding = _folding(_load("folding.yaml"))

    def cue(source: str) -> Cue:
        return Cue.parse(folding.fold(source))

    def words(key: str) -> tuple[str, ...]:
        return tuple(folding.fold(word) for word in context[key])

    return Lexicon(
        typed=tuple(
            TypedCue(ViolationType(name), component, cue(source))
            for name, sides in violations.items()
            for component in (Component.CLAIM, Component.ACTION)
            for source in sides[component.value]
        ),
        benign=tuple(cue(source) for source in context["benign"]),
        limitation=tuple(cue(source) for source in context["limitation"]),
        denial=Denial(words("negators"), words("adjacent_negators")),
        warnings=tuple(cue(source) for source in context["warnings"]),
        about_pages=words("about_pages"),
        folding=folding,
    )


def _folding(raw: dict[str, Any]) -> Folding:
    pairs: list[str] = raw["characters"].split()
    return Folding({ord(pair[0]): pair[1] for pair in pairs}, dict(raw["words"]))


def _load(name: str) -> Any:
    return yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
