"""The committed restoration, with the fields of the published prediction schema (protocol A.13)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.message import Identifier, Platform
from riskchain_gym.protocol.model import Frozen

MAX_CANDIDATES = 5
"""Entry candidates a commit may rank; the published harness keeps five."""


class RestoredMessage(Frozen):
    """The plain text of one message."""

    message_id: Identifier
    text: Annotated[str, Field(max_length=8000)]


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
    reconstructed_messages: tuple[RestoredMessage, ...] = ()
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
