"""Restored messages by what they are: kinds of disguise, of session and of wording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from riskchain_gym.messages.pairs import IMPORTED
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.messages.techniques.registry import techniques
from riskchain_gym.scoring.messages import ScoredMessage

PUBLISHED = "published"
"""The family of the six published recipes, which mix the families of the techniques."""

OTHER = "other"
"""The family of a technique that is not registered here."""


def techniques_of(recipe: str) -> tuple[str, ...]:
    """Return the techniques of a recipe by name; of a published one, which has none of its own, its name."""
    return tuple(dict.fromkeys(part.partition("@")[0] for part in recipe.split("+")))


def _families(row: GoldRow) -> Iterable[str]:
    known: dict[str, str] = {technique.name: technique.family for technique in techniques()}
    known |= dict.fromkeys(PAPER_RECIPES, PUBLISHED) | {CLEAN: CLEAN, IMPORTED: IMPORTED}
    return dict.fromkeys(known.get(name, OTHER) for name in techniques_of(row.recipe))


GROUPINGS: Mapping[str, Callable[[GoldRow], Iterable[str]]] = {
    "technique": lambda row: techniques_of(row.recipe),
    "family": _families,
    "recipe": lambda row: (row.recipe,),
    "variant": lambda row: (row.variant,),
    "severity": lambda row: ("none" if row.severity is None else str(row.severity),),
    "form": lambda row: (row.form,),
    "topic": lambda row: (row.topic or "none",),
    "language": lambda row: (row.language,),
    "platform": lambda row: (row.platform,),
}
"""What messages can be grouped by, and the groups of a message.

By technique and by family it is in one for each of its recipe; a family is one of the published registry's.
"""


def group_messages(grouping: str, scored: Iterable[ScoredMessage]) -> dict[str, tuple[ScoredMessage, ...]]:
    """Return every group of messages, in order of the groups' names.

    Args:
        grouping: One of :data:`GROUPINGS`.
        scored: The messages.
    """
    groups: dict[str, list[ScoredMessage]] = defaultdict(list)
    for each in scored:
        for name in GROUPINGS[grouping](each.row):
            groups[name].append(each)
    return {name: tuple(groups[name]) for name in sorted(groups)}


def explain_groups(grouping: str, scored: Iterable[ScoredMessage]) -> tuple[str, ...]:
    """Return sentences on the names of groups that do not speak for themselves; none where all do.

    Args:
        grouping: One of :data:`GROUPINGS`.
        scored: The messages.
    """
    rows = [each.row for each in scored]
    recipes = {row.recipe for row in rows}
    published = sorted(recipes & set(PAPER_RECIPES))
    said: list[str] = []
    if grouping in ("technique", "family") and any("+" in recipe for recipe in recipes):
        several = {"technique": "techniques", "family": "families"}[grouping]
        said.append(f"A sample of several {several} counts in the line of each.")
    if grouping == "technique" and published:
        said.append(f"Published recipes, which mix techniques, have lines of their own: {', '.join(published)}.")
    if grouping == "family" and published:
        said.append(f"{PUBLISHED}: the published recipes, which mix families.")
    if grouping in ("technique", "family", "recipe") and CLEAN in recipes:
        said.append(f"{CLEAN}: nothing is disguised.")
    if grouping == "severity" and any(row.severity is None for row in rows):
        said.append("none: published recipes and imported text, which have no severity.")
    if grouping == "severity" and any(row.severity == 0 for row in rows):
        said.append("0: nothing is disguised.")
    if grouping == "topic" and any(not row.topic for row in rows):
        said.append("none: no topic is known.")
    return tuple(said)
