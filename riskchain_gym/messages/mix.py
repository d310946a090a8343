"""The recipe mix: how many techniques a drawn recipe has, of which phases and how severe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riskchain_gym.messages.menu import Choice, menu_of
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES
from riskchain_gym.messages.techniques.base import Language, Phase
from riskchain_gym.messages.techniques.published import TECHNIQUES as PUBLISHED
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom

_PUBLISHED = frozenset(technique.name for technique in PUBLISHED)


@dataclass(frozen=True)
class Mix:
    """The distribution that recipes are drawn from.

    Attributes:
        choice: Which techniques take part.
        counts: Number of techniques in a recipe to its weight; fewer come where no further one fits.
        severities: Severity of a technique to its weight.
        phases: Phase to its weight: how often a technique is taken from it, where there is one that fits.
        most: How many techniques of a phase a recipe may have; any number where it says nothing.
        published: Share of the sessions of the published kind that get one of the six published recipes.
        clean: Share of all sessions that stay as they are.
        first: Phases that the first technique may come from.
        beyond_paper: Whether the first technique must be one that no published recipe has.
    """

    choice: Choice = Choice.SEEN
    counts: Mapping[int, int] = field(default_factory=lambda: {1: 35, 2: 40, 3: 25})
    severities: Mapping[int, int] = field(default_factory=lambda: {1: 30, 2: 40, 3: 30})
    phases: Mapping[Phase, int] = field(
        default_factory=lambda: {Phase.WORDS: 3, Phase.ENTRY: 4, Phase.LINES: 1, Phase.NOISE: 1, Phase.CODES: 1}
    )
    most: Mapping[Phase, int] = field(default_factory=lambda: {Phase.ENTRY: 2, Phase.LINES: 1})
    published: float = 0.0
    clean: float = 0.0
    first: tuple[Phase, ...] = tuple(Phase)
    beyond_paper: bool = False


def fixed_recipe(rng: KeyedRandom, mix: Mix, is_parity: bool) -> str | None:
    """Return the published recipe, or ``clean``, that the mix gives a session; ``None`` when one is to be composed.

    Args:
        rng: Where to draw from.
        mix: The distribution.
        is_parity: Whether the session is of the published kind: one Chinese message with its whole entry.
    """
    if rng.chance(mix.clean):
        return CLEAN
    if is_parity and rng.chance(mix.published):
        return rng.choice(PAPER_RECIPES)
    return None


def sample_recipe(
    rng: KeyedRandom,
    mix: Mix,
    *,
    languages: frozenset[Language],
    has_address: bool = True,
    is_whole: bool = True,
    may_doubt: bool = True,
) -> str:
    """Return the name of a recipe composed of techniques at severities.

    Args:
        rng: Where to draw from.
        mix: The distribution.
        languages: Languages that every technique must work on.
        has_address: Whether there is an address; without one nothing is drawn that rewrites addresses.
        is_whole: Whether the entry is whole; a split one meets no code that needs plain addresses.
        may_doubt: Whether address codes with several sources take part.

    Raises:
        ConfigError: No registered technique fits.
    """
    menu = menu_of(mix.choice, languages=languages, has_address=has_address, is_whole=is_whole, may_doubt=may_doubt)
    fitting = menu.names
    name = menu.draw(
        rng,
        mix.phases,
        menu.openers - _PUBLISHED if mix.beyond_paper else menu.openers,
        [phase for phase in Phase if phase not in mix.first],
    )
    if name is None:
        raise ConfigError(
            f"No technique fits a recipe of choice '{mix.choice}' on {' and '.join(sorted(languages))} "
            f"(has_address={has_address}, is_whole={is_whole}, beyond_paper={mix.beyond_paper}): register one."
        )
    chosen = [name]
    count = rng.weighted(list(mix.counts), list(mix.counts.values()))
    while len(chosen) < count:
        fitting &= menu.partners[name]
        phases = [menu.places[other][0] for other in chosen]
        full = [phase for phase, most in mix.most.items() if phases.count(phase) >= most]
        if (name := menu.draw(rng, mix.phases, fitting, full)) is None:
            break
        chosen.append(name)
    chosen.sort(key=menu.places.__getitem__)
    severities, weights = list(mix.severities), list(mix.severities.values())
    return "+".join(f"{name}@{rng.weighted(severities, weights)}" for name in chosen)
