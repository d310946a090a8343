"""Message skeletons: plain wording with slots and places for addresses."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.pools import Pool
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.model import Frozen

PLACES = ("ENTRY", "FIRST", "REST", "DECOY", "DECOY2")
"""Names of the places for addresses: the entry, its first label, its other two, and addresses that are not meant."""

PLACE = re.compile(rf"\{{({'|'.join(PLACES)})\}}")
"""A place for an address in a text."""

_SLOT = re.compile(r"\{([a-z_0-9]+)\}")
_RESERVED = {
    "zh": re.compile("[{}\n\r＊～^·\u3000.\\[\\]/#A-Za-z]"),
    "en": re.compile("[{}\n\r＊～^·\u3000\\[\\]/#]|[^\x20-\x7e]"),
}
"""Characters that plain wording never holds: recipes and codes write them, or an address could run into them."""
_BEFORE = re.compile(r"(?:^|[^ ] )$")
_AFTER = re.compile(r"^(?:$| [^ ]|[，。；！？：、,;!?:])")


class Topic(StrEnum):
    """What the wording is about; independent of what the site behind the entry is."""

    ADULT_SERVICE = "adult_service"
    BETTING = "betting"
    PHISHING = "phishing"
    INVESTMENT = "investment"
    IMPERSONATION = "impersonation"
    BENIGN = "benign"


class Form(StrEnum):
    """How a session is built."""

    SINGLE = "single"
    """One message with the whole entry."""
    SPLIT = "split"
    """The entry is split over two messages."""
    TURNS = "turns"
    """Several messages; what the entry is for, or that it is the entry, needs the others."""
    DECOY = "decoy"
    """Another address stands beside the entry, and the wording says which is meant."""
    CORRECTION = "correction"
    """Of two addresses or more all but the entry, which may come first or last, are withdrawn."""
    QUOTED = "quoted"
    """The entry stands in words of somebody else that the writer quotes or forwards."""
    NO_ENTRY = "no_entry"
    """No address at all."""


class Line(Frozen):
    """One message of a skeleton."""

    role: Literal["sender", "recipient", "system"] = "sender"
    text: Annotated[str, Field(min_length=1)]


class Skeleton(Frozen):
    """One session in plain words.

    Attributes:
        name: Unique in its bank.
        pool: The pool it belongs to: the folder its file lies in.
        topic: What the wording is about.
        intent: What it asks the reader to do.
        language: Language of the wording.
        form: How it is built.
        messages: The wording of each message, with places for addresses (one ASCII space before each, or the
            beginning; punctuation, one ASCII space or the end after it) and any number of ``{slot}`` places.
        slots: The phrases each slot may hold.
        pair: Name of the contrast pair it is half of, or ``""``.
        attribute: What differs between the two halves of the pair, or ``""``.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    pool: Pool
    topic: Topic
    intent: Intent
    language: Literal["zh", "en"] = "zh"
    form: Form = Form.SINGLE
    messages: Annotated[tuple[Line, ...], Field(min_length=1, max_length=4)]
    slots: dict[str, Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=2)]] = Field(
        default_factory=dict
    )
    pair: str = ""
    attribute: str = ""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, raw: object) -> object:
        if isinstance(raw, dict) and "text" in raw:
            if "messages" in raw:
                raise ValueError("write either text (one message of the sender) or messages")
            rest = {name: value for name, value in raw.items() if name != "text"}
            return {**rest, "messages": [{"text": raw["text"]}]}
        return raw

    @property
    def is_parity(self) -> bool:
        """Whether the published set holds sessions like it: one Chinese message with its whole entry."""
        return self.language == "zh" and self.form is Form.SINGLE and len(self.messages) == 1

    @field_validator("slots")
    @classmethod
    def _no_twins(cls, slots: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name, phrases in slots.items():
            if len(set(phrases)) != len(phrases):
                raise ValueError(f"'{name}' lists a phrase twice")
        return slots

    @model_validator(mode="after")
    def _sound(self) -> Self:
        for line in self.messages:
            self._check_line(line.text)
        self._check_places([place for line in self.messages for place in PLACE.findall(line.text)])
        if bool(self.pair) != bool(self.attribute):
            raise ValueError("pair and attribute go together")
        used = {name for line in self.messages for name in _SLOT.findall(line.text)}
        if odd := sorted(used ^ set(self.slots)):
            raise ValueError(f"slots: {', '.join(odd)} must stand in the text and have phrases")
        return self

    def _check_line(self, text: str) -> None:
        for place in PLACE.finditer(text):
            if not _BEFORE.search(text[: place.start()]) or not _AFTER.search(text[place.end() :]):
                raise ValueError(f"{place.group()} needs one space before it and punctuation or one space after it")
        plain = [_SLOT.sub("", PLACE.sub("", text)), *(p for phrases in self.slots.values() for p in phrases)]
        for words in plain:
            if found := _RESERVED[self.language].search(words):
                raise ValueError(f"may not hold {found.group()!r}: recipes write that, or an address could run into it")

    def _check_places(self, places: list[str]) -> None:
        whole, parts = places.count("ENTRY"), [p for p in places if p in ("FIRST", "REST")]
        right = {
            Form.NO_ENTRY: not places,
            Form.SPLIT: whole == 0 and parts == ["FIRST", "REST"],
            Form.DECOY: whole == 1 and not parts and "DECOY" in places,
            Form.CORRECTION: whole == 1 and not parts and "DECOY" in places,
        }.get(self.form, whole == 1 and not parts and "DECOY" not in places)
        if not right or len(set(places)) != len(places):
            raise ValueError(f"a session of form '{self.form}' cannot have the places {', '.join(places) or 'none'}")

    def fill(self, rng: KeyedRandom) -> list[str]:
        """Return the wording of each message with every slot filled and the places for addresses still in it."""
        phrases = {name: rng.choice(self.slots[name]) for name in sorted(self.slots)}
        return [_SLOT.sub(lambda place: phrases[place.group(1)], line.text) for line in self.messages]


class SkeletonFile(Frozen):
    """The content of one skeleton file; every skeleton is of the pool whose folder the file lies in."""

    skeleton: Annotated[tuple[Skeleton, ...], Field(min_length=1)]


def load_skeletons(folder: Path) -> tuple[Skeleton, ...]:
    """Return every skeleton of a folder with one sub-folder of TOML files a pool, in order of name.

    Raises:
        InputFileError: No file is there, a file is wrong, or two skeletons share a name.
    """
    found: dict[str, Skeleton] = {}
    for pool in Pool:
        for path in sorted((folder / pool).glob("*.toml")):
            for place, skeleton in enumerate(load_toml(path, SkeletonFile, each={"skeleton": {"pool": pool}}).skeleton):
                if skeleton.name in found:
                    raise InputFileError(path, f"skeleton.{place}.name", f"'{skeleton.name}' is taken, choose another")
                found[skeleton.name] = skeleton
    if not found:
        raise InputFileError(folder, "", "holds no skeleton files, add one named POOL/NAME.toml")
    return tuple(found[name] for name in sorted(found))
