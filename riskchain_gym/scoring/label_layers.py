"""What the layers of a labelling project and its people did, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from riskchain_gym.benchmark.labels.answers import Answer, SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Layer, Plan
from riskchain_gym.benchmark.labels.state import ItemState
from riskchain_gym.scoring.label_figures import Layers, Sided, WorkerFigures


def layers(plan: Plan, states: Mapping[str, ItemState], events: Sequence[Event]) -> Layers:
    """Return how many answers each layer asked for and got.

    Args:
        plan: The plan.
        states: What became of each item.
        events: All events.
    """
    due = Counter(task.layer for task in plan.tasks)
    reviewable = {task.item_id for task in plan.tasks if task.layer == "review"}
    complete = [state for state in states.values() if 0 < state.asked <= len(state.passes)]
    disputed = [state for state in complete if state.disagrees]
    settled = sum(state.settled is not None for state in states.values())
    return Layers(
        items=len(plan.items),
        passes_due=due["pass"],
        passes=sum(len(state.passes) for state in states.values()),
        complete=len(complete),
        disagreements=len(disputed),
        decision_disagreements=sum(_decisions_differ(state) for state in disputed),
        reviews_due=sum(state.item_id in reviewable for state in disputed),
        reviews=sum(state.review is not None for state in disputed),
        adjudications=sum(state.adjudication is not None for state in disputed),
        sided=_sided(disputed),
        repeats_due=due["repeat"],
        repeats=sum(len(state.repeats) for state in states.values()),
        settled=settled,
        open=len(plan.items) - settled,
        withdrawn=sum(event.kind == "withdrawn" for event in events),
    )


def worker_figures(plan: Plan, states: Mapping[str, ItemState], events: Sequence[Event]) -> tuple[WorkerFigures, ...]:
    """Return what each person did, in the plan's order.

    Args:
        plan: The plan.
        states: What became of each item.
        events: All events.
    """
    standing: dict[str, list[Event]] = {worker.name: [] for worker in plan.workers}
    for state in states.values():
        for event in (*state.passes.values(), *state.repeats.values(), state.review, state.adjudication):
            if event is not None:
                standing[event.worker].append(event)
    withdrawn = Counter(event.worker for event in events if event.kind == "withdrawn")
    figures: list[WorkerFigures] = []
    for worker in plan.workers:
        given: Counter[Layer] = Counter(event.layer for event in standing[worker.name])
        times = [event.seconds for event in standing[worker.name] if event.seconds is not None]
        figures.append(
            WorkerFigures(
                worker=worker.name,
                role=worker.role,
                simulated=worker.simulated,
                passes=given["pass"],
                repeats=given["repeat"],
                reviews=given["review"],
                adjudications=given["adjudication"],
                withdrawn=withdrawn[worker.name],
                measured=len(times),
                median_seconds=median(times) if times else None,
            )
        )
    return tuple(figures)


def answer_of(event: Event) -> Answer:
    """Return the answer of an event that stands."""
    assert event.answer is not None, "only answers stand"
    return event.answer


def _decisions_differ(state: ItemState) -> bool:
    answers = [answer_of(event) for event in state.passes.values()]
    return len({answer.decision if isinstance(answer, SiteAnswer) else answer.answer for answer in answers}) > 1


def _sided(disputed: Collection[ItemState]) -> Sided:
    with_whom = Counter[str]()
    for state in disputed:
        if state.adjudication is None:
            continue
        said = answer_of(state.adjudication).joint
        passed = any(answer_of(event).joint == said for event in state.passes.values())
        reviewed = state.review is not None and answer_of(state.review).joint == said
        match passed, reviewed:
            case True, True:
                with_whom["pass_and_review"] += 1
            case True, False:
                with_whom["pass_only"] += 1
            case False, True:
                with_whom["review_only"] += 1
            case _:
                with_whom["nobody"] += 1
    return Sided(**with_whom)
