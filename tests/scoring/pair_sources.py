"""The oracle's reports as pairs are drawn from them, and projects in which people answered pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from oracle_cases import mini_cases

from riskchain_gym.benchmark.labels.answers import PairAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Task, Worker
from riskchain_gym.benchmark.labels.state import ItemState, states
from riskchain_gym.scoring.calibration.pair_source import ReportSource
from riskchain_gym.scoring.calibration.pairs import PairItem

PEOPLE = (
    Worker(name="ann", role="annotator"),
    Worker(name="ben", role="annotator"),
    Worker(name="rae", role="reviewer"),
    Worker(name="cleo", role="coordinator"),
)
SHORT = {"y": "yes", "n": "no", "?": "cannot_tell"}
_WHO: dict[str, tuple[Layer, str]] = {
    "ann": ("pass", "ann"),
    "ben": ("pass", "ben"),
    "again": ("repeat", "ann"),
    "rae": ("review", "rae"),
    "cleo": ("adjudication", "cleo"),
}


@cache
def oracle_sources(agent: str = "oracle", *, gold: bool = True) -> tuple[ReportSource, ...]:
    return tuple(
        ReportSource(
            trajectory=case.trajectory,
            agent=agent,
            split="mini",
            episode=f"{i:064x}",
            site=case.gold.site.site_id,
            language=case.gold.site.lang,
            gold=case.gold if gold else None,
        )
        for i, case in enumerate(mini_cases())
    )


def without_gold(sources: Sequence[ReportSource]) -> list[ReportSource]:
    return [replace(source, gold=None) for source in sources]


def pair_plan(pairs: Sequence[PairItem], workers: Sequence[Worker] = PEOPLE, **changed: object) -> Plan:
    """Return a plan in which ann and ben pass every pair, ann once more, rae reviews and cleo adjudicates."""
    tasks = [
        Task(task_id=f"{name}-{pair.item_id}", item_id=pair.item_id, layer=layer, worker=worker)
        for name, (layer, worker) in _WHO.items()
        for pair in pairs
    ]
    given = {
        "subject": "pairs",
        "source": "pairs.jsonl",
        "source_sha256": "0" * 64,
        "seed": 0,
        "passes": 2,
        "workers": tuple(workers),
        "items": tuple(sorted(pair.item_id for pair in pairs)),
        "clusters": {pair.item_id: pair.cluster for pair in pairs},
        "tasks": tuple(tasks),
    }
    return Plan.model_validate(given | changed)


def answered(plan: Plan, answers: Mapping[str, Mapping[str, str]]) -> dict[str, ItemState]:
    """Return the states after answers by item and by who gave them, ``y``, ``n`` or ``?``, in that order."""
    events: list[Event] = []
    last: dict[str, str] = {}
    for item_id, given in answers.items():
        for name, short in given.items():
            layer, worker = _WHO[name]
            event = Event(
                seq=sum(each.worker == worker for each in events),
                at="2026-01-31T12:00:00Z",
                worker=worker,
                kind="answered",
                task_id=f"{name}-{item_id}",
                item_id=item_id,
                layer=layer,
                pair_answer=PairAnswer.model_validate({"answer": SHORT[short]}),
                plan=plan.sha256,
                previous=last.get(worker, plan.sha256),
            ).sealed()
            last[worker] = event.hash
            events.append(event)
    return states(plan, events)
