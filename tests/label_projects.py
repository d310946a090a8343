"""Small labelling projects written down answer by answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from riskchain_gym.benchmark.labels.answers import Answer, PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Task, Worker
from riskchain_gym.protocol.codebook import Decision, EnvironmentStatus, ViolationType

Said = Mapping[str, Mapping[str, str]]
"""Answers by item, then by worker: ``"fraud"`` or ``"fraud 4"``, with the confidence behind it (3 where none is)."""

_TYPES = {
    "fraud": ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
    "phishing": ViolationType.PHISHING_CREDENTIAL_THEFT,
    "fake": ViolationType.IMPERSONATION_FAKE_SERVICE,
    "investment": ViolationType.INVESTMENT_FINANCIAL_FRAUD,
    "gambling": ViolationType.GAMBLING_BETTING_PROMOTION,
    "none": ViolationType.NONE,
    "unknown": ViolationType.UNKNOWN,
}
_DECISIONS = {"none": Decision.NON_VIOLATION, "unknown": Decision.INSUFFICIENT_EVIDENCE}


def answer(said: str) -> Answer:
    """Return an answer from its short form."""
    word, _, confidence = said.partition(" ")
    if word in ("yes", "no", "cannot_tell"):
        return PairAnswer(answer=word, confidence=int(confidence or 3))
    return SiteAnswer(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=_DECISIONS.get(word, Decision.VIOLATION),
        primary_violation_type=_TYPES[word],
        confidence=int(confidence or 3),
    )


class Written:
    """A project of which every answer is written down.

    Args:
        passes: The independent passes.
        repeats: Hidden repeats.
        reviews: Reviews.
        adjudications: What the coordinator ``boss`` said, by item.
        seconds: How long the passes of a worker took, in order of item.
        clusters: Cluster by item.
        per_item: How many passes the plan asks for; its tasks are the passes given, and those in ``missing``.
        missing: Passes that nobody has given, as (item, worker).
        withdrawn: Passes that were given first and taken back, as (item, worker).
        simulated: Workers who are programs.
    """

    def __init__(
        self,
        passes: Said,
        *,
        repeats: Said | None = None,
        reviews: Said | None = None,
        adjudications: Mapping[str, str] | None = None,
        seconds: Mapping[str, list[float]] | None = None,
        clusters: Mapping[str, str] | None = None,
        per_item: int = 2,
        missing: tuple[tuple[str, str], ...] = (),
        withdrawn: tuple[tuple[str, str], ...] = (),
        simulated: tuple[str, ...] = (),
    ) -> None:
        self._answers: list[tuple[Task, str]] = []
        self._add("pass", passes)
        self._add("repeat", repeats or {})
        self._add("review", reviews or {})
        self._add("adjudication", {item: {"boss": said} for item, said in (adjudications or {}).items()})
        tasks = [task for task, _ in self._answers]
        tasks += [_task(item, "pass", worker) for item, worker in missing]
        names = sorted({task.worker for task in tasks} - {"boss"})
        self.plan = Plan(
            subject="pairs" if next(iter(next(iter(passes.values())).values())).split()[0] in _ANSWERS else "sites",
            source="written",
            source_sha256="0" * 64,
            seed=1,
            passes=per_item,
            workers=(
                *(Worker(name=name, role="annotator", simulated=name in simulated) for name in names),
                Worker(name="boss", role="coordinator", simulated="boss" in simulated),
            ),
            items=tuple(sorted(passes)),
            clusters=dict(clusters or {}),
            tasks=tuple(tasks),
        )
        self.events = tuple(self._events(seconds or {}, withdrawn))

    def _add(self, layer: Layer, said: Said) -> None:
        for item, by in said.items():
            self._answers += [(_task(item, layer, worker), words) for worker, words in by.items()]

    def _events(self, seconds: Mapping[str, list[float]], withdrawn: tuple[tuple[str, str], ...]) -> list[Event]:
        times = {worker: iter(each) for worker, each in seconds.items()}
        events: list[Event] = []
        for task, words in self._answers:
            if task.layer == "pass" and (task.item_id, task.worker) in withdrawn:
                events.append(self._event(events, task, "answered", answer(words), None))
                events.append(self._event(events, task, "withdrawn", None, None))
            took = next(times.get(task.worker, iter(())), None) if task.layer == "pass" else None
            events.append(self._event(events, task, "answered", answer(words), took))
        return events

    def _event(
        self,
        before: list[Event],
        task: Task,
        kind: Literal["answered", "withdrawn"],
        said: Answer | None,
        took: float | None,
    ) -> Event:
        return Event(
            seq=sum(event.worker == task.worker for event in before),
            at="2026-01-05T09:00:00Z",
            worker=task.worker,
            kind=kind,
            task_id=task.task_id,
            item_id=task.item_id,
            layer=task.layer,
            site_answer=said if isinstance(said, SiteAnswer) else None,
            pair_answer=said if isinstance(said, PairAnswer) else None,
            seconds=took,
            plan=self.plan.sha256,
            previous="",
        )


_ANSWERS = ("yes", "no", "cannot_tell")


def _task(item: str, layer: Layer, worker: str) -> Task:
    return Task(task_id=f"{item}-{layer}-{worker}", item_id=item, layer=layer, worker=worker)
