"""Which items people disagree on, grouped by the labels that met, for a coordinator to look at next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.annotation.label_names import name_of
from riskchain_gym.benchmark.labels.answers import Answer, SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.state import states


@dataclass(frozen=True)
class Disagreement:
    """The items on which the same labels met.

    Attributes:
        labels: The labels, as people read them.
        settled: How often an adjudication chose which label, the most frequent first.
        open: Items without a settled label.
        closed: Items with one.
    """

    labels: tuple[str, ...]
    settled: tuple[tuple[str, int], ...]
    open: tuple[str, ...]
    closed: tuple[str, ...]

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.open) + len(self.closed)


def disagreements(plan: Plan, events: Sequence[Event]) -> list[Disagreement]:
    """Return the disagreements of a project, those on most items first.

    Args:
        plan: The plan.
        events: All events of all logs.
    """
    groups: dict[tuple[str, ...], list[tuple[str, Answer | None]]] = {}
    for item, state in states(plan, events).items():
        if state.disagrees:
            met = {_label(event.answer) for event in state.passes.values() if event.answer is not None}
            groups.setdefault(tuple(sorted(met)), []).append((item, state.settled))
    found = [_group(labels, items) for labels, items in groups.items()]
    return sorted(found, key=lambda group: (-group.items, group.labels))


def _group(labels: tuple[str, ...], items: Sequence[tuple[str, Answer | None]]) -> Disagreement:
    chosen = Counter(name_of(_label(settled)) for _, settled in items if settled is not None)
    return Disagreement(
        labels=tuple(map(name_of, labels)),
        settled=tuple(sorted(chosen.items(), key=lambda entry: (-entry[1], entry[0]))),
        open=tuple(item for item, settled in items if settled is None),
        closed=tuple(item for item, settled in items if settled is not None),
    )


def _label(answer: Answer) -> str:
    return answer.primary_violation_type if isinstance(answer, SiteAnswer) else answer.answer
