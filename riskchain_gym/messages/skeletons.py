"""Message skeletons: plain wording with slots and one place for the entry."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.model import Frozen

PLACEHOLDER = "{ENTRY}"
"""Where the entry goes: exactly once in every skeleton."""

_SLOT = re.compile(r"\{([a-z_]+)\}")
_ENTRY_PLACE = re.compile(r"(?<=[^ ] )\{ENTRY\}(?= [^ ]|[，。；！？：、])")
_RESERVED = re.compile("[{}\n\r＊～^·\u3000.\\[\\]/#]")
"""Characters that recipes or platform codes write: plain wording holds none of them."""


class Topic(StrEnum):
    """What the wording is about; independent of what the site behind the entry is."""

    ADULT_SERVICE = "adult_service"
    BETTING = "betting"
    PHISHING = "phishing"
    INVESTMENT = "investment"
    IMPERSONATION = "impersonation"
    BENIGN = "benign"


class Skeleton(Frozen):
    """One message in plain words.

    Attributes:
        name: Unique in its bank.
        topic: What the wording is about.
        intent: What it asks the reader to do.
        text: The wording, with ``{ENTRY}`` after exactly one ASCII space and before punctuation or one ASCII space,
            and any number of ``{slot}`` places.
        slots: The phrases each slot may hold.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    topic: Topic
    intent: Intent
    text: str
    slots: dict[str, Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=2)]] = Field(
        default_factory=dict
    )

    @field_validator("text")
    @classmethod
    def _one_entry(cls, text: str) -> str:
        if text.count(PLACEHOLDER) != 1 or not _ENTRY_PLACE.search(text):
            raise ValueError(f"needs one ' {PLACEHOLDER}' after one space, before punctuation or one space")
        if found := _RESERVED.search(_SLOT.sub("", text.replace(PLACEHOLDER, ""))):
            raise ValueError(f"may not hold {found.group()!r}, recipes write that")
        return text

    @field_validator("slots")
    @classmethod
    def _plain_phrases(cls, slots: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name, phrases in slots.items():
            if len(set(phrases)) != len(phrases):
                raise ValueError(f"'{name}' lists a phrase twice")
            if found := _RESERVED.search("".join(phrases)):
                raise ValueError(f"'{name}' may not hold {found.group()!r}, recipes write that")
        return slots

    @model_validator(mode="after")
    def _slots_used(self) -> Self:
        used = set(_SLOT.findall(self.text))
        if odd := sorted(used ^ set(self.slots)):
            raise ValueError(f"slots: {', '.join(odd)} must stand in the text and have phrases")
        return self

    def fill(self, rng: KeyedRandom) -> str:
        """Return the wording with every slot filled and ``{ENTRY}`` still in place."""
        phrases = {name: rng.choice(self.slots[name]) for name in sorted(self.slots)}
        return _SLOT.sub(lambda place: phrases[place.group(1)], self.text)


class SkeletonFile(Frozen):
    """The content of one skeleton file."""

    skeleton: Annotated[tuple[Skeleton, ...], Field(min_length=1)]


def load_skeletons(folder: Path) -> tuple[Skeleton, ...]:
    """Return every skeleton of a folder of TOML files, in order of name.

    Raises:
        InputFileError: No file is there, a file is wrong, or two skeletons share a name.
    """
    found: dict[str, Skeleton] = {}
    for path in sorted(folder.glob("*.toml")):
        for place, skeleton in enumerate(load_toml(path, SkeletonFile).skeleton):
            if skeleton.name in found:
                raise InputFileError(path, f"skeleton.{place}.name", f"'{skeleton.name}' is taken, choose another")
            found[skeleton.name] = skeleton
    if not found:
        raise InputFileError(folder, "", "holds no skeleton files, add one named *.toml")
    return tuple(found[name] for name in sorted(found))
