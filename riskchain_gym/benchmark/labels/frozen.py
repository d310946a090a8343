"""Frozen labels: what people settled on, with every answer that it came from, in one file that names its hashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.benchmark.labels.plan import Layer, Name
from riskchain_gym.protocol.codebook import (
    AnchorType,
    Decision,
    EnvironmentStatus,
    ViolationType,
    codebook_problem,
    label_problem,
)
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.gold import Depth, LabelSource
from riskchain_gym.protocol.invalid import read_model
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.protocol.report import Citation

ADVICE = "give a file that `riskchain labels freeze` wrote"


class RawAnswer(Frozen):
    """One answer that stood when labels were frozen, kept whether it prevailed or not.

    Attributes:
        layer: The part it played.
        worker: Who gave it.
        decision: Their decision.
        primary_violation_type: Their main type.
        environment_status: How much of the site they could look at.
        confidence: 1 (a guess) to 5 (certain).
    """

    layer: Layer
    worker: Name
    decision: Decision
    primary_violation_type: ViolationType
    environment_status: EnvironmentStatus
    confidence: Annotated[int, Field(strict=True, ge=1, le=5)]


class CitedBy(Frozen):
    """What one of those whose answer is the label cited for it.

    Attributes:
        layer: The part that their answer plays.
        worker: Who they are.
        visit: Name of the file of their browsing, whose steps are cited; ``""`` for none.
        visit_sha256: SHA-256 of that file's bytes, ``""`` for none.
        evidence: Citations for the decision.
        counterevidence: Citations against it.
    """

    layer: Layer
    worker: Name
    visit: str = ""
    visit_sha256: str = ""
    evidence: tuple[Citation, ...] = ()
    counterevidence: tuple[Citation, ...] = ()


class FrozenLabel(Frozen):
    """The label of one site.

    Attributes:
        item_id: The site or chain.
        site_sha256: SHA-256 of what an imported site was when it was labelled; ``""`` for a site that was made here.
        decision: The label.
        primary_violation_type: Its main type.
        secondary_violation_types: Further types, in codebook order: those that every pass names, or the adjudication's.
        environment_status: The adjudication's; of passes that agree on the label the one most of them give, and of
            several such the least complete.
        evidence_anchor_types: Kinds of observations that any of ``cited`` rests on, in codebook order.
        provenance: Where the label comes from.
        depth: How far the evidence lies from the landing page, as the shortest of the paths walked to it has it;
            ``None`` where nothing is cited or no path is known.
        note: Why, in the words of the adjudication, or of the first pass by name that has any.
        cited: What those cited who settled the label; where they cite nothing, those whose answer it is too.
        raw: Every answer that stood, by layer and then by name.
    """

    item_id: str
    site_sha256: str = ""
    decision: Decision
    primary_violation_type: ViolationType
    secondary_violation_types: tuple[ViolationType, ...] = ()
    environment_status: EnvironmentStatus
    evidence_anchor_types: tuple[AnchorType, ...] = ()
    provenance: LabelSource
    depth: Depth | None = None
    note: str = ""
    cited: tuple[CitedBy, ...] = ()
    raw: Annotated[tuple[RawAnswer, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _follows_codebook(self) -> Self:
        problem = label_problem(self.decision, self.primary_violation_type, self.secondary_violation_types, self.note)
        if problem is not None:
            raise ValueError(problem)
        return self


class FrozenLabels(Frozen):
    """The labels of a project at one moment; the same answers give the same bytes.

    Attributes:
        codebook_version: The codebook that all of them follow.
        source: Where the sites come from, as the plan says.
        source_sha256: SHA-256 of what the sites are.
        plan_sha256: SHA-256 of the plan.
        logs: Hash of the last entry of every person's log; the plan's of a log without any.
        left_out: How many sites of the plan have no settled label and are not here.
        labels: The labels, sorted by item.
        agreement: How far people agreed, as the agreement report has it; ``None`` where nobody computed it.
        content_sha256: SHA-256 of all other fields.
    """

    schema_version: Literal["riskchain-labels/v1"] = "riskchain-labels/v1"
    subject: Literal["sites"] = "sites"
    codebook_version: str
    source: str
    source_sha256: str
    plan_sha256: str
    logs: dict[Name, str]
    left_out: Annotated[int, Field(ge=0)] = 0
    labels: tuple[FrozenLabel, ...]
    agreement: dict[str, Any] | None = None
    content_sha256: str = ""

    @model_validator(mode="after")
    def _sorted(self) -> Self:
        ids = [label.item_id for label in self.labels]
        if ids != sorted(set(ids)):
            raise ValueError("labels: must be sorted by item_id, each item once")
        return self

    def by_item(self) -> dict[str, FrozenLabel]:
        """Return the labels by item id."""
        return {label.item_id: label for label in self.labels}

    def expected_sha256(self) -> str:
        """Return the hash that the labels must carry."""
        return sha256_of(self.model_dump(mode="json", exclude={"content_sha256"}))

    def sealed(self) -> FrozenLabels:
        """Return the labels with their hash filled in."""
        return self.model_copy(update={"content_sha256": self.expected_sha256()})

    def encoded(self) -> bytes:
        """Return the bytes of the file: JSON with sorted keys, always the same."""
        row = self.model_dump(mode="json")
        text = json.dumps(row, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
        return f"{text}\n".encode()


def read_frozen(path: Path) -> FrozenLabels:
    """Return the labels that a file holds.

    Raises:
        InputFileError: It is missing, malformed or changed since it was written, or follows another codebook than this
            package has.
    """
    frozen = read_model(path, FrozenLabels, ADVICE)
    if frozen.content_sha256 != frozen.expected_sha256():
        raise InputFileError(path, "content_sha256", "is not that of the labels: the file was changed, freeze again")
    if problem := codebook_problem([frozen.codebook_version]):
        raise InputFileError(path, "codebook_version", problem)
    return frozen
