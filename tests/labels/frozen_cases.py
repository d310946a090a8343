"""Projects with answers in their logs, and the labels that they freeze into."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from label_cases import find, plan_of

from riskchain_gym.benchmark.labels.answers import Answer, SiteAnswer
from riskchain_gym.benchmark.labels.frozen import FrozenLabel, FrozenLabels, RawAnswer
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Layer, Plan
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.report import Citation

Step = tuple[str, Layer, str, Answer | None]
"""Item, layer and worker of an answer, and the answer; ``None`` takes it back."""

FRAUD, GAMBLING = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT, ViolationType.GAMBLING_BETTING_PROMOTION


def answered(folder: Path, steps: Iterable[Step], plan: Plan | None = None) -> Project:
    """Make a project of two items, by default, and write answers into its logs."""
    project = create_project(folder, plan or plan_of(2))
    for item, layer, worker, answer in steps:
        task = find(project.plan, item, layer, worker)
        with project.writer(worker) as log:
            log.append(unsealed(project.plan, task, answer, at="2026-01-01T00:00:00Z"))
    return project


def cited(step: int, anchor: AnchorType = AnchorType.VISIBLE_TEXT_OR_CLAIM) -> Citation:
    """A citation of a line at a browse step."""
    return Citation(step=step, anchor_type=anchor, quote="win every day")


def says(
    kind: ViolationType = GAMBLING,
    *,
    second: tuple[ViolationType, ...] = (),
    status: EnvironmentStatus = EnvironmentStatus.COMPLETE,
    evidence: tuple[Citation, ...] = (),
    anchors: tuple[AnchorType, ...] = (),
    note: str = "",
    confidence: int = 4,
) -> SiteAnswer:
    """An answer that says VIOLATION of a type."""
    kinds = tuple(anchor for anchor in AnchorType if anchor in {citation.anchor_type for citation in evidence})
    return SiteAnswer(
        environment_status=status,
        decision=Decision.VIOLATION,
        primary_violation_type=kind,
        secondary_violation_types=second,
        evidence_anchor_types=kinds or anchors,
        confidence=confidence,
        note=note,
        evidence=evidence,
    )


def frozen_label(item: str, **changed: object) -> FrozenLabel:
    """A frozen label of NON_VIOLATION, one pass behind it."""
    plain = {"decision": Decision.NON_VIOLATION, "primary_violation_type": ViolationType.NONE}
    status = {"environment_status": EnvironmentStatus.COMPLETE}
    raw = RawAnswer.model_validate({"layer": "pass", "worker": "ann", "confidence": 4, **plain, **status})
    fields = {"item_id": item, "provenance": "human", "depth": "D1", "raw": (raw,), **plain, **status, **changed}
    return FrozenLabel.model_validate(fields)


def frozen_labels(*labels: FrozenLabel, codebook: str = CODEBOOK_VERSION) -> FrozenLabels:
    """Frozen labels of imported sites."""
    return FrozenLabels(
        codebook_version=codebook,
        source="import",
        source_sha256="0" * 64,
        plan_sha256="1" * 64,
        logs={"ann": "2" * 64},
        labels=tuple(sorted(labels, key=lambda label: label.item_id)),
    ).sealed()
