"""Writing a plain session from a skeleton: slots filled, entry and decoys put in their places."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.messages.entries import EntryStyle, new_entry
from riskchain_gym.messages.plain import Address, AddressKind, PlainMessage, PlainSession
from riskchain_gym.messages.skeletons import PLACE, Form, Skeleton
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.message import Platform, Surface

_KINDS = {
    "ENTRY": AddressKind.ENTRY,
    "FIRST": AddressKind.FIRST,
    "REST": AddressKind.REST,
    "DECOY": AddressKind.DECOY,
    "DECOY2": AddressKind.DECOY,
}


def plain_session(
    key: bytes, *label: str, skeleton: Skeleton, platform: Platform, surface: Surface, style: EntryStyle
) -> PlainSession:
    """Return the plain session of a label: the same value for the same arguments, everywhere.

    Args:
        key: Key of the split.
        label: What the session is, e.g. its index; its entry and its phrases are drawn under it.
        skeleton: What to write it from.
        platform: Where it was sent.
        surface: On which part of the platform.
        style: What its addresses look like.
    """
    entry = None if skeleton.form is Form.NO_ENTRY else new_entry(key, *label, style=style)
    decoys = {
        place: new_entry(key, *label, place, style=style)
        for place in ("DECOY", "DECOY2")
        if any(f"{{{place}}}" in line.text for line in skeleton.messages)
    }
    values = dict(decoys)
    if entry is not None:
        first, _, rest = entry.partition(".")
        values |= {"ENTRY": entry, "FIRST": first, "REST": rest}
    wordings = skeleton.fill(KeyedRandom(key, *label, "slots"))
    messages = tuple(
        PlainMessage(f"m{number:03d}", line.role, *_place(wording, values))
        for number, (line, wording) in enumerate(zip(skeleton.messages, wordings, strict=True), start=1)
    )
    return PlainSession(platform, surface, messages, entry, tuple(decoys.values()), skeleton, style)


def _place(wording: str, values: Mapping[str, str]) -> tuple[str, tuple[Address, ...]]:
    out = ""
    done = 0
    addresses: list[Address] = []
    for place in PLACE.finditer(wording):
        out += wording[done : place.start()]
        value = values[place.group(1)]
        addresses.append(Address(len(out), len(out) + len(value), _KINDS[place.group(1)]))
        out += value
        done = place.end()
    return out + wording[done:], tuple(addresses)
