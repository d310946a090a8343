"""How far a labelling project is, in numbers; no answer is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.item_state import Status
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Role, Subject
from riskchain_gym.benchmark.labels.state import done, queue, states
from riskchain_gym.protocol.model import Frozen


class WorkerProgress(Frozen):
    """How far one worker is.

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
    """How far a project is.

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
