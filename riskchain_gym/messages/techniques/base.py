"""What a technique is, and the two kinds of stage that most of them make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, Protocol

from riskchain_gym.messages.plain import AddressKind
from riskchain_gym.messages.stages.base import Context, Inverse, StageRule
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

Language = Literal["zh", "en"]

ZH: frozenset[Language] = frozenset({"zh"})
EN: frozenset[Language] = frozenset({"en"})
"""What a technique works on that knows one language only."""

SEVERITIES = (1, 2, 3)
"""The severities of every technique; 0 is the clean message."""


class Family(StrEnum):
    """The families of the published registry (protocol A.11)."""

    PHONETIC = "PHONETIC"
    LEXICAL_GLYPH_ZH = "LEXICAL_GLYPH_ZH"
    UNICODE_VISUAL = "UNICODE_VISUAL"
    LAYOUT_NOISE = "LAYOUT_NOISE"
    ENTRY_ENCODING = "ENTRY_ENCODING"
    PLATFORM_MULTIMODAL = "PLATFORM_MULTIMODAL"


class Reversibility(StrEnum):
    """How surely a reader who knows the technique can take it back (published vocabulary, protocol A.11)."""

    EXACT = "EXACT"
    """The shown text has one source."""
    AMBIGUOUS = "AMBIGUOUS"
    """It may have several; context and prior decide."""
    SEMANTIC = "SEMANTIC"
    """Only its meaning leads back."""


class Phase(IntEnum):
    """When a technique's stage comes in a recipe, whatever order the recipe names them in."""

    WORDS = 0
    """Changes wording outside the addresses."""
    ENTRY = 1
    """Rewrites the addresses."""
    LINES = 2
    """Breaks lines or orders characters anew."""
    NOISE = 3
    """Inserts characters that mean nothing, anywhere."""
    CODES = 4
    """Inserts whole emoji codes, which nothing may cut afterwards."""


@dataclass(frozen=True)
class Technique:
    """One way of disguise.

    Attributes:
        name: Unique name, as recipes call it.
        summary: What it does, one sentence for the catalogue.
        family: Its family.
        types: Ids of the published registry's types that it covers.
        reversibility: Whether what it shows has one source.
        phase: When its stage comes.
        make: Returns its stage for a severity from 1 to 3.
        languages: Languages of wording it works on.
        held_out: Whether only ``ood`` and explicit requests use it, never the training mix.
    """

    name: str
    summary: str
    family: Family
    types: tuple[str, ...]
    reversibility: Reversibility
    phase: Phase
    make: Callable[[int], StageRule]
    languages: frozenset[Language] = ZH | EN
    held_out: bool = False


@dataclass(frozen=True)
class Piece:
    """A part of an address and what is shown for it; ``before`` may be empty, and so may ``after``."""

    before: str
    after: str


class AddressCode(Inverse, Protocol):
    """A way to write an address, with its exact inverse.

    ``whole_only`` says that it works on whole plain addresses (``label.label.test``) alone: it leaves the parts of a
    split entry as they are, and no other code may come before it in a recipe.
    """

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address in pieces, each with what is shown for it; the ``before`` texts joined are the address."""


@dataclass(frozen=True)
class RewriteAddresses:
    """A stage that writes every address of a message in a code: the decoys too, so that disguise tells nothing.

    Attributes:
        name: Name of the stage and of its rule.
        code: The code.
    """

    name: str
    code: AddressCode

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a changed piece."""
        edits: list[Edit] = []
        for address in context.addresses:
            if self.code.whole_only and address.kind in (AddressKind.FIRST, AddressKind.REST):
                continue
            at = address.start
            for piece in _anchored(self.code.write(text[address.start : address.end], rng)):
                if piece.before != piece.after:
                    edits.append(Edit(start=at, before=piece.before, after=piece.after, rule=self.name))
                at += len(piece.before)
        return tuple(edits)


def _anchored(pieces: tuple[Piece, ...]) -> list[Piece]:
    """Merge insertions at either end with their neighbour, so that they stay inside the address's span."""
    merged: list[Piece] = []
    pending = ""
    for piece in pieces:
        if not piece.before and not merged:
            pending += piece.after
            continue
        merged.append(Piece(piece.before, pending + piece.after))
        pending = ""
    if len(merged) > 1 and not merged[-1].before:
        last = merged.pop()
        merged[-1] = Piece(merged[-1].before, merged[-1].after + last.after)
    return merged
