"""Freezing a labelling project: its settled labels, how far people agreed, and how deep their evidence lies."""

from __future__ import annotations

from riskchain_gym.annotation.depths import depths
from riskchain_gym.benchmark.labels.freeze import check_freezable, freeze_labels
from riskchain_gym.benchmark.labels.frozen import FrozenLabels
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.scoring.label_agreement import label_agreement


def freeze_project(project: Project, *, partial: bool = False, codebook: str = CODEBOOK_VERSION) -> FrozenLabels:
    """Freeze the labels of a project about sites; the same answers give the same bytes.

    Args:
        project: The project.
        partial: Whether sites without a settled label are left out; otherwise all must be settled.
        codebook: The codebook that the labels are to follow.

    Raises:
        ConfigError: Answers are simulated, the plan is of another codebook or of no sites, or nothing, or without
            ``partial`` not everything, is settled.
        InputFileError: A log is malformed, or a visit is missing or not the one that its answer rests on.
    """
    check_freezable(project.plan, codebook)
    events = project.events()
    return freeze_labels(
        project.plan,
        events,
        partial=partial,
        codebook=codebook,
        depths=depths(project.folder, events),
        agreement=label_agreement(project.plan, events).model_dump(mode="json"),
    )
