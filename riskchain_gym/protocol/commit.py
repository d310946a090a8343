"""The committed restoration, with the fields of the published prediction schema (protocol A.13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol, Self

from pydantic import AfterValidator, Field, model_validator

from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.message import Identifier, Platform
from riskchain_gym.protocol.model import Frozen

MAX_CANDIDATES = 5
"""Entry candidates a commit may rank; the published harness keeps five."""


MAX_TEXT = 8000
"""Characters that each text of a commit may have."""


class RestoredMessage(Frozen):
    """The plain text of one message."""

    message_id: Identifier
    # The schema tells agents the limit; only a commit holds to it, as gold and predictions of others may be longer.
    text: Annotated[str, Field(json_schema_extra={"maxLength": MAX_TEXT})]


def _fits_a_commit(message: RestoredMessage) -> RestoredMessage:
    if len(message.text) > MAX_TEXT:
        raise ValueError(f"text: has {len(message.text)} characters, at most {MAX_TEXT} are allowed")
    return message


class EntryCandidate(Frozen):
    """A guess at where the message leads.

    Attributes:
        rank: 1 for the best guess; unique within a commit.
        value: The scheme-free entry, e.g. ``alpha.beta.test``.
        confidence: Belief that the value is right, 0 to 1.
    """

    rank: Annotated[int, Field(strict=True, ge=1, le=MAX_CANDIDATES)]
    value: Annotated[str, Field(max_length=2000)]
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5


class Commit(Frozen):
    """What the restore phase freezes.

    Attributes:
        reconstructed_messages: Plain text per message id, in input order; ids unique.
        intent: What the message asks its reader to do.
        platform: The platform as recognised, or ``unknown``.
        entry_candidates: At most five, ranks unique; the candidate of the smallest rank goes to the gate.
        abstain: Declines to name an entry (closes the gate under the handoff policy only).
        uncertainties: What the agent was unsure about, as short sentences.
    """

    schema_version: Literal["riskchain-commit/v1"] = "riskchain-commit/v1"
    reconstructed_messages: tuple[Annotated[RestoredMessage, AfterValidator(_fits_a_commit)], ...] = ()
    intent: Intent = Intent.UNKNOWN
    platform: Platform | Literal["unknown"] = "unknown"
    entry_candidates: Annotated[tuple[EntryCandidate, ...], Field(max_length=MAX_CANDIDATES)] = ()
    abstain: Annotated[bool, Field(strict=True)] = False
    uncertainties: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _unique(self) -> Self:
        ranks = [c.rank for c in self.entry_candidates]
        if len(set(ranks)) != len(ranks):
            raise ValueError(f"entry_candidates: ranks must be unique, got {ranks}")
        ids = [m.message_id for m in self.reconstructed_messages]
        if len(set(ids)) != len(ids):
            raise ValueError(f"reconstructed_messages: message ids must be unique, got {ids}")
        return self


EMPTY_COMMIT = Commit(abstain=True)
"""What is frozen after three strikes in the restore phase: no text, no entry, gate closed."""


class RankedEntry(Protocol):
    """A guess at where the message leads, as scoring reads it."""

    @property
    def rank(self) -> int:
        """1 for the best guess."""

    @property
    def value(self) -> str:
        """The entry as it was written."""


class Restoration(Protocol):
    """What scoring reads of a restoration: a :class:`Commit`, or what somebody else's prediction says."""

    @property
    def reconstructed_messages(self) -> Sequence[RestoredMessage]:
        """Plain text per message id."""

    @property
    def intent(self) -> str:
        """The intent as it was written, which may be none of :class:`Intent` or no text at all."""

    @property
    def platform(self) -> str:
        """The platform as recognised, or ``unknown``."""

    @property
    def entry_candidates(self) -> Sequence[RankedEntry]:
        """At most five."""

    @property
    def abstain(self) -> bool:
        """Declines to name an entry."""
