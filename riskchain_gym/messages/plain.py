"""The plain session: what was meant, before anything is disguised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.skeletons import Skeleton
from riskchain_gym.protocol.message import Platform, Surface


class AddressKind(StrEnum):
    """What stands at an address's place in the text."""

    ENTRY = "entry"
    """The whole entry, ``label.label.test``."""
    FIRST = "first"
    """Its first label alone, in a session that splits it."""
    REST = "rest"
    """Its second label and ``test``, in such a session."""
    DECOY = "decoy"
    """Another whole address, which the message says is not meant."""


@dataclass(frozen=True)
class Address:
    """An address, or a part of one, inside a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last one.
        kind: What it is.
    """

    start: int
    end: int
    kind: AddressKind


@dataclass(frozen=True)
class PlainMessage:
    """One message in plain words.

    Attributes:
        message_id: ``m001``, ``m002`` …
        role: Who wrote it; only what senders write is disguised.
        text: The canonical text.
        addresses: The addresses in it, left to right.
    """

    message_id: str
    role: Literal["sender", "recipient", "system"]
    text: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True)
class PlainSession:
    """A source session.

    Attributes:
        platform: Whose emoji codes it may carry.
        surface: Where on the platform it was written.
        messages: Its messages in order.
        entry: The canonical entry it leads to, or ``None``.
        decoys: The other addresses it names.
        skeleton: What it was written from.
        style: What its addresses look like.
    """

    platform: Platform
    surface: Surface
    messages: tuple[PlainMessage, ...]
    entry: str | None
    decoys: tuple[str, ...]
    skeleton: Skeleton
    style: EntryStyle

    @property
    def address_count(self) -> int:
        """How many addresses, or parts of one, its messages name."""
        return sum(len(message.addresses) for message in self.messages)
