"""What follows from the answers: layers open and close, whatever order the logs are read in."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st
from label_cases import WORKERS, bad, find, fine, phishing, plan_of, written, yes

from riskchain_gym.benchmark.labels.answers import Answer
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan, Task, Worker
from riskchain_gym.benchmark.labels.progress import overview_of, page_counts
from riskchain_gym.benchmark.labels.state import (
    NOTHING_TO_TAKE_BACK,
    can_withdraw,
    done,
    queue,
    refusal,
    states,
)

PLAN = plan_of(1)
ANN, BOB = find(PLAN, "i000", "pass", "ann"), find(PLAN, "i000", "pass", "bob")
REX, KIM = find(PLAN, "i000", "review"), find(PLAN, "i000", "adjudication")
Steps = list[tuple[Task, Answer | None]]


def waiting(events: list[Event], plan: Plan = PLAN) -> dict[str, list[str]]:
    """Return the layers of what each worker can do."""
    return {
        worker.name: [task.layer for task in found]
        for worker in plan.workers
        if (found := queue(plan, events, worker.name))
    }


def one(*steps: tuple[Task, Answer | None]) -> tuple[str, list[Event]]:
    """Return status and events of the one item after some steps."""
    events = written(PLAN, steps)
    return states(PLAN, events)["i000"].status, events


def test_passes_that_agree_settle_an_item_and_ask_nobody_else() -> None:
    assert one()[0] == "open"
    assert one((ANN, bad()))[0] == "passed"
    status, events = one((ANN, bad("mine")), (BOB, bad("other")))
    state = states(PLAN, events)["i000"]
    assert (status, state.settled, state.provenance, state.disagrees) == ("settled", bad("mine"), "human", False)
    assert waiting(events) == {}


def test_a_disagreement_goes_to_the_reviewer_and_then_to_the_coordinator() -> None:
    steps: Steps = [(ANN, bad()), (BOB, fine())]
    status, events = one(*steps)
    assert (status, waiting(events)) == ("to_review", {"rex": ["review"]})
    assert states(PLAN, events)["i000"].settled is None
    status, events = one(*steps, (REX, bad()))
    assert (status, waiting(events)) == ("to_adjudicate", {"kim": ["adjudication"]}), "a majority settles nothing"
    status, events = one(*steps, (REX, bad()), (KIM, fine()))
    state = states(PLAN, events)["i000"]
    assert (status, state.settled, state.provenance) == ("settled", fine(), "human+adjudicated")
    assert waiting(events) == {}
    assert {name: event.answer for name, event in state.passes.items()} == {"ann": bad(), "bob": fine()}
    assert state.disagrees, "a raw disagreement is never forgotten"


def test_another_type_is_a_disagreement_and_another_note_is_none() -> None:
    assert one((ANN, bad()), (BOB, phishing()))[0] == "to_review"
    assert one((ANN, bad()), (BOB, bad("words of my own")))[0] == "settled"


def test_a_pass_that_is_changed_before_the_review_ends_the_dispute() -> None:
    status, events = one((ANN, bad()), (BOB, fine()), (BOB, None))
    assert (status, waiting(events)) == ("passed", {"bob": ["pass"]})
    status, events = one((ANN, bad()), (BOB, fine()), (BOB, None), (BOB, bad()))
    assert (status, waiting(events)) == ("settled", {})
    assert len(events) == 4, "what was taken back stays in the log"


def test_a_finished_queue_stays_and_later_layers_go_back_until_somebody_has_built_on_them() -> None:
    steps: Steps = [(ANN, bad()), (BOB, fine())]

    def withdrawable() -> list[str]:
        _, events = one(*steps)
        return [worker.name for worker in WORKERS if can_withdraw(PLAN, events, worker.name)]

    assert withdrawable() == [], "for it would tell an annotator of a dispute"
    steps.append((REX, bad()))
    assert withdrawable() == ["rex"]
    steps.append((KIM, bad()))
    assert withdrawable() == ["kim"]
    steps.append((KIM, None))
    assert withdrawable() == ["rex"]
    _, events = one(*steps)
    for task in (ANN, BOB, KIM):
        assert refusal(PLAN, events, written(PLAN, [(task, None)])[0]) == NOTHING_TO_TAKE_BACK, "whatever the cause"
    assert refusal(PLAN, events, written(PLAN, [(REX, None)])[0]) == ""


def test_an_annotator_takes_one_answer_back_and_not_the_one_before_it() -> None:
    plan = plan_of(3)
    first, second, third = queue(plan, [], "ann")
    steps: Steps = [(first, bad()), (second, fine())]
    events = written(plan, steps)
    assert can_withdraw(plan, events, "ann") == second
    assert done(plan, events, "ann") == (first, second)
    events = written(plan, [*steps, (second, None)])
    assert can_withdraw(plan, events, "ann") is None
    assert queue(plan, events, "ann") == (second, third)
    events = written(plan, [*steps, (second, None), (second, bad()), (third, bad())])
    assert can_withdraw(plan, events, "ann") is None, "the last of all stays, whatever others answer"
    events = written(plan, [*steps, (third, bad()), (third, None)])
    assert can_withdraw(plan, events, "ann") is None


def test_who_works_alone_can_take_the_last_answer_of_all_back() -> None:
    alone = draw_plan("sites", ["s1"], WORKERS[:1], source="mini", source_sha256="0" * 64, seed=1, passes=1, repeats=0)
    (task,) = alone.tasks
    assert can_withdraw(alone, written(alone, [(task, bad())]), "ann") == task


def test_a_reviewer_goes_back_answer_by_answer() -> None:
    plan = plan_of(2)
    steps: Steps = [
        (task, bad() if name == "ann" else fine()) for name in ("ann", "bob") for task in queue(plan, [], name)
    ]
    first, second = queue(plan, written(plan, steps), "rex")
    events = written(plan, [*steps, (first, bad()), (second, bad()), (second, None)])
    assert can_withdraw(plan, events, "rex") == first


def test_a_dispute_is_reviewed_when_no_pass_can_be_taken_back() -> None:
    plan = plan_of(3)
    item = queue(plan, [], "ann")[0].item_id
    ann, bob, review = find(plan, item, "pass", "ann"), find(plan, item, "pass", "bob"), find(plan, item, "review")
    (ann_next, ann_last), (bob_next, bob_last) = (
        [task for task in queue(plan, [], name) if task.item_id != item] for name in ("ann", "bob")
    )

    def found(*steps: tuple[Task, Answer | None]) -> str:
        events = written(plan, steps)
        status = states(plan, events)[item].status
        assert queue(plan, events, "rex") == ((review,) if status == "to_review" else ())
        return status

    both: Steps = [(ann, bad()), (bob, fine())]
    assert found(*both) == "passed"
    assert found(*both, (ann_next, bad())) == "passed", "the other can still be taken back"
    assert found(*both, (ann_next, bad()), (bob_next, bad())) == "to_review"
    assert found(*both, (ann_next, bad()), (bob_next, bad()), (bob_next, None)) == "to_review", "firm for good"
    assert found(*both, (review, bad())) == "to_adjudicate", "an imported review counts at once"
    assert found((ann, bad()), (bob, bad())) == "settled", "nothing waits where passes agree"
    others: Steps = [(ann_next, bad()), (ann_last, bad()), (bob_next, bad())]
    assert found(*others, (bob, fine()), (ann, bad())) == "passed"
    assert found(*others, (bob, fine()), (ann, bad()), (bob_last, bad())) == "to_review", "nobody is to answer more"


def test_a_verdict_outlives_a_pass_that_was_taken_back_on_another_machine() -> None:
    status, events = one((ANN, bad()), (BOB, fine()), (REX, bad()), (KIM, bad()), (BOB, None))
    state = states(PLAN, events)["i000"]
    assert (status, state.settled, state.provenance) == ("settled", bad(), "human+adjudicated")


def test_answers_that_are_not_due_are_refused() -> None:
    for task in (REX, KIM):
        (event,) = written(PLAN, [(task, bad())])
        assert "not due" in refusal(PLAN, [], event)
    plan = plan_of(6, repeats=0.5)
    repeat = next(task for task in queue(plan, [], "ann") if task.layer == "repeat")
    (early,) = written(plan, [(repeat, bad())])
    assert "An earlier item comes first" in refusal(plan, [], early)
    passed = written(plan, [(find(plan, repeat.item_id, "pass", "ann"), bad())])
    assert refusal(plan, passed, early) == ""


def test_a_repeat_changes_nothing_about_its_item() -> None:
    plan = plan_of(4, repeats=0.5)
    repeat = next(task for task in plan.tasks if task.layer == "repeat" and task.worker == "ann")
    own, other = (find(plan, repeat.item_id, "pass", name) for name in ("ann", "bob"))
    events = written(plan, [(own, bad()), (other, bad()), (repeat, fine())])
    state = states(plan, events)[repeat.item_id]
    assert (state.status, state.settled) == ("settled", bad())
    assert state.repeats["ann"].answer == fine()
    assert can_withdraw(plan, events, "ann") == repeat


def test_reviews_come_after_own_passes_and_verdicts_in_order_of_item() -> None:
    plan = plan_of(12, workers=THREE)
    passes = [task for task in plan.tasks if task.layer == "pass"]
    events = written(
        plan, [(task, bad() if task.worker == "ann" else fine()) for task in passes if task.worker != "cat"]
    )
    disputed = [item for item, state in states(plan, events).items() if state.disagrees]
    assert disputed
    assert {task.layer for task in queue(plan, events, "cat")} == {"pass"}
    steps = [(task, bad() if task.worker == "ann" else fine()) for task in passes]
    own = [item for item in disputed if find(plan, item, "review").worker == "cat"]
    assert [(task.item_id, task.layer) for task in queue(plan, written(plan, steps), "cat")] == [
        (item, "review") for item in own
    ]
    disputed = [item for item, state in states(plan, written(plan, steps)).items() if state.disagrees]
    reviews = [(task, bad()) for task in plan.tasks if task.layer == "review" and task.item_id in disputed]
    events = written(plan, steps + reviews[::-1])
    assert [task.item_id for task in queue(plan, events, "kim")] == disputed


def test_pairs_are_settled_by_their_answers() -> None:
    plan = plan_of(1, subject="pairs")
    ann, bob = find(plan, "i000", "pass", "ann"), find(plan, "i000", "pass", "bob")
    events = written(plan, [(ann, yes()), (bob, yes())])
    assert states(plan, events)["i000"].settled == yes()
    events = written(plan, [(ann, yes()), (bob, yes().model_copy(update={"answer": "cannot_tell"}))])
    assert states(plan, events)["i000"].status == "to_review"


def test_one_pass_alone_settles_where_one_was_asked_for() -> None:
    plan = plan_of(1, workers=WORKERS[:1], passes=1)
    events = written(plan, [(find(plan, "i000", "pass"), fine())])
    assert (states(plan, events)["i000"].settled, queue(plan, events, "ann")) == (fine(), ())


def test_a_dispute_that_nobody_can_review_goes_to_the_coordinator() -> None:
    without = PLAN.model_copy(update={"tasks": tuple(task for task in PLAN.tasks if task.layer != "review")})
    events = written(without, [(ANN, bad()), (BOB, fine())])
    assert states(without, events)["i000"].status == "to_adjudicate"
    assert waiting(events, without) == {"kim": ["adjudication"]}


ANSWERS = (bad(), fine(), phishing())
THREE = (*(Worker(name=name, role="annotator") for name in ("ann", "bob", "cat")), WORKERS[3])


def played(plan: Plan, draw: random.Random, turns: int) -> list[Event]:
    """Return what people do who answer, and now and then take the last answer back, in a drawn order."""
    steps: Steps = []
    for _ in range(turns):
        events = written(plan, steps)
        name = draw.choice([worker.name for worker in plan.workers])
        due, last = queue(plan, events, name), can_withdraw(plan, events, name)
        if last is not None and draw.random() < 0.2:
            steps.append((last, None))
        elif due:
            steps.append((due[0], draw.choice(ANSWERS)))
        if len(steps) > len(events):
            assert refusal(plan, events, written(plan, steps)[-1]) == ""
    return written(plan, steps)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), items=st.integers(1, 4), turns=st.integers(0, 60))
def test_the_order_in_which_logs_are_read_does_not_matter(seed: int, items: int, turns: int) -> None:
    draw, plan = random.Random(seed), plan_of(items, repeats=0.5, seed=seed)
    events = played(plan, draw, turns)
    found = states(plan, events)
    assert list(found) == list(plan.items)
    for _ in range(3):
        draw.shuffle(events)
        assert states(plan, events) == found
        for worker in plan.workers:
            assert queue(plan, events, worker.name) == queue(plan, sorted(events, key=lambda e: e.worker), worker.name)
    for state in found.values():
        assert (state.settled is None) == (state.provenance is None) == (state.status != "settled")
        if state.review is not None or state.adjudication is not None:
            assert state.disagrees, "nobody takes a pass back that was built on"
    tasks = {worker.name: {t.task_id for t in plan.tasks if t.worker == worker.name} for worker in plan.workers}
    for name, own in tasks.items():
        finished = {task.task_id for task in done(plan, events, name)}
        left = {task.task_id for task in queue(plan, events, name)}
        assert not finished & left
        assert finished | left <= own


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    items=st.integers(1, 8),
    turns=st.integers(0, 80),
    team=st.sampled_from((WORKERS, THREE)),
)
@example(seed=6, items=5, turns=24, team=THREE)  # a repeat is the last answer, of an item that was reviewed meanwhile
def test_an_annotator_at_work_cannot_tell_what_others_have_answered(
    seed: int, items: int, turns: int, team: tuple[Worker, ...]
) -> None:
    plan = plan_of(items, workers=team, repeats=0.4, seed=seed)
    events = played(plan, random.Random(seed), turns)
    found = states(plan, events)
    for worker in team:
        mine = [event for event in events if event.worker == worker.name]
        finished = done(plan, mine, worker.name)
        asked = [task for task in plan.tasks if task.worker == worker.name and task.is_own]
        if set(asked) <= set(finished):
            continue
        assert can_withdraw(plan, events, worker.name) == can_withdraw(plan, mine, worker.name)
        assert queue(plan, events, worker.name) == queue(plan, mine, worker.name)
        assert page_counts(plan, events, worker) == page_counts(plan, mine, worker) == (len(finished), len(asked))
        for task in asked:
            event = written(plan, [(task, None)])[0]
            assert refusal(plan, events, event) == refusal(plan, mine, event)
        if (last := can_withdraw(plan, events, worker.name)) is not None and last.layer == "pass":
            assert (found[last.item_id].review, found[last.item_id].adjudication) == (None, None)
        passes = [event for event in events if event.layer in ("pass", "repeat")]
        assert overview_of(plan, events) == overview_of(plan, passes)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), items=st.integers(1, 5))
def test_whoever_goes_on_comes_to_an_end_with_every_item_settled(seed: int, items: int) -> None:
    draw, plan, steps = random.Random(seed), plan_of(items, repeats=0.4, seed=seed), Steps()
    while due := [task for worker in plan.workers for task in queue(plan, written(plan, steps), worker.name)[:1]]:
        steps.append((draw.choice(due), draw.choice(ANSWERS)))
    found = states(plan, written(plan, steps))
    assert {state.status for state in found.values()} == {"settled"}
    answered = {task.task_id for task, _ in steps}
    assert {task.task_id for task in plan.tasks if task.layer in ("pass", "repeat")} <= answered
