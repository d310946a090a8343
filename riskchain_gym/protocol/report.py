"""The cited report that ends an episode (protocol C.8 and C.9)."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, ViolationType, label_problem
from riskchain_gym.protocol.model import Frozen

_ADDRESS = re.compile(
    r"https?://|www\.|[\w.+-]{1,64}@[\w-]{1,63}\.\w|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
    r"|[A-Za-z0-9-]\.(?:com|net|org|cn|io|app|top|xyz|info|me|test|cc)(?![A-Za-z0-9])",
    re.IGNORECASE,
)


def holds_address(text: str) -> bool:
    """Return whether a text names a URL, domain, IP address or e-mail address, which no report may in its own words."""
    return _ADDRESS.search(text) is not None


class Region(Frozen):
    """A rectangle of the page in CSS pixels, measured from the top left of the document."""

    x: Annotated[float, Field(ge=0)]
    y: Annotated[float, Field(ge=0)]
    width: Annotated[float, Field(gt=0)]
    height: Annotated[float, Field(gt=0)]


class Citation(Frozen):
    """One observation that the report rests on.

    Attributes:
        step: Browse step whose observation is cited; 0 is the landing view.
        element_id: An element of that step's inventory, or ``None``.
        region: A part of that step's page, or ``None``.
        anchor_type: What kind of observation it is.
        quote: Text as shown at that step; may be empty only when an element or a region is named.
        observation: What the agent makes of it, in its own words.
    """

    step: Annotated[int, Field(strict=True, ge=0)]
    element_id: Annotated[str, Field(max_length=64)] | None = None
    region: Region | None = None
    anchor_type: AnchorType
    quote: Annotated[str, Field(max_length=1000)] = ""
    observation: Annotated[str, Field(max_length=1000)] = ""

    @model_validator(mode="after")
    def _points_somewhere(self) -> Self:
        if not self.quote.strip() and self.element_id is None and self.region is None:
            raise ValueError("quote: a citation needs a quote, an element_id or a region")
        return self


class Report(Frozen):
    """The decision, its type and the citations it rests on.

    Attributes:
        environment_status: How much of the site could be looked at.
        decision: Violation, no violation, or not enough evidence.
        primary_violation_type: A concrete type for VIOLATION; NONE and UNKNOWN belong to the other two.
        secondary_violation_types: Further concrete types, different from the primary one.
        evidence: Citations for the decision; at least one.
        counterevidence: Citations against it; may be empty.
        risk_reason: Why the citations add up to the decision.
        confidence: 1 (a guess) to 5 (certain).
        evidence_sufficiency: INSUFFICIENT with INSUFFICIENT_EVIDENCE, else SUFFICIENT.
        note: Free text, at most 1,000 characters; at least ten for OTHER_PROHIBITED_ACTIVITY.
    """

    schema_version: Literal["riskchain-report/v1"] = "riskchain-report/v1"
    environment_status: EnvironmentStatus
    decision: Decision
    primary_violation_type: ViolationType
    secondary_violation_types: Annotated[tuple[ViolationType, ...], Field(max_length=8)] = ()
    evidence: Annotated[tuple[Citation, ...], Field(min_length=1, max_length=50)]
    counterevidence: Annotated[tuple[Citation, ...], Field(max_length=50)] = ()
    risk_reason: Annotated[str, Field(min_length=1, max_length=4000)]
    confidence: Annotated[int, Field(strict=True, ge=1, le=5)]
    evidence_sufficiency: Literal["SUFFICIENT", "INSUFFICIENT"]
    note: Annotated[str, Field(max_length=1000)] = ""

    @model_validator(mode="after")
    def _follows_codebook(self) -> Self:
        problem = label_problem(self.decision, self.primary_violation_type, self.secondary_violation_types, self.note)
        if problem is not None:
            raise ValueError(problem)
        insufficient = self.decision is Decision.INSUFFICIENT_EVIDENCE
        if insufficient != (self.evidence_sufficiency == "INSUFFICIENT"):
            raise ValueError("evidence_sufficiency: INSUFFICIENT goes with INSUFFICIENT_EVIDENCE and only with it")
        own_words = (self.risk_reason, self.note, *(c.observation for c in (*self.evidence, *self.counterevidence)))
        if any(holds_address(text) for text in own_words):
            raise ValueError("report: no URL, domain, IP address or e-mail address may appear in it")
        return self
