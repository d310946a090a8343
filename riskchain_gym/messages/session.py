"""One source session: a plain message, its entry, and the message under every recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from riskchain_gym.messages.bank import MessageBank, load_bank
from riskchain_gym.messages.entries import new_entry
from riskchain_gym.messages.recipes import PAPER_RECIPES, get_recipes
from riskchain_gym.messages.skeletons import PLACEHOLDER, Skeleton
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.gold import MessageGold, Trace
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen

T = TypeVar("T")

MESSAGE_ID = "m001"
"""Id of a session's only message."""

SURFACES = (Surface.PRIVATE_MESSAGE, Surface.GROUP_CHAT, Surface.COMMENT, Surface.DYNAMIC_REPLY)
"""The surfaces that sessions take in turn."""


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
    """Return the session of an index: the same bytes for the same arguments, everywhere.

    Successive indices take the bank's skeletons in a keyed order, each once before any comes again, and the four
    surfaces likewise. The key alone tells splits apart: two splits need two keys.

    Args:
        key: Key of the split.
        index: Position of the session in its split, from 0.
        platform: Whose emoji codes it may carry.
        recipes: Names of the recipes to write it with.
        bank: What to write it from; the package's own bank by default.

    Raises:
        ConfigError: A recipe is unknown.
        InputFileError: A file of the package's bank is wrong.
    """
    bank = bank or load_bank()
    label = ("message", str(index))
    skeleton = _in_turn(key, "skeletons", bank.skeletons, index)
    surface = _in_turn(key, "surfaces", SURFACES, index)
    entry = new_entry(key, *label)
    text, start = _compose(skeleton, entry, KeyedRandom(key, *label, "slots"))
    context = Context(start, start + len(entry), bank.lexicon, bank.profiles[platform])
    variants: dict[str, Message] = {}
    traces: dict[str, Trace] = {}
    for recipe in get_recipes(recipes):
        content, stages = recipe.write(text, context, key, *label)
        chat = ChatMessage(message_id=MESSAGE_ID, role="sender", content=content)
        variants[recipe.variant] = Message(platform=platform, surface=surface, messages=(chat,))
        traces[recipe.variant] = Trace(recipe=recipe.name, stages={MESSAGE_ID: stages})
    gold = MessageGold(
        entry=entry,
        messages=(RestoredMessage(message_id=MESSAGE_ID, text=text),),
        intent=skeleton.intent,
        platform=platform,
        skeleton=skeleton.name,
        topic=skeleton.topic,
        traces=traces,
    )
    return Session(variants=variants, recipes={v: trace.recipe for v, trace in traces.items()}, gold=gold)


def _in_turn(key: bytes, what: str, items: Sequence[T], index: int) -> T:
    turn, place = divmod(index, len(items))
    order = list(range(len(items)))
    KeyedRandom(key, what, str(turn)).shuffle(order)
    return items[order[place]]


def _compose(skeleton: Skeleton, entry: str, rng: KeyedRandom) -> tuple[str, int]:
    wording = skeleton.fill(rng)
    start = wording.index(PLACEHOLDER)
    return wording.replace(PLACEHOLDER, entry), start
