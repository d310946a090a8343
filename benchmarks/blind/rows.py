"""The rows of a blind reading: key, answers and settlements, one JSON object a line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.codebook import Component, Decision, ViolationType, canonical_type, label_problem
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.rows import read_rows

Packet = Annotated[str, Field(pattern=r"^[0-9]{2,}$")]
Verdict = Literal["label right", "reader right", "site unclear"]
Label = tuple[Decision, ViolationType]

MAX_QUOTES = 4


class KeyAtom(Frozen):
    """A line that decides, or seems to: its part in the codebook's rule, its type and its text."""

    component: Component
    type: ViolationType
    text: str


class KeyRow(Frozen):
    """What a packet is, for those who compare.

    Attributes:
        packet: What the packet is called.
        sha256: SHA-256 of its text.
        split: Split of its site.
        chain_id: Chain of its site.
        lang: Language of the site.
        family: Its archetype family.
        archetype: Its archetype.
        decision: The label.
        type: The label's type.
        secondary: Further types of the label.
        atoms: Its atoms, in document order.
    """

    packet: Packet
    sha256: str
    split: str
    chain_id: str
    lang: str
    family: str
    archetype: str
    decision: Decision
    type: ViolationType
    secondary: tuple[ViolationType, ...] = ()
    atoms: tuple[KeyAtom, ...]

    @property
    def label(self) -> Label:
        """Decision and type."""
        return self.decision, self.type


class Answer(Frozen):
    """What a reader says of a packet.

    Attributes:
        packet: What the packet is called.
        decision: The decision.
        type: The type, or the pseudo-type of the decision.
        quotes: Lines of the packet that decided.
        why: One sentence; for OTHER_PROHIBITED_ACTIVITY it is the note that names the policy.
        confidence: 1 (a guess) to 5 (certain).
    """

    packet: Packet
    decision: Decision
    type: ViolationType
    quotes: Annotated[tuple[str, ...], Field(max_length=MAX_QUOTES)]
    why: Annotated[str, Field(min_length=1)]
    confidence: Annotated[int, Field(ge=1, le=5)]

    @model_validator(mode="after")
    def _follows_the_codebook(self) -> Self:
        if problem := label_problem(*self.label, (), self.why):
            raise ValueError(problem.replace("primary_violation_type:", "type:").replace("note:", "why:"))
        return self

    @property
    def label(self) -> Label:
        """Decision and canonical type."""
        return self.decision, canonical_type(self.decision, self.type)


class Settlement(Frozen):
    """What a disagreement came to.

    Attributes:
        packet: What the packet is called.
        verdict: Who was right, or that the site does not say.
        reason: Why, in a sentence or two.
    """

    packet: Packet
    verdict: Verdict
    reason: Annotated[str, Field(min_length=1)]


def read_key(path: Path) -> dict[str, KeyRow]:
    """Return a key by packet.

    Raises:
        InputFileError: It cannot be read, or a line is malformed.
    """
    key = {row.packet: row for _, row in read_rows(path, KeyRow, "packet", "give the key.jsonl that draw wrote")}
    if not key:
        raise InputFileError(path, "", "is empty, give the key.jsonl that draw wrote")
    return key


def read_answers(path: Path, key: dict[str, KeyRow]) -> dict[str, Answer]:
    """Return answers by packet.

    Raises:
        InputFileError: They cannot be read, a line is malformed, or a packet is not in the key.
    """
    found: dict[str, Answer] = {}
    for number, row in read_rows(path, Answer, "packet", "give a JSONL file of answers"):
        _check_known(path, number, row.packet, key)
        found[row.packet] = row
    return found


def read_settled(path: Path, key: dict[str, KeyRow]) -> dict[str, Settlement]:
    """Return settlements by packet.

    Raises:
        InputFileError: They cannot be read, a line is malformed, or a packet is not in the key.
    """
    found: dict[str, Settlement] = {}
    for number, row in read_rows(path, Settlement, "packet", "give a JSONL file of settlements"):
        _check_known(path, number, row.packet, key)
        found[row.packet] = row
    return found


def _check_known(path: Path, number: int, packet: str, key: dict[str, KeyRow]) -> None:
    if packet not in key:
        raise InputFileError(
            path, f"line {number}: packet", f"'{packet}' is not in the key, which has {', '.join(key)}"
        )
