"""What a person answers: the label of a site by the codebook, or whether a claim about a citation is true."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.codebook import (
    PSEUDO_TYPES,
    AnchorType,
    Decision,
    EnvironmentStatus,
    ViolationType,
    label_problem,
)
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.report import Citation, Report

REASON = "The cited observations, by the codebook."
"""The reason of a report that was made from an answer without a note: the workbench asks for citations, not essays."""


class SiteAnswer(Frozen):
    """The label of one site, as one person gave it; the published annotation fields (protocol F), and what they cite.

    Attributes:
        environment_status: How much of the site could be looked at.
        decision: Violation, no violation, or not enough evidence.
        primary_violation_type: A concrete type for a VIOLATION; NONE and UNKNOWN belong to the other two.
        secondary_violation_types: Further concrete types.
        evidence_anchor_types: Kinds of the observations that the decision rests on, in codebook order.
        confidence: 1 (a guess) to 5 (certain).
        note: Free text; at least ten characters for OTHER_PROHIBITED_ACTIVITY.
        evidence: What was pinned for the decision; empty where another tool kept none.
        counterevidence: What was pinned against it.
    """

    environment_status: EnvironmentStatus
    decision: Decision
    primary_violation_type: ViolationType
    secondary_violation_types: Annotated[tuple[ViolationType, ...], Field(max_length=8)] = ()
    evidence_anchor_types: Annotated[tuple[AnchorType, ...], Field(max_length=len(AnchorType))] = ()
    confidence: Annotated[int, Field(strict=True, ge=1, le=5)]
    note: Annotated[str, Field(max_length=1000)] = ""
    evidence: Annotated[tuple[Citation, ...], Field(max_length=50)] = ()
    counterevidence: Annotated[tuple[Citation, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _follows_codebook(self) -> Self:
        problem = label_problem(self.decision, self.primary_violation_type, self.secondary_violation_types, self.note)
        if problem is not None:
            raise ValueError(problem)
        cited = {citation.anchor_type for citation in self.evidence}
        if self.evidence and cited != set(self.evidence_anchor_types):
            raise ValueError("evidence_anchor_types: must be the kinds of the evidence, or be given without evidence")
        return self

    @property
    def joint(self) -> str:
        """Decision and main type as one label; the type alone says both, for pseudo-types follow from the decision."""
        return f"{self.decision}/{self.primary_violation_type}"

    def report(self) -> Report:
        """Return the answer as the report that an agent would have filed.

        Raises:
            pydantic.ValidationError: It cites nothing, or its words name an address.
        """
        insufficient = self.decision is Decision.INSUFFICIENT_EVIDENCE
        return Report(
            environment_status=self.environment_status,
            decision=self.decision,
            primary_violation_type=PSEUDO_TYPES.get(self.decision, self.primary_violation_type),
            secondary_violation_types=self.secondary_violation_types,
            evidence=self.evidence,
            counterevidence=self.counterevidence,
            risk_reason=self.note.strip() or REASON,
            confidence=self.confidence,
            evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
            note=self.note,
        )


class PairAnswer(Frozen):
    """Whether a claim about a citation is true, as one person sees it who is shown what a judge is shown.

    Attributes:
        answer: The answer.
        confidence: 1 (a guess) to 5 (certain); ``None`` where the person did not say.
        note: Free text.
    """

    answer: Literal["yes", "no", "cannot_tell"]
    confidence: Annotated[int, Field(strict=True, ge=1, le=5)] | None = None
    note: Annotated[str, Field(max_length=1000)] = ""

    @property
    def joint(self) -> str:
        """The answer."""
        return self.answer


Answer = SiteAnswer | PairAnswer
