"""The menu of a recipe: which techniques it may have, which of them go together and in which order they come."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from riskchain_gym.messages.techniques.base import (
    SEVERITIES,
    Language,
    Phase,
    Reversibility,
    RewriteAddresses,
    Technique,
)
from riskchain_gym.messages.techniques.registry import SHIPPED
from riskchain_gym.protocol.keyed import KeyedRandom

CARRIERS = frozenset(
    {
        "homophones",
        "near_homophones",
        "look_alikes",
        "split_characters",
        "traditional",
        "coded_slang",
        "sound_signs",
        "platform_codes",
    }
)
"""Techniques that training shows, but whose word pairs and codes every pool has for itself."""


class Choice(StrEnum):
    """Which techniques a mix draws from."""

    SEEN = "seen"
    """Those that training shows."""
    HELD_OUT = "held_out"
    """Those that training never shows, and after the first of them the :data:`CARRIERS` too."""
    ANY = "any"
    """All of them."""


@dataclass(frozen=True)
class _Candidate:
    """A technique, and what decides which others it goes with."""

    technique: Technique
    is_code: bool
    whole_only: bool
    stages: frozenset[str]

    def goes_with(self, other: _Candidate) -> bool:
        """Say whether one recipe may have both.

        Nothing is done twice. A code that has several sources, or that needs plain addresses, is the only one: taking
        the first back from every text that another may have meant has no bound, and what the second writes is a whole.
        """
        if self.is_code and other.is_code and (self.stands_alone or other.stands_alone):
            return False
        return not (self.stages & other.stages or set(self.technique.types) & set(other.technique.types))

    @property
    def stands_alone(self) -> bool:
        """Whether it goes with no other code."""
        return self.whole_only or self.technique.reversibility is not Reversibility.EXACT

    @property
    def place(self) -> tuple[int, bool, str]:
        """Where it comes in a recipe's name: by phase, and of the entry's techniques the codes first."""
        return self.technique.phase, not self.is_code, self.technique.name


@dataclass(frozen=True)
class Menu:
    """The techniques that a recipe of some kind may have.

    Attributes:
        names: The names of them all.
        openers: The names of those that may be a recipe's only one.
        phases: Phase to the names of its techniques.
        partners: Name to the names of those that it goes with.
        places: Name to its place in a recipe's name.
    """

    names: frozenset[str]
    openers: frozenset[str]
    phases: Mapping[Phase, tuple[str, ...]]
    partners: Mapping[str, frozenset[str]]
    places: Mapping[str, tuple[int, bool, str]]

    def draw(
        self, rng: KeyedRandom, weights: Mapping[Phase, int], fitting: frozenset[str], full: Collection[Phase]
    ) -> str | None:
        """Return the name of a technique that fits, of none of the full phases; ``None`` without one."""
        phases = [
            phase for phase in weights if phase not in full and not fitting.isdisjoint(self.phases.get(phase, ()))
        ]
        if not phases:
            return None
        phase = rng.weighted(phases, [weights[phase] for phase in phases])
        return rng.choice([name for name in self.phases[phase] if name in fitting])


@cache
def menu_of(
    choice: Choice, *, languages: frozenset[Language], has_address: bool, is_whole: bool, may_doubt: bool = True
) -> Menu:
    """Return the menu of one kind of recipe; only techniques that ship are on it.

    Args:
        choice: Which techniques take part.
        languages: Languages that every technique must work on.
        has_address: Whether there is an address; without one nothing is listed that rewrites addresses.
        is_whole: Whether the entry is whole; a split one meets no code that needs plain addresses.
        may_doubt: Whether address codes with several sources are listed.
    """
    candidates = [
        candidate
        for candidate in map(_candidate, SHIPPED)
        if _is_chosen(candidate.technique, choice)
        and languages <= candidate.technique.languages
        and (has_address or candidate.technique.phase is not Phase.ENTRY)
        and (is_whole or not candidate.whole_only)
        and (may_doubt or not candidate.is_code or candidate.technique.reversibility is Reversibility.EXACT)
    ]
    names = frozenset(candidate.technique.name for candidate in candidates)
    return Menu(
        names=names,
        openers=names - CARRIERS if choice is Choice.HELD_OUT else names,
        phases={p: tuple(c.technique.name for c in candidates if c.technique.phase is p) for p in Phase},
        partners={
            one.technique.name: frozenset(
                other.technique.name for other in candidates if other is not one and one.goes_with(other)
            )
            for one in candidates
        },
        places={candidate.technique.name: candidate.place for candidate in candidates},
    )


def _is_chosen(technique: Technique, choice: Choice) -> bool:
    match choice:
        case Choice.SEEN:
            return not technique.held_out
        case Choice.HELD_OUT:
            return technique.held_out or technique.name in CARRIERS
        case Choice.ANY:
            return True


@cache
def _candidate(technique: Technique) -> _Candidate:
    rules = [technique.make(severity) for severity in SEVERITIES]
    codes = [rule.code for rule in rules if isinstance(rule, RewriteAddresses)]
    return _Candidate(
        technique,
        is_code=bool(codes),
        whole_only=any(code.whole_only for code in codes),
        stages=frozenset(rule.name for rule in rules),
    )
