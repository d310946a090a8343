"""Whole labelling projects by simulated annotators, to try tools and figures on; the one place here that reads gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.confused import ConfusedAnnotator, drawn_seconds
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import unsealed, write_log
from riskchain_gym.benchmark.labels.plan import Plan, Task, Worker
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.benchmark.labels.state import states
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.benchmark.whole_folder import check_place, replacing
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed

REVIEWER, COORDINATOR = "sim-reviewer", "sim-coordinator"
MIN_ANNOTATORS, MAX_ANNOTATORS = 2, 26

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_BETWEEN_TASKS = timedelta(seconds=4)
_COORDINATOR_ERRS = 1 / 3
"""The coordinator, who sees all answers, errs this often where an annotator errs once."""


def simulate(
    folder: Path,
    split: str,
    *,
    annotators: int = 4,
    count: int | None = None,
    accuracy: float = 0.91,
    consistency: float = 0.85,
    repeats: float = 0.05,
    seed: int = 0,
) -> Project:
    """Write a project in which programs have passed, repeated, reviewed and adjudicated every site.

    All workers are marked as simulated, so nothing of it can become gold of people. Times are invented and follow from
    the seed: the same arguments give the same bytes.

    Args:
        folder: Folder to make; it must not be there, or be empty.
        split: Split by name or path, with its gold.
        annotators: How many annotators; two get a reviewer beside them.
        count: Sites to draw from the split; all by default.
        accuracy: How often the decision is right on average, 0 to 1.
        consistency: How often a hidden repeat is answered from memory, 0 to 1; otherwise it is answered anew.
        repeats: Share of an annotator's sites that come again.
        seed: Seed of everything that is drawn.

    Raises:
        ConfigError: A number is out of range, or the split has fewer sites.
        InputFileError: There is something in the folder, or the split has no gold here.
        UnknownNameError: There is no such split.
    """
    _check(annotators, accuracy, consistency)
    _refuse_filled(folder)
    check_place(folder)
    key = key_from_seed(seed)
    sites, gold = item_sites([split]), {chain.site.site_id: chain.site for chain in load_gold(split).values()}
    if count is not None and not 1 <= count <= len(sites):
        raise ConfigError(f"Split '{split}' has {len(sites)} sites, got a count of {count}: ask for 1 to {len(sites)}.")
    items = sorted(KeyedRandom(key, "simulated", "sites").sample(sorted(sites), count or len(sites)))
    names = [f"sim-{chr(ord('a') + i)}" for i in range(annotators)]
    # Two annotators pass every item, so somebody else must review.
    reviewers = [REVIEWER] if annotators == MIN_ANNOTATORS else []
    plan = draw_plan(
        "sites",
        items,
        [
            *(Worker(name=name, role="annotator", simulated=True) for name in names),
            *(Worker(name=name, role="reviewer", simulated=True) for name in reviewers),
            Worker(name=COORDINATOR, role="coordinator", simulated=True),
        ],
        source=sites.source,
        source_sha256=sites.sha256,
        seed=seed,
        repeats=repeats,
        clusters=sites.clusters,
        digests=sites.digests,
    )
    models = {
        name: ConfusedAnnotator.drawn(accuracy, i, KeyedRandom(key, "simulated", name))
        for i, name in enumerate((*names, *reviewers))
    }
    calm = ConfusedAnnotator(1 - (1 - accuracy) * _COORDINATOR_ERRS, Decision.INSUFFICIENT_EVIDENCE)
    team = _Team(plan, {**models, COORDINATOR: calm}, gold, key, consistency)
    with replacing(folder, _refuse_filled) as place:
        create_project(place, plan)
        for worker, events in team.answered().items():
            write_log(place, plan, worker, events)
    return Project.open(folder)


def _check(annotators: int, accuracy: float, consistency: float) -> None:
    if not MIN_ANNOTATORS <= annotators <= MAX_ANNOTATORS:
        raise ConfigError(f"A simulation has {MIN_ANNOTATORS} to {MAX_ANNOTATORS} annotators, got {annotators}.")
    for name, share in {"accuracy": accuracy, "consistency": consistency}.items():
        if not 0 <= share <= 1:
            raise ConfigError(f"The {name} is a share from 0 to 1, got {share}.")


def _refuse_filled(folder: Path) -> Iterable[Path]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputFileError(folder, "", "is there already and is not empty: give the path of a new folder")
    return ()


@dataclass
class _Team:
    """Everybody who answers, and what they have answered so far."""

    plan: Plan
    models: Mapping[str, ConfusedAnnotator]
    gold: Mapping[str, SiteGold]
    key: bytes
    consistency: float
    clocks: dict[str, datetime] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    passed: dict[tuple[str, str], SiteAnswer] = field(default_factory=dict)

    def answered(self) -> dict[str, list[Event]]:
        """Return the events of each worker, after all layers."""
        self._answer([task for task in self.plan.tasks if task.layer in ("pass", "repeat")])
        for layer in ("review", "adjudication"):
            disputed = {item for item, state in states(self.plan, self.events).items() if state.disagrees}
            self._answer([task for task in self.plan.tasks if task.layer == layer and task.item_id in disputed])
        logs: dict[str, list[Event]] = {worker.name: [] for worker in self.plan.workers}
        for event in self.events:
            logs[event.worker].append(event)
        return logs

    def _answer(self, tasks: Sequence[Task]) -> None:
        """Answer the tasks of a layer, which begins when the one before has ended for all."""
        began = max(self.clocks.values(), default=_START)
        self.clocks = {worker.name: began for worker in self.plan.workers}
        for task in tasks:
            rng = KeyedRandom(self.key, "simulated", task.worker, task.layer, task.item_id)
            answer, seconds = self._said(task, rng), drawn_seconds(rng)
            self.clocks[task.worker] += timedelta(seconds=seconds) + _BETWEEN_TASKS
            at = f"{self.clocks[task.worker]:%Y-%m-%dT%H:%M:%SZ}"
            self.events.append(unsealed(self.plan, task, answer, at=at, seconds=seconds))

    def _said(self, task: Task, rng: KeyedRandom) -> SiteAnswer:
        mine = (task.worker, task.item_id)
        if task.layer == "repeat" and rng.chance(self.consistency) and mine in self.passed:
            return self.passed[mine]
        answer = self.models[task.worker].answer(self.gold[task.item_id], rng)
        if task.layer == "pass":
            self.passed[mine] = answer
        return answer
