"""Contrast pairs: two sessions that differ in one attribute only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import count

from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.plain import AddressKind, PlainMessage, PlainSession
from riskchain_gym.messages.plan import Draft, MessagePlan
from riskchain_gym.messages.recipes import CLEAN
from riskchain_gym.messages.skeletons import Skeleton
from riskchain_gym.messages.turns import in_turn
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom

_TWINS = {"0": "o", "o": "0", "1": "l", "l": "1"}
"""Characters of entries that look alike and make different entries."""


def draft_pair(plan: MessagePlan, key: bytes, number: int, label: tuple[str, ...]) -> tuple[Draft, Draft]:
    """Return the two halves of a contrast pair: they share platform, surface, entry, decoys, slots and label.

    Where two skeletons make the pair, its attribute is theirs. A ``disguise`` pair is one session, once left as it is
    and once disguised. The entries of a ``letter`` pair differ in one character, e.g. ``0`` and ``o``.

    Args:
        plan: The plan of the split.
        key: Key of the split.
        number: Position of the pair in the split, from 0.
        label: What the pair is; everything is drawn under it.

    Raises:
        ConfigError: A skeleton that names a pair is not one of exactly two.
    """
    stratum, rank = plan.stratum_of(key, number)
    pair = f"p{number:03d}"
    skeletons = plan.skeletons(stratum)
    if stratum.name == "skeletons":
        halves = in_turn(key, "pairs", _pairs(skeletons), rank)
        one, two = (Draft(_plain(plan, key, number, label, s), label, (), pair, s.attribute) for s in halves)
        return one, two
    skeleton = in_turn(key, stratum.name, skeletons, rank)
    plain = _plain(plan, key, number, label, skeleton)
    if stratum.name == "disguise":
        draft = Draft(plain, label, (), pair, "disguise")
        return replace(draft, recipes=(CLEAN,)), draft
    for again in count():
        if places := _twin_places(plain):
            break
        label = (*label, str(again))
        plain = _plain(plan, key, number, label, skeleton)
    draft = Draft(plain, label, (), pair, "letter")
    return draft, replace(draft, plain=_with_twin(plain, KeyedRandom(key, *label, "letter").choice(places)))


def _plain(plan: MessagePlan, key: bytes, number: int, label: tuple[str, ...], skeleton: Skeleton) -> PlainSession:
    return plain_session(
        key,
        *label,
        skeleton=skeleton,
        platform=in_turn(key, "platforms", plan.platforms, number),
        surface=in_turn(key, "surfaces", plan.surfaces, number),
        style=EntryStyle.OPEN,
    )


def _pairs(skeletons: tuple[Skeleton, ...]) -> list[tuple[Skeleton, Skeleton]]:
    halves: dict[str, list[Skeleton]] = defaultdict(list)
    for skeleton in skeletons:
        halves[skeleton.pair].append(skeleton)
    for name, found in sorted(halves.items()):
        if len(found) != 2 or found[0].attribute != found[1].attribute:
            raise ConfigError(
                f"Contrast pair '{name}' needs exactly two skeletons with one attribute, got "
                f"{', '.join(f'{s.name} ({s.attribute})' for s in found)}: correct them."
            )
    return [(found[0], found[1]) for _, found in sorted(halves.items())]


def _twin_places(plain: PlainSession) -> list[int]:
    first = (plain.entry or "").partition(".")[0]
    return [place for place, character in enumerate(first) if character in _TWINS]


def _with_twin(plain: PlainSession, place: int) -> PlainSession:
    assert plain.entry is not None, "a place was found in it"
    entry = _exchanged(plain.entry, place)
    return replace(plain, entry=entry, messages=tuple(_exchange_in(message, place) for message in plain.messages))


def _exchange_in(message: PlainMessage, place: int) -> PlainMessage:
    text = message.text
    for address in message.addresses:
        if address.kind in (AddressKind.ENTRY, AddressKind.FIRST):
            text = _exchanged(text, address.start + place)
    return replace(message, text=text)


def _exchanged(text: str, place: int) -> str:
    return text[:place] + _TWINS[text[place]] + text[place + 1 :]
