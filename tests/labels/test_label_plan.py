"""Drawing a plan: balanced, blind, the same for the same arguments; what cannot be planned is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_cases import WORKERS, bad, find, plan_of
from pydantic import ValidationError

from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.events import Event, VisitFile
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Task, Worker
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import canonical_json

KIM = Worker(name="kim", role="coordinator")


def people(annotators: int, reviewers: int = 0) -> tuple[Worker, ...]:
    return (
        *(Worker(name=f"a{i}", role="annotator") for i in range(annotators)),
        *(Worker(name=f"r{i}", role="reviewer") for i in range(reviewers)),
        KIM,
    )


def by_worker(plan: Plan, layer: Layer) -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for task in plan.tasks:
        if task.layer == layer:
            found[task.worker].append(task.item_id)
    return found


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    items=st.integers(1, 90),
    annotators=st.integers(2, 7),
    reviewers=st.integers(1, 3),
    passes=st.integers(2, 3),
    seed=st.integers(0, 99),
)
def test_everybody_has_as_much_to_do(items: int, annotators: int, reviewers: int, passes: int, seed: int) -> None:
    annotators = max(annotators, passes)
    plan = plan_of(items, workers=people(annotators, reviewers), passes=passes, seed=seed)
    passed = by_worker(plan, "pass")
    teams = {item: {name for name, own in passed.items() if item in own} for item in plan.items}
    assert sum(len(own) for own in passed.values()) == passes * items
    assert all(len(team) == passes for team in teams.values()), "each pass of an item is another person's"
    names = [f"a{i}" for i in range(annotators)]
    assert spread([len(passed[name]) for name in names]) <= 1
    together = Counter(pair for team in teams.values() for pair in combinations(sorted(team), 2))
    assert spread([together[pair] for pair in combinations(names, 2)]) <= passes - 1
    reviewed = by_worker(plan, "review")
    assert sorted(item for own in reviewed.values() for item in own) == list(plan.items)
    assert all(name not in teams[item] for name, own in reviewed.items() for item in own)
    assert by_worker(plan, "adjudication") == {"kim": list(plan.items)}


@settings(derandomize=True, max_examples=60, deadline=None)
@given(items=st.integers(1, 60), annotators=st.integers(3, 6), seed=st.integers(0, 99))
def test_reviews_are_spread_as_evenly_as_passes_allow(items: int, annotators: int, seed: int) -> None:
    reviewed = by_worker(plan_of(items, workers=people(annotators), seed=seed), "review")
    assert spread([len(reviewed[f"a{i}"]) for i in range(annotators)]) <= 1


@settings(derandomize=True, max_examples=80, deadline=None)
@given(items=st.integers(1, 120), repeats=st.floats(0, 0.5), seed=st.integers(0, 99), passes=st.integers(1, 2))
def test_some_items_come_again_much_later(items: int, repeats: float, seed: int, passes: int) -> None:
    workers = [worker for worker in WORKERS if passes == 2 or worker.role == "annotator"]
    plan = plan_of(items, workers=workers, repeats=repeats, seed=seed, passes=passes)
    for name in ("ann", "bob"):
        queue = [task for task in plan.tasks if task.worker == name and task.layer in ("pass", "repeat")]
        own = sum(task.layer == "pass" for task in queue)
        again = [place for place, task in enumerate(queue) if task.layer == "repeat"]
        wanted = max(round(repeats * own), 1) if repeats and own >= 6 else round(repeats * own)
        assert len(again) == (wanted if own > 2 else 0), "of two items the repeat would follow at once"
        assert len({queue[place].item_id for place in again}) == len(again), "nothing comes a third time"
        first = {task.item_id: place for place, task in enumerate(queue) if task.layer == "pass"}
        assert all(place - first[queue[place].item_id] >= max(2, len(queue) / 3) for place in again)


def test_repeats_are_spread_over_the_rest_of_the_queue() -> None:
    plan = plan_of(300, repeats=0.1)
    queue = [task for task in plan.tasks if task.worker == "ann" and task.layer in ("pass", "repeat")]
    places = [place for place, task in enumerate(queue) if task.layer == "repeat"]
    assert len(places) == 30
    assert all(b - a < 20 for a, b in pairwise(places)), "two of 30 parts of 220 places at most"


def test_every_worker_has_an_order_of_their_own() -> None:
    own = by_worker(plan_of(40), "pass")
    assert own["ann"] != own["bob"]
    assert sorted(own["ann"]) == sorted(own["bob"]) != own["ann"]


def test_who_passes_an_item_does_not_follow_from_its_place_among_the_ids() -> None:
    plan = plan_of(60, workers=people(4))
    passed = by_worker(plan, "pass")
    teams = ["".join(sorted(name for name, own in passed.items() if item in own)) for item in plan.items]
    changes = sum(a != b for a, b in pairwise(teams))
    assert changes > 35, "in blocks there would be five"


def test_the_same_arguments_give_the_same_bytes_in_any_order_of_items() -> None:
    ids = [f"i{number}" for number in range(30)]

    def drawn(items: list[str], seed: int) -> str:
        return canonical_json(draw_plan("sites", items, WORKERS, source="x", source_sha256="y", seed=seed))

    assert drawn(ids, 7) == drawn(ids[::-1], 7)
    assert drawn(ids, 7) != drawn(ids, 8)


def test_a_task_id_tells_nothing() -> None:
    plan = plan_of(40, repeats=0.2)
    for task in plan.tasks:
        assert task.task_id.isalnum()
        assert len(task.task_id) == 12
    for layers in combinations(("pass", "repeat", "review", "adjudication"), 2):
        first, second = ({task.task_id[0] for task in plan.tasks if task.layer == layer} for layer in layers)
        assert first & second, "ids of layers do not begin differently"
    ids = [task.task_id for task in plan.tasks if task.layer == "pass"]
    assert ids != sorted(ids), "ids do not count"


def test_one_person_alone_needs_nobody_else() -> None:
    plan = plan_of(10, workers=[WORKERS[0]], passes=1, repeats=0.2)
    assert Counter(task.layer for task in plan.tasks) == {"pass": 10, "repeat": 2}


def test_clusters_are_kept_of_the_items_that_are_labelled() -> None:
    shared = {"b": "one", "a": "one", "other": "two"}
    plan = draw_plan("sites", ["b", "a", "c"], WORKERS, source="x", source_sha256="y", seed=1, clusters=shared)
    assert (plan.items, plan.clusters) == (("a", "b", "c"), {"a": "one", "b": "one"})


ANN, BOB, REX, _ = WORKERS
REFUSED = [
    (("x",), (ANN, REX, KIM), 2, 0.0, "2 cannot be had of 1, name more"),
    (("x",), (ANN, BOB, KIM), 2, 0.0, "nobody is left to review"),
    (("x",), (ANN, BOB, REX), 2, 0.0, "One coordinator settles what stays in dispute, got 0"),
    (("x",), (*WORKERS, Worker(name="kay", role="coordinator")), 2, 0.0, "One coordinator .*, got 2"),
    (("x",), (*WORKERS, Worker(name="Ann", role="reviewer")), 2, 0.0, "'ann' is named more than once"),
    (("x",), (ANN, BOB, REX, Worker(name="bob", role="coordinator")), 2, 0.0, "'bob' is named more than once"),
    (("x", "y", "x"), WORKERS, 2, 0.0, "The item 'x' is given more than once"),
    ((), WORKERS, 2, 0.0, "There is nothing to label"),
    (("x",), WORKERS, 0, 0.0, "passes must be 1 or more, got 0"),
    (("x",), WORKERS, 1, 0.0, "With one pass nobody disagrees: leave 'rex' out"),
    (("x",), (), 1, 0.0, "1 cannot be had of 0, name more"),
    (("x",), WORKERS, 2, 0.6, r"repeats must be a share from 0 to 0\.5, got 0\.6"),
    (("x",), WORKERS, 2, float("nan"), "repeats must be a share"),
]


@pytest.mark.parametrize(("items", "workers", "passes", "repeats", "said"), REFUSED)
def test_what_cannot_be_planned_is_refused(
    items: tuple[str, ...], workers: tuple[Worker, ...], passes: int, repeats: float, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        draw_plan("sites", items, workers, source="x", source_sha256="y", seed=0, passes=passes, repeats=repeats)


OUTSIDE = ["", ".", "..", "../x", "/a/x", "a/b", "a\\b", "a.b", "A", "-a", "a\n", "a\0", "名", "a" * 65]


@pytest.mark.parametrize("task_id", OUTSIDE)
def test_the_id_of_a_task_cannot_lead_out_of_a_folder(task_id: str) -> None:
    plan = plan_of(1)
    task = plan.tasks[0]
    with pytest.raises(ValidationError, match="task_id"):
        Task(task_id=task_id, item_id=task.item_id, layer=task.layer, worker=task.worker)
    with pytest.raises(ValidationError, match="task_id"):
        Plan.model_validate_json(canonical_json(plan).replace(f'"{task.task_id}"', canonical_json(task_id)))


@pytest.mark.parametrize("name", ["../t1.1.json", "/a/t1.1.json", "t1.json", "t1.1.json/x", "t1.1.open", "t1.1.json\n"])
def test_the_name_of_a_visit_cannot_lead_out_of_a_folder(name: str) -> None:
    plan = plan_of(1)
    task = find(plan, "i000", "pass", "ann")
    kept = unsealed(plan, task, bad(), visit=VisitFile(f"{task.task_id}.12.json", "0" * 64))
    assert Event.model_validate_json(canonical_json(kept)) == kept
    with pytest.raises(ValidationError, match="visit"):
        unsealed(plan, task, bad(), visit=VisitFile(name, "0" * 64))


def test_everybodys_tasks_are_there_once() -> None:
    plan = plan_of(12, repeats=0.2)
    assert sorted(t.task_id for each in plan.tasks_by_worker.values() for t in each.values()) == sorted(
        t.task_id for t in plan.tasks
    )
    for name, tasks in plan.tasks_by_worker.items():
        assert list(tasks.values()) == [task for task in plan.tasks if task.worker == name]
        assert list(tasks) == [task.task_id for task in tasks.values()]
