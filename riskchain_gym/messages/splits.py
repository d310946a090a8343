"""The sessions of a split: each is a function of key, split and index, so any can be made at any time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, takewhile

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.drafts import Unit, draft_unit, split_key
from riskchain_gym.messages.mix import sample_recipe
from riskchain_gym.messages.plan import Draft, MessagePlan
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.messages.recipes import PAPER_RECIPES, Recipe, get_recipe
from riskchain_gym.messages.session import Session, merge_variants, write_session
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import Trace
from riskchain_gym.protocol.keyed import KeyedRandom

REDRAWS = 200
"""How many recipes are drawn for a session before it is given up."""


def session_of(split: str, key: bytes, index: int) -> Session:
    """Return one session of a split: the same value for the same arguments, everywhere.

    It is the session that a build writes, unless the build has drawn it again because one of its addresses was taken
    (:func:`riskchain_gym.messages.drafts.unique_drafts`), which is rare.

    Args:
        split: Name of the split.
        key: Key of the whole set, e.g. :func:`riskchain_gym.protocol.keyed.key_from_seed`.
        index: Position in the split, from 0; ``train`` has no last one.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The split has no such index, or nothing in the bank or the registry gives such a session.
    """
    plan = get_plan(split)
    if index < 0 or (not plan.endless and index >= plan.sessions):
        last = "on without end" if plan.endless else f"to {plan.sessions - 1}"
        raise ConfigError(f"Split '{split}' has no session {index}: give an index from 0 {last}.")
    number, half = divmod(index, plan.unit)
    return write_unit(plan, key, draft_unit(plan, key, number))[half]


def iter_sessions(split: str, key: bytes, start: int = 0) -> Iterator[Session]:
    """Yield the sessions of a split in order: those of its plan, of an endless split without end.

    Args:
        split: Name of the split.
        key: Key of the whole set.
        start: Index of the first.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: Nothing in the bank or the registry gives such a session.
    """
    return (session_of(split, key, index) for index in _indices(get_plan(split), start))


def sessions_with(split: str, key: bytes, recipe: str) -> Iterator[Session]:
    """Yield the sessions of a split under a recipe of one's own, those left out whose language it does not know.

    Args:
        split: Name of the split.
        key: Key of the whole set.
        recipe: Name of the recipe.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The recipe is unknown, or knows the language of none of the split's skeletons.
    """
    plan, languages = get_plan(split), get_recipe(recipe).languages
    known = {skeleton.language for stratum in plan.strata for skeleton in plan.skeletons(stratum)}
    if not known & languages:
        raise ConfigError(
            f"Recipe '{recipe}' works on {' and '.join(sorted(languages))}, split '{split}' is written in "
            f"{' and '.join(sorted(known))}: choose another of them."
        )
    for number in _indices(plan, 0, plan.unit):
        for draft in draft_unit(plan, key, number // plan.unit):
            if draft.plain.skeleton.language in languages:
                yield _write(plan, split_key(key, split), draft, (recipe,))


def _indices(plan: MessagePlan, start: int, step: int = 1) -> Iterator[int]:
    return takewhile(lambda index: plan.endless or index < plan.sessions, count(start, step))


def write_unit(plan: MessagePlan, key: bytes, unit: Unit) -> tuple[Session, ...]:
    """Return a unit's sessions, disguised.

    A recipe from the mix is drawn again until it has left its marks on every session of the unit, as the plan asks,
    and no ceiling is below the plan's floor.

    Args:
        plan: The plan of the split.
        key: Key of the whole set.
        unit: What was drafted.

    Raises:
        ConfigError: No recipe was found for it.
    """
    key = split_key(key, plan.name)
    if all(draft.recipes for draft in unit):
        return tuple(_write(plan, key, draft, draft.recipes) for draft in unit)
    for recipe in _drawn_recipes(plan, key, unit):
        sessions = tuple(_write(plan, key, draft, draft.recipes or (recipe,)) for draft in unit)
        if all(_is_accepted(plan, session) for session in sessions):
            return sessions
    raise _no_recipe(plan, unit)


def write_variants(plan: MessagePlan, key: bytes, draft: Draft, count: int) -> Session:
    """Return one session in several disguises, for a chain that offers them all.

    A session of the published kind, whose recipe is a published one, gets the published recipes in their order; any
    other the one recipe that its split writes it with, then further ones drawn the same way, no recipe twice.

    Args:
        plan: The plan of the split; its unit is one session.
        key: Key of the whole set.
        draft: The session.
        count: Number of disguises, no more than there are published recipes.

    Raises:
        ConfigError: Not so many recipes were found for it.
    """
    own = split_key(key, plan.name)
    if draft.recipes and set(draft.recipes) <= set(PAPER_RECIPES):
        return _write(plan, own, draft, PAPER_RECIPES[:count])
    written = {recipe: _write(plan, own, draft, (recipe,)) for recipe in draft.recipes}
    for recipe in _drawn_recipes(plan, own, (draft,)):
        if len(written) == count:
            break
        if recipe not in written and _is_accepted(plan, session := _write(plan, own, draft, (recipe,))):
            written[recipe] = session
    if len(written) < count:
        raise _no_recipe(plan, (draft,))
    return merge_variants(list(written.values()))


def _drawn_recipes(plan: MessagePlan, key: bytes, unit: Unit) -> Iterator[str]:
    skeletons = [draft.plain.skeleton for draft in unit]
    languages = frozenset(skeleton.language for skeleton in skeletons)
    has_address = all(skeleton.form is not Form.NO_ENTRY for skeleton in skeletons)
    is_whole = all(skeleton.form is not Form.SPLIT for skeleton in skeletons)
    may_doubt = not plan.all_marked or all(draft.plain.address_count == 1 for draft in unit)
    for attempt in range(REDRAWS):
        rng = KeyedRandom(key, *unit[0].label, "recipe", str(attempt))
        yield sample_recipe(
            rng, plan.mix, languages=languages, has_address=has_address, is_whole=is_whole, may_doubt=may_doubt
        )


def _no_recipe(plan: MessagePlan, unit: Unit) -> ConfigError:
    return ConfigError(
        f"Split '{plan.name}': too few of {REDRAWS} recipes mark skeleton '{unit[0].plain.skeleton.name}' and leave a "
        f"ceiling of {plan.floor} or more: add techniques or word pairs that work on it, or change the mix."
    )


def _write(plan: MessagePlan, key: bytes, draft: Draft, recipes: Sequence[str]) -> Session:
    drawn = plan.all_marked and not draft.recipes
    bank = load_bank(pool=plan.pool)
    return write_session(draft.plain, key, *draft.label, recipes=recipes, bank=bank, all_marked=drawn)


def _is_accepted(plan: MessagePlan, session: Session) -> bool:
    return all(
        (session.gold.ceilings[variant] or 0.0) >= plan.floor
        and _is_marked(get_recipe(trace.recipe), trace, plan.all_marked)
        for variant, trace in session.gold.traces.items()
    )


def _is_marked(recipe: Recipe, trace: Trace, everywhere: bool) -> bool:
    marks = {stage.name for stages in trace.stages.values() for stage in stages}
    if everywhere:
        return len(marks) == len(recipe.stages)
    # An ambiguous code that leaves a letter as it is leaves it in doubt too: turning that down would lift the doubt.
    return bool(marks) or bool(recipe.ambiguous) or not recipe.stages
