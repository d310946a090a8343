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
class Lexicon:
    """All cues and context words.

    Attributes:
        typed: Claims and actions of the nine types, in file order.
        benign: What an honest service says.
        limitation: What keeps a site from being judged.
        denial: What denies a word.
        warnings: What makes a line speak about a risk.
        about_pages: Words that make a whole page speak about risks or news.
    """

    typed: tuple[TypedCue, ...]
    benign: tuple[Cue, ...]
    limitation: tuple[Cue, ...]
    denial: Denial
    warnings: tuple[Cue, ...]
    about_pages: tuple[str, ...]


@cache
def default_lexicon() -> Lexicon:
    """Return the lexicon that ships with the package."""
    violations: dict[str, dict[str, list[str]]] = _load("violations.yaml")
    context: dict[str, list[str]] = _load("context.yaml")
    return Lexicon(
        typed=tuple(
            TypedCue(ViolationType(name), component, Cue.parse(source))
            for name, sides in violations.items()
            for component in (Component.CLAIM, Component.ACTION)
            for source in sides[component.value]
        ),
        benign=tuple(Cue.parse(source) for source in context["benign"]),
        limitation=tuple(Cue.parse(source) for source in context["limitation"]),
        denial=Denial(_words(context["negators"]), _words(context["adjacent_negators"])),
        warnings=tuple(Cue.parse(source) for source in context["warnings"]),
        about_pages=_words(context["about_pages"]),
    )


def _load(name: str) -> Any:
    return yaml.safe_load((DATA / name).read_text(encoding="utf-8"))


def _words(values: list[str]) -> tuple[str, ...]:
    return tuple(str(value).lower() for value in values)
