"""What follows from the answers: how far each item is, and what each worker is to do next.

All functions here are pure: the plan and the same events, in any order, give the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.item_state import ItemState
from riskchain_gym.benchmark.labels.plan import Plan, Task

__all__ = ["NOTHING_TO_TAKE_BACK", "ItemState", "can_withdraw", "done", "queue", "refusal", "states"]

NOTHING_TO_TAKE_BACK = "There is no answer that can be taken back."
"""What is said of it, whatever the cause: the cause would tell what others have answered."""


@dataclass
class _Gathered:
    passes: dict[str, Event] = field(default_factory=dict)
    repeats: dict[str, Event] = field(default_factory=dict)
    later: dict[str, Event] = field(default_factory=dict)
    asked: int = 0
    reviewed: bool = False
    firm: bool = True


def states(plan: Plan, events: Iterable[Event]) -> dict[str, ItemState]:
    """Return the state of every item, in order of id.

    A pass is firm once its worker has answered a later task, even if that answer was taken back since, or has no passes
    and repeats left.
    """
    events = tuple(events)
    standing, latest = _standing(events), _latest_answers(events)
    at_work = {task.worker for task in plan.tasks if task.is_own and task.task_id not in standing}
    gathered = {item: _Gathered() for item in sorted(plan.items)}
    for task in plan.tasks:
        here, event = gathered[task.item_id], standing.get(task.task_id)
        here.asked += task.layer == "pass"
        here.reviewed |= task.layer == "review"
        if event is not None and task.layer == "pass":
            here.passes[task.worker] = event
            here.firm &= task.worker not in at_work or event.seq < latest[task.worker]
        elif event is not None and task.layer == "repeat":
            here.repeats[task.worker] = event
        elif event is not None:
            here.later[task.layer] = event
    return {
        item: ItemState(
            item_id=item,
            passes=found.passes,
            repeats=found.repeats,
            review=found.later.get("review"),
            adjudication=found.later.get("adjudication"),
            asked=found.asked,
            reviewed=found.reviewed,
            firm=found.firm,
        )
        for item, found in gathered.items()
    }


def queue(plan: Plan, events: Sequence[Event], worker: str) -> tuple[Task, ...]:
    """Return what a worker is to answer, in order.

    First come the worker's own passes and repeats in the plan's order, so that no repeat comes before its pass. Only
    when all of them are answered come the reviews that are due, in order of item, and then the adjudications that are
    due: until then nothing here depends on what others have answered.
    """
    return tuple(_queue(plan, events, worker))


def done(plan: Plan, events: Iterable[Event], worker: str) -> tuple[Task, ...]:
    """Return the tasks whose answers by a worker stand, in the order that they were given."""
    tasks = {task.task_id: task for task in plan.tasks}
    own = [event for event in _standing(events).values() if event.worker == worker]
    return tuple(tasks[event.task_id] for event in sorted(own, key=lambda event: event.seq))


def can_withdraw(plan: Plan, events: Sequence[Event], worker: str) -> Task | None:
    """Return the task of a worker's last answer if it may be taken back: nobody has built on it.

    A pass may not once the item was reviewed or adjudicated, nor a review once the item was adjudicated. An annotator
    goes back by one answer and no further, and not once all passes and repeats are answered, where there are others to
    disagree with. So, as a review waits until passes are firm, whether a pass or a repeat can be taken back depends on
    nobody else.
    """
    last = next(reversed(done(plan, events, worker)), None)
    if last is None:
        return None
    (role,) = [each.role for each in plan.workers if each.name == worker]
    if role == "annotator" and max((e for e in events if e.worker == worker), key=_seq).kind == "withdrawn":
        return None
    if role == "annotator" and last.is_own and plan.passes > 1 and not _own_left(plan, events, worker):
        return None
    state = states(plan, events)[last.item_id]
    reviewed, adjudicated = state.review is not None, state.adjudication is not None
    built_on = {"pass": reviewed or adjudicated, "review": adjudicated}
    return None if built_on.get(last.layer, False) else last


def refusal(plan: Plan, events: Sequence[Event], event: Event) -> str:
    """Return, as a sentence, why an event may not be written after the others; nothing where it may.

    Args:
        plan: The plan.
        events: What was written so far, by everybody.
        event: What would come next; its task is one of its worker's.
    """
    if event.kind == "withdrawn":
        last = can_withdraw(plan, events, event.worker)
        return "" if last is not None and last.task_id == event.task_id else NOTHING_TO_TAKE_BACK
    if event.task_id not in {task.task_id for task in _queue(plan, events, event.worker)}:
        return "This item is not due any more, or not yet: the answer was not taken."
    if event.layer == "repeat" and event.worker not in states(plan, events)[event.item_id].passes:
        return "An earlier item comes first: the answer was not taken."
    return ""


def _queue(plan: Plan, events: Sequence[Event], worker: str) -> Iterator[Task]:
    if own := _own_left(plan, events, worker):
        yield from own
        return
    standing = _standing(events)
    if left := [task for task in plan.tasks if task.worker == worker and task.task_id not in standing]:
        found = states(plan, events)
        for layer, status in (("review", "to_review"), ("adjudication", "to_adjudicate")):
            due = [task for task in left if task.layer == layer and found[task.item_id].status == status]
            yield from sorted(due, key=lambda task: task.item_id)


def _own_left(plan: Plan, events: Iterable[Event], worker: str) -> list[Task]:
    standing = _standing(events)
    return [task for task in plan.tasks if task.worker == worker and task.is_own and task.task_id not in standing]


def _standing(events: Iterable[Event]) -> dict[str, Event]:
    """Return the answers that were not taken back, by task."""
    last: dict[str, Event] = {}
    for event in events:
        if event.task_id not in last or last[event.task_id].seq < event.seq:
            last[event.task_id] = event
    return {task_id: event for task_id, event in last.items() if event.kind == "answered"}


def _latest_answers(events: Iterable[Event]) -> dict[str, int]:
    """Return the place of the last answer in each worker's log, one that was taken back included."""
    latest: dict[str, int] = {}
    for event in events:
        if event.kind == "answered":
            latest[event.worker] = max(event.seq, latest.get(event.worker, 0))
    return latest


def _seq(event: Event) -> int:
    return event.seq
