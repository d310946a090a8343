"""How far a labelling project is, in numbers: for everybody, and for the coordinator; no answer is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.item_state import Status
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Role, Subject, Worker
from riskchain_gym.benchmark.labels.state import done, queue, states
from riskchain_gym.protocol.model import Frozen


class Pace(Frozen):
    """How far one worker is, as everybody may know it.

    Attributes:
        name: Who.
        role: What the worker is in the plan.
        simulated: Whether a program answers.
        done: Passes and repeats of an annotator whose answers stand; ``None`` for others, whose tasks disputes make.
        planned: Passes and repeats that the plan asks of an annotator; ``None`` for others.
    """

    name: str
    role: Role
    simulated: bool
    done: int | None
    planned: int | None


class Overview(Frozen):
    """How far a project is, as everybody may know it: nothing in it follows from disputes.

    Attributes:
        plan: SHA-256 of the plan.
        subject: What is labelled.
        items: Number of items.
        workers: Each worker, in the plan's order.
    """

    schema_version: Literal["riskchain-label-overview/v1"] = "riskchain-label-overview/v1"
    plan: str
    subject: Subject
    items: int
    workers: tuple[Pace, ...]


class WorkerProgress(Frozen):
    """How far one worker is, reviews and adjudications included.

    Attributes:
        name: Who.
        role: What the worker is in the plan.
        simulated: Whether a program answers.
        done: Tasks whose answers stand.
        due: Tasks that can be answered now.
        total: Both; it grows while reviews and adjudications become due.
    """

    name: str
    role: Role
    simulated: bool
    done: int
    due: int
    total: int


class Progress(Frozen):
    """How far a project is, for the coordinator: it tells how many passes differ.

    Attributes:
        plan: SHA-256 of the plan.
        subject: What is labelled.
        items: Number of items.
        workers: Each worker, in the plan's order.
        answered: Answers that stand, by layer.
        due: Tasks that can be answered now, by layer.
        items_by_status: Items by how far they are.
        disagreements: Items whose passes differ, settled or not.
        open_disagreements: Those that are not settled.
    """

    schema_version: Literal["riskchain-label-status/v1"] = "riskchain-label-status/v1"
    plan: str
    subject: Subject
    items: int
    workers: tuple[WorkerProgress, ...]
    answered: dict[Layer, int]
    due: dict[Layer, int]
    items_by_status: dict[Status, int]
    disagreements: int
    open_disagreements: int


def overview_of(plan: Plan, events: Sequence[Event]) -> Overview:
    """Return what everybody may know of how far a project is after these events."""
    workers: list[Pace] = []
    for worker in plan.workers:
        passes = worker.role == "annotator"
        workers.append(
            Pace(
                name=worker.name,
                role=worker.role,
                simulated=worker.simulated,
                done=_own_done(plan, events, worker) if passes else None,
                planned=_planned(plan, worker) if passes else None,
            )
        )
    return Overview(plan=plan.sha256, subject=plan.subject, items=len(plan.items), workers=tuple(workers))


def page_counts(plan: Plan, events: Sequence[Event], worker: Worker) -> tuple[int, int | None]:
    """Return what a worker's own page tells: the tasks done, and of how many.

    The latter are the passes and repeats that the plan asks for. When they are answered, or there are none, it is
    ``None`` if more may come: reviews and adjudications, of which nobody is told how many are due.
    """
    own, planned = _own_done(plan, events, worker), _planned(plan, worker)
    if own < planned or all(task.is_own for task in plan.tasks if task.worker == worker.name):
        return own, planned
    return len(done(plan, events, worker.name)), None


def progress_of(plan: Plan, events: Sequence[Event]) -> Progress:
    """Return how far a project is after these events."""
    found = states(plan, events)
    answered, due = Counter[Layer](), Counter[Layer]()
    workers: list[WorkerProgress] = []
    for worker in plan.workers:
        given, waiting = done(plan, events, worker.name), queue(plan, events, worker.name)
        answered.update(task.layer for task in given)
        due.update(task.layer for task in waiting)
        workers.append(
            WorkerProgress(
                name=worker.name,
                role=worker.role,
                simulated=worker.simulated,
                done=len(given),
                due=len(waiting),
                total=len(given) + len(waiting),
            )
        )
    by_status = Counter(state.status for state in found.values())
    differing = [state for state in found.values() if state.disagrees]
    layers: tuple[Layer, ...] = get_args(Layer)
    every_status: tuple[Status, ...] = get_args(Status)
    return Progress(
        plan=plan.sha256,
        subject=plan.subject,
        items=len(plan.items),
        workers=tuple(workers),
        answered={layer: answered[layer] for layer in layers},
        due={layer: due[layer] for layer in layers},
        items_by_status={status: by_status[status] for status in every_status},
        disagreements=len(differing),
        open_disagreements=sum(state.status != "settled" for state in differing),
    )


def _planned(plan: Plan, worker: Worker) -> int:
    return sum(task.worker == worker.name and task.is_own for task in plan.tasks)


def _own_done(plan: Plan, events: Sequence[Event], worker: Worker) -> int:
    return sum(task.is_own for task in done(plan, events, worker.name))
