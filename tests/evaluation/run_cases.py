"""Frozen runs made by hand out of others: episodes that ended in every way, and hostile text in every place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureKind
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Step, Trajectory

Images = Mapping[int, bytes]


def trajectories(run: RunFolder) -> list[Trajectory]:
    return [record.trajectory for record in run.records()]


def remade(path: Path, like: RunFolder, episodes: Iterable[tuple[Trajectory, Images]], **manifest: object) -> RunFolder:
    run = RunFolder.create(path, like.manifest.model_copy(update=manifest))
    for trajectory, images in episodes:
        run.append(trajectory, images, 1.0)
    return run


def lost(trajectory: Trajectory) -> Trajectory:
    """The browser died after the third action."""
    changes = {"status": EpisodeStatus.INFRA_ERROR, "infra_cause": "browser_lost", "report": None}
    return trajectory.model_copy(update={**changes, "steps": trajectory.steps[:3]})


def ended(trajectory: Trajectory) -> Trajectory:
    """The protocol ended it as ⊥ before the site was opened."""
    changes = {
        "status": EpisodeStatus.BOTTOM,
        "commit": None,
        "report": None,
        "landing": None,
        "pages": {},
        "steps": (),
    }
    return trajectory.model_copy(update=changes)


def unreported(trajectory: Trajectory) -> Trajectory:
    """Everything but the report."""
    changes = {"status": EpisodeStatus.MISSING_REPORT, "report": None}
    return trajectory.model_copy(update={**changes, "steps": trajectory.steps[:-1]})


def browsed_only(trajectory: Trajectory) -> Trajectory:
    """The site and the report alone, as where an episode begins on the site."""
    steps = tuple(step for step in trajectory.steps if step.phase != "restore")
    return trajectory.model_copy(update={"commit": None, "steps": steps})


def misjudged(trajectory: Trajectory) -> Trajectory:
    """The report with another decision."""
    assert trajectory.report is not None
    benign = trajectory.report.decision is Decision.NON_VIOLATION
    decision = Decision.INSUFFICIENT_EVIDENCE if benign else Decision.NON_VIOLATION
    changes = {
        "decision": decision,
        "primary_violation_type": PSEUDO_TYPES[decision],
        "secondary_violation_types": (),
        "evidence_sufficiency": "INSUFFICIENT" if benign else "SUFFICIENT",
    }
    return trajectory.model_copy(update={"report": trajectory.report.model_copy(update=changes)})


def sent(trajectory: Trajectory) -> Trajectory:
    """The commit and the report as what was sent, in an unbroken chain of hashes, as the protocol wants it."""
    steps: list[Step] = []
    for step in trajectory.steps:
        value = {Phase.RESTORE: trajectory.commit, Phase.REPORT: trajectory.report}.get(step.phase)
        told = {} if value is None or step.result.status == "invalid" else {"action": value.model_dump_json()}
        previous = steps[-1].hash if steps else GENESIS
        steps.append(step.model_copy(update={**told, "previous": previous}).sealed())
    return trajectory.model_copy(update={"steps": tuple(steps)})


def poisoned(trajectory: Trajectory, text: str) -> Trajectory:
    """A text in every place that a page or an agent can write to."""
    assert trajectory.report is not None
    assert trajectory.commit is not None
    report = trajectory.report.model_copy(
        update={
            "risk_reason": text,
            "note": text,
            "evidence": tuple(_citation(c, text) for c in trajectory.report.evidence),
            "counterevidence": tuple(_citation(c, text) for c in trajectory.report.evidence),
        }
    )
    restored = tuple(m.model_copy(update={"text": text}) for m in trajectory.commit.reconstructed_messages)
    entries = tuple(c.model_copy(update={"value": text}) for c in trajectory.commit.entry_candidates)
    strike = {"action": text, "result": {"status": "invalid", "error": None}, "feedback": text, "browse_step": None}
    first = trajectory.steps[0]
    steps = [
        first.model_copy(update={**strike, "result": first.result.model_validate(strike["result"])}),
        *(
            step.model_copy(update={"action": _reasoned(step.action, text), "feedback": text})
            if step.phase == "browse"
            else step
            for step in trajectory.steps[1:]
        ),
    ]
    return trajectory.model_copy(
        update={
            "report": report,
            "commit": trajectory.commit.model_copy(
                update={"reconstructed_messages": restored, "entry_candidates": entries}
            ),
            "pages": {key: _page(page, text) for key, page in trajectory.pages.items()},
            "steps": tuple(steps),
            "infra_cause": text,
            "failures": (Failure(kind=FailureKind.LOOP, step=0, detail=text),),
        }
    )


def _citation(citation: Citation, text: str) -> Citation:
    return citation.model_copy(update={"quote": text, "observation": text, "element_id": None, "region": None})


def _reasoned(action: str, text: str) -> str:
    return json.dumps({**json.loads(action), "reason": text}, ensure_ascii=False)


def _page(page: ObservedPage, text: str) -> ObservedPage:
    return page.model_copy(
        update={
            "title": text,
            "path": text,
            "lines": (page.lines[0].model_copy(update={"text": text}), *page.lines),
            "elements": tuple(e.model_copy(update={"name": text, "role": text}) for e in page.elements),
        }
    )
