"""The chains of a split by what they are: disguise, label, site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.imported_gold import ARCHETYPE
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES, get_recipe
from riskchain_gym.messages.techniques.base import SEVERITIES
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, DEPTHS, Decision
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import GATE_VARIANT
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.intervals import intervals
from riskchain_gym.scoring.message_groups import techniques_of
from riskchain_gym.scoring.summary import Summary, summarize

NONE = "none"
"""The stratum of chains that have nothing of the kind: no gate on the site, no severity of a published recipe."""

Strata = dict[str, tuple[str, ...]]
"""Chain id to the strata that the chain is in: one as a rule, more where a site has several gates."""


def _severity(recipe: str) -> str:
    severity = get_recipe(recipe).severity
    return NONE if severity is None else str(severity)


_DIMENSIONS: dict[str, Callable[[PublicChain, GoldChain], tuple[str, ...]]] = {
    "recipe": lambda public, _: (public.recipes[GATE_VARIANT],),
    "technique": lambda public, _: techniques_of(public.recipes[GATE_VARIANT]),
    "severity": lambda public, _: (_severity(public.recipes[GATE_VARIANT]),),
    "platform": lambda _, gold: (gold.message.platform,),
    "message_language": lambda _, gold: (gold.message.language,),
    "decision": lambda _, gold: (gold.site.decision,),
    "type": lambda _, gold: (gold.site.violation_type,) if gold.site.decision is Decision.VIOLATION else (),
    "depth": lambda _, gold: (gold.site.depth,),
    "gate": lambda _, gold: tuple(sorted(set(gold.site.gates))) or (NONE,),
    "track": lambda _, gold: (gold.site.track,),
    "archetype": lambda _, gold: (gold.site.archetype,),
    "difficulty": lambda _, gold: (gold.site.difficulty,),
    "language": lambda _, gold: (gold.site.lang,),
}

DIMENSIONS = tuple(_DIMENSIONS)
"""What chains are told apart by, in the order of tables."""

_OF_MADE_SITES = frozenset({"gate", "archetype", "difficulty"})
"""What nobody knows of imported sites."""

_ORDER = (
    *PAPER_RECIPES,
    CLEAN,
    *map(str, (0, *SEVERITIES)),
    *Decision,
    *CONCRETE_TYPES,
    *DEPTHS,
    *("L2_OBSERVATION", "L3_STATEFUL"),
    *("easy", "medium", "hard"),
    *("zh", "zh-CN", "zh-TW", "en", "mixed"),
)
_RANK = {name: rank for rank, name in enumerate(_ORDER)}


def strata_of(split: str) -> dict[str, Strata]:
    """Return the strata of every chain of a split, by dimension, in the order of :data:`DIMENSIONS`.

    ``type`` has the chains whose gold is a violation, the others are in none of its strata; ``gate`` has a chain in as
    many strata as its site has kinds of gates; ``language`` is the site's, ``message_language`` that of the wording. A
    dimension that is not known of the split is left out: of imported sites their gates, archetypes and difficulty, and
    the severity where no recipe has one.

    Args:
        split: Name or path of the split.

    Raises:
        UnknownNameError: There is no such split.
        InputFileError: A file of it is missing or damaged.
    """
    gold = load_gold(split)
    chains = load_public(split)
    imported = any(bundle.site.archetype == ARCHETYPE for bundle in gold.values())
    found = {
        name: {public.chain_id: tuple(map(str, of(public, gold[public.chain_id]))) for public in chains}
        for name, of in _DIMENSIONS.items()
        if not (imported and name in _OF_MADE_SITES)
    }
    if all(strata == (NONE,) for strata in found["severity"].values()):
        del found["severity"]
    return found


def in_order(names: Sequence[str]) -> list[str]:
    """Return names of strata as tables have them: what has an order in it, then by name, ``none`` last."""
    return sorted(names, key=lambda name: (name == NONE, _RANK.get(name, len(_RANK)), name))


def by_stratum(
    outcomes: Sequence[Outcome], strata: Mapping[str, Sequence[str]], cluster_of: Mapping[str, str] | None = None
) -> dict[str, Summary]:
    """Return the figures of each stratum of one dimension that outcomes are in, in the order of tables.

    Args:
        outcomes: One a chain, in any order.
        strata: Strata by chain id, one dimension of :func:`strata_of`; a chain that is not there is in none.
        cluster_of: Website of each chain, for intervals; ``None``: without any.

    Raises:
        ValueError: Outcomes of a stratum cannot be summarised together.
    """
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        for name in strata.get(outcome.chain_id, ()):
            groups[name].append(outcome)
    return {
        name: summarize(groups[name], [] if cluster_of is None else [intervals(groups[name], "website", cluster_of)])
        for name in in_order(list(groups))
    }
