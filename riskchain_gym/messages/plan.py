"""What a message split is made of: its strata, its mix, its platforms; and a session drafted for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.mix import Mix
from riskchain_gym.messages.plain import PlainSession
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.skeletons import Skeleton
from riskchain_gym.messages.turns import order
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Platform, Surface


@dataclass(frozen=True)
class Stratum:
    """A part of a split.

    Attributes:
        name: What it is called.
        takes: Whether a skeleton of the split's pool belongs to it.
        parts: Its size in relation to the split's other strata.
    """

    name: str
    takes: Callable[[Skeleton], bool]
    parts: int = 1


@dataclass(frozen=True)
class MessagePlan:
    """What a split is made of.

    Attributes:
        name: Name of the split.
        pool: Where its skeletons, word pairs and codes come from.
        sessions: How many sessions a build writes.
        strata: Its parts; within each, skeletons come in turn.
        recipes: The recipes of every session; empty to draw one recipe a session from the mix.
        mix: The distribution that recipes are drawn from.
        platforms: Platforms, in turn.
        surfaces: Surfaces, in turn.
        floor: Lowest ceiling of a message; a recipe that gives a lower one is drawn again.
        all_marked: Whether each technique of a drawn recipe has to leave a mark; otherwise one of them has to.
        unit: How many successive sessions are drawn together: 2 for contrast pairs.
        endless: Whether it has more sessions than a build writes, as many as anybody asks for.
    """

    name: str
    pool: Pool
    sessions: int
    strata: tuple[Stratum, ...]
    recipes: tuple[str, ...] = ()
    mix: Mix = field(default_factory=Mix)
    platforms: tuple[Platform, ...] = tuple(Platform)
    surfaces: tuple[Surface, ...] = tuple(Surface)
    floor: float = 0.0
    all_marked: bool = True
    unit: int = 1
    endless: bool = False

    def skeletons(self, stratum: Stratum) -> tuple[Skeleton, ...]:
        """Return the skeletons of a stratum, in order of name.

        Raises:
            ConfigError: The pool has none.
        """
        if not (found := _skeletons(self.pool, stratum)):
            raise ConfigError(
                f"Split '{self.name}' needs skeletons for its part '{stratum.name}', but pool '{self.pool}' has none: "
                "add some."
            )
        return found

    def stratum_of(self, key: bytes, number: int) -> tuple[Stratum, int]:
        """Return the stratum of a unit and how many units of that stratum come before it.

        Every run of as many units as the strata have parts holds each stratum as often as it has parts.

        Args:
            key: Key of the split.
            number: Position of the unit in the split, from 0.
        """
        parts = self._parts
        turn, place = divmod(number, len(parts))
        *before, stratum = (parts[p % len(parts)] for p in order(key, "strata", turn, len(parts))[: place + 1])
        return stratum, turn * stratum.parts + before.count(stratum)

    @cached_property
    def _parts(self) -> tuple[Stratum, ...]:
        return tuple(stratum for stratum in self.strata for _ in range(stratum.parts))


@dataclass(frozen=True)
class Draft:
    """A session that is written but not yet disguised.

    Attributes:
        plain: The plain session.
        label: What everything about it is drawn under.
        recipes: Its recipes; empty when one is to be drawn.
        pair: Name of the contrast pair it is half of, or ``""``.
        attribute: What differs between the halves, or ``""``.
    """

    plain: PlainSession
    label: tuple[str, ...]
    recipes: tuple[str, ...] = ()
    pair: str = ""
    attribute: str = ""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The entry, where there is one, and the decoys."""
        return (*([self.plain.entry] if self.plain.entry is not None else ()), *self.plain.decoys)


@cache
def _skeletons(pool: Pool, stratum: Stratum) -> tuple[Skeleton, ...]:
    return tuple(skeleton for skeleton in load_bank(pool=pool).skeletons if stratum.takes(skeleton))
