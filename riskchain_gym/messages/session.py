"""One session: the plain messages under every recipe, and what must be restored."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.messages.bank import MessageBank, load_bank
from riskchain_gym.messages.ceiling import message_ceiling
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.plain import PlainSession
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.recipes import PAPER_RECIPES, Recipe, get_recipes
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.turns import in_turn
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import MessageGold, Stage, Trace
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen

SURFACES = (Surface.PRIVATE_MESSAGE, Surface.GROUP_CHAT, Surface.COMMENT, Surface.DYNAMIC_REPLY)
"""The surfaces that sessions of the published kind take in turn."""

_DIGITS = 6


class Session(Frozen):
    """A source session.

    Attributes:
        variants: What an agent may see, by variant (``v000`` …).
        recipes: Name of the recipe behind each variant.
        gold: What it must restore.
    """

    variants: dict[str, Message]
    recipes: dict[str, str]
    gold: MessageGold


def build_session(
    key: bytes,
    index: int,
    *,
    platform: Platform,
    recipes: Sequence[str] = PAPER_RECIPES,
    bank: MessageBank | None = None,
) -> Session:
    """Return the session of the published kind with an index: the same bytes for the same arguments, everywhere.

    Successive indices take the bank's skeletons in a keyed order, each once before any comes again, and the four
    surfaces likewise. The key alone tells splits apart: two splits need two keys.

    Args:
        key: Key of the split.
        index: Position of the session in its split, from 0.
        platform: Whose emoji codes it may carry.
        recipes: Names of the recipes to write it with; the first writes variant ``v000``, the second ``v001`` …
        bank: What to write it from; the package's bank of the train pool by default.

    Raises:
        ConfigError: A recipe is unknown.
        InputFileError: A file of the package's bank is wrong.
    """
    bank = bank or load_bank(pool=Pool.TRAIN)
    label = ("message", str(index))
    plain = plain_session(
        key,
        *label,
        skeleton=in_turn(key, "skeletons", bank.parity_skeletons, index),
        platform=platform,
        surface=in_turn(key, "surfaces", SURFACES, index),
        style=EntryStyle.PAPER,
    )
    return write_session(plain, key, *label, recipes=recipes, bank=bank)


def write_session(
    plain: PlainSession,
    key: bytes,
    *label: str,
    recipes: Sequence[str],
    bank: MessageBank,
    all_marked: bool = False,
) -> Session:
    """Return a plain session under every recipe.

    Args:
        plain: The session.
        key: Key of the split.
        label: What the session is; everything is drawn under it.
        recipes: Names of the recipes; the first writes variant ``v000``, the second ``v001`` …
        bank: Surrogates and codes to use.
        all_marked: Whether the caller turns the session down where a technique leaves no mark; ceilings know it then.

    Raises:
        ConfigError: A recipe is unknown or does not work on the session's language.
    """
    variants: dict[str, Message] = {}
    traces: dict[str, Trace] = {}
    ceilings: dict[str, float | None] = {}
    for place, recipe in enumerate(get_recipes(recipes)):
        variant = f"v{place:03d}"
        if plain.skeleton.language not in recipe.languages:
            raise ConfigError(
                f"Recipe '{recipe.name}' works on {', '.join(sorted(recipe.languages))}, not on "
                f"'{plain.skeleton.language}' as skeleton '{plain.skeleton.name}' is: choose another recipe."
            )
        chats, stages, ceiling = _disguise(plain, recipe, bank, all_marked, key, *label)
        variants[variant] = Message(platform=plain.platform, surface=plain.surface, messages=chats)
        traces[variant] = Trace(recipe=recipe.name, stages=stages)
        ceilings[variant] = ceiling
    gold = MessageGold(
        entry=plain.entry,
        messages=tuple(RestoredMessage(message_id=m.message_id, text=m.text) for m in plain.messages),
        intent=plain.skeleton.intent,
        platform=plain.platform,
        skeleton=plain.skeleton.name,
        topic=plain.skeleton.topic,
        language=plain.skeleton.language,
        form=plain.skeleton.form,
        decoys=plain.decoys,
        traces=traces,
        ceilings=ceilings,
    )
    return Session(variants=variants, recipes={v: trace.recipe for v, trace in traces.items()}, gold=gold)


def merge_variants(sessions: Sequence[Session]) -> Session:
    """Return one session with the variants of several that differ in their recipes alone, numbered in their order."""
    numbered = [
        (f"v{place:03d}", variant, session)
        for place, (session, variant) in enumerate((s, variant) for s in sessions for variant in s.variants)
    ]
    traces = {name: session.gold.traces[variant] for name, variant, session in numbered}
    ceilings = {name: session.gold.ceilings[variant] for name, variant, session in numbered}
    return Session(
        variants={name: session.variants[variant] for name, variant, session in numbered},
        recipes={name: session.recipes[variant] for name, variant, session in numbered},
        gold=sessions[0].gold.model_copy(update={"traces": traces, "ceilings": ceilings}),
    )


def _disguise(
    plain: PlainSession, recipe: Recipe, bank: MessageBank, all_marked: bool, key: bytes, *label: str
) -> tuple[tuple[ChatMessage, ...], dict[str, tuple[Stage, ...]], float | None]:
    chats: list[ChatMessage] = []
    stages: dict[str, tuple[Stage, ...]] = {}
    ceiling: float | None = 1.0
    for message in plain.messages:
        content = message.text
        written: tuple[Stage, ...] = ()
        if message.role == "sender":
            context = Context(message.addresses, bank.lexicon, bank.profiles[plain.platform], plain.skeleton.language)
            content, written = recipe.write(message.text, context, key, *label, message.message_id)
            if recipe.ambiguous:
                is_marked = all_marked and plain.address_count == 1 and recipe.ambiguous <= {s.name for s in written}
                own = message_ceiling(message, recipe, written, context, plain.style, all_marked=is_marked)
                ceiling = None if own is None or ceiling is None else ceiling * own
        chats.append(ChatMessage(message_id=message.message_id, role=message.role, content=content))
        stages[message.message_id] = written
    return tuple(chats), stages, None if ceiling is None else round(ceiling, _DIGITS)
