"""Small plans, answers and logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from riskchain_gym.benchmark.labels.answers import Answer, PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Subject, Task, Worker
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.protocol.codebook import Decision, EnvironmentStatus, ViolationType

WORKERS = (
    Worker(name="ann", role="annotator"),
    Worker(name="bob", role="annotator"),
    Worker(name="rex", role="reviewer"),
    Worker(name="kim", role="coordinator"),
)


def plan_of(
    items: int = 3,
    *,
    workers: Sequence[Worker] = WORKERS,
    subject: Subject = "sites",
    seed: int = 0,
    passes: int = 2,
    repeats: float = 0.0,
) -> Plan:
    """Draw a plan of items ``i000``, ``i001``, …"""
    ids = [f"i{number:03}" for number in range(items)]
    return draw_plan(
        subject, ids, workers, source="mini", source_sha256="0" * 64, seed=seed, passes=passes, repeats=repeats
    )


def project_of(folder: Path, plan: Plan | None = None) -> Project:
    """Make a project, of three items by default."""
    return create_project(folder / "project", plan or plan_of())


def bad(note: str = "") -> SiteAnswer:
    """An answer that says VIOLATION."""
    return _answer(Decision.VIOLATION, ViolationType.GAMBLING_BETTING_PROMOTION, note)


def fine(note: str = "") -> SiteAnswer:
    """An answer that says NON_VIOLATION."""
    return _answer(Decision.NON_VIOLATION, ViolationType.NONE, note)


def phishing() -> SiteAnswer:
    """An answer that differs from :func:`bad` in its type alone."""
    return _answer(Decision.VIOLATION, ViolationType.PHISHING_CREDENTIAL_THEFT, "")


def yes() -> PairAnswer:
    """An answer about a pair."""
    return PairAnswer(answer="yes")


def find(plan: Plan, item: str, layer: Layer, worker: str | None = None) -> Task:
    """Return the one task of an item, a layer and, for passes, a worker."""
    (task,) = [t for t in plan.tasks if (t.item_id, t.layer) == (item, layer) and worker in (None, t.worker)]
    return task


def written(plan: Plan, steps: Iterable[tuple[Task, Answer | None]]) -> list[Event]:
    """Return events with their places in their workers' logs, ``None`` for an answer that is taken back."""
    events: list[Event] = []
    for task, answer in steps:
        seq = sum(event.worker == task.worker for event in events)
        events.append(unsealed(plan, task, answer, at="2026-01-01T00:00:00Z").model_copy(update={"seq": seq}))
    return events


def _answer(decision: Decision, violation_type: ViolationType, note: str) -> SiteAnswer:
    return SiteAnswer(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=violation_type,
        confidence=4,
        note=note,
    )
