"""Drafts: the sessions of a split before they are disguised, and a whole build's with every address used once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.contrast import draft_pair
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.mix import fixed_recipe
from riskchain_gym.messages.plan import Draft, MessagePlan
from riskchain_gym.messages.plans import PLANS
from riskchain_gym.messages.recipes import PAPER_RECIPES
from riskchain_gym.messages.turns import in_turn
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key

Unit = tuple[Draft, ...]
"""Drafts that are drawn together: one, or both halves of a contrast pair."""


@lru_cache(maxsize=64)
def split_key(key: bytes, split: str) -> bytes:
    """Return the key that everything of a split is drawn under."""
    return derive_key(key, "messages", split)


def draft_unit(plan: MessagePlan, key: bytes, number: int, redraw: int = 0) -> Unit:
    """Return one unit of a split: the same value for the same arguments, everywhere.

    Args:
        plan: The plan of the split.
        key: Key of the whole set.
        number: Position of the unit in the split, from 0.
        redraw: How often it was drawn before; each time has other addresses.

    Raises:
        ConfigError: The bank lacks skeletons for it.
    """
    key = split_key(key, plan.name)
    label = ("message", str(number), *((f"redraw {redraw}",) if redraw else ()))
    if plan.unit == 2:
        return draft_pair(plan, key, number, label)
    stratum, rank = plan.stratum_of(key, number)
    skeleton = in_turn(key, f"skeletons {stratum.name}", plan.skeletons(stratum), rank)
    recipes = plan.recipes
    if not recipes and (recipe := fixed_recipe(KeyedRandom(key, *label, "fixed"), plan.mix, skeleton.is_parity)):
        recipes = (recipe,)
    plain = plain_session(
        key,
        *label,
        skeleton=skeleton,
        platform=in_turn(key, "platforms", plan.platforms, number),
        surface=in_turn(key, "surfaces", plan.surfaces, number),
        style=EntryStyle.PAPER if set(recipes) & set(PAPER_RECIPES) else EntryStyle.OPEN,
    )
    return (Draft(plain, label, recipes),)


def unique_drafts(key: bytes, counts: Mapping[str, int]) -> dict[str, list[Unit]]:
    """Return the units of several splits, none with an address that another has.

    A unit with a taken address is drawn again. What counts as taken are the addresses of all splits that come before,
    asked for or not, so that what a split holds does not depend on which others are built.

    Args:
        key: Key of the whole set.
        counts: Number of sessions by split.

    Returns:
        The units of each split in ``counts``, in the order of :data:`riskchain_gym.messages.plans.PLANS`.

    Raises:
        ConfigError: The bank lacks skeletons for a split.
    """
    drafts: dict[str, list[Unit]] = {}
    taken: set[str] = set()
    for name, plan in PLANS.items():
        if name == "train" and name not in counts:
            break
        units = [
            _fresh_unit(plan, key, number, taken) for number in range(counts.get(name, plan.sessions) // plan.unit)
        ]
        if name in counts:
            drafts[name] = units
    return drafts


def _fresh_unit(plan: MessagePlan, key: bytes, number: int, taken: set[str]) -> Unit:
    redraw = 0
    while (found := _addresses(unit := draft_unit(plan, key, number, redraw))) is None or found & taken:
        redraw += 1
    taken |= found
    return unit


def _addresses(unit: Unit) -> set[str] | None:
    """Return the addresses of a unit, or ``None`` when one of its sessions names an address twice."""
    if any(len(set(draft.addresses)) != len(draft.addresses) for draft in unit):
        return None
    return {address for draft in unit for address in draft.addresses}
