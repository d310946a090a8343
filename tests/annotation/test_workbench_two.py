"""Two tabs at once, two people at once: nothing is lost, nothing is there twice, nobody gets in another's way."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from workbench_child import child
from workbench_kit import ALONE, FRAUD, make_project, served

from riskchain_gym.benchmark.labels.log import log_path, read_log
from riskchain_gym.benchmark.labels.project import Project


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    return tmp_path / "p"


def at_once(*calls):
    """Make calls at the same moment; return what each returns, in order."""
    start = threading.Barrier(len(calls))

    def wait_and(call):
        start.wait(30)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result(60) for each in [pool.submit(wait_and, call) for call in calls]]


def test_a_tab_saves_only_over_the_form_that_it_has_seen(folder):
    with served(folder) as client:
        task_id = client.state()["task"]["task_id"]

        def save(tab, revision, note):
            sent = {"task_id": task_id, "revision": revision, "tab": tab, "form": {"note": note}}
            return client.post("api/draft", sent)

        first = save("one", 0, "from one").json["revision"]
        assert client.state()["task"]["draft"] == {
            "revision": first,
            "tab": "one",
            "form": {**client.state()["task"]["draft"]["form"], "note": "from one"},
        }
        second = save("two", first, "from two").json["revision"]
        late = save("one", first, "late")
        assert late.status == 409
        assert {name: late.json[name] for name in ("revision", "tab", "form")} == {
            "revision": second,
            "tab": "two",
            "form": {"note": "from two"},
        }
        assert client.state()["task"]["draft"]["form"]["note"] == "from two"
        assert save("one", second, "seen").status == 200


def test_a_tab_that_has_not_seen_the_form_cannot_send_it(folder):
    with served(folder) as client:
        form = client.form(note="eins")
        task_id = client.state()["task"]["task_id"]
        draft = {"task_id": task_id, "revision": 0, "tab": "two", "form": {**form, "note": "zwei"}}
        assert client.post("api/draft", draft).status == 200
        refused = client.submit(form, task_id=task_id, revision=0)
        assert (refused.status, refused.json["form"]["note"]) == (409, "zwei")
        assert client.state()["done"] == 0
        assert client.submit(form, task_id=task_id, revision=refused.json["revision"]).status == 200


def test_saves_at_once_are_one_after_the_other(folder):
    with served(folder) as client:
        task_id = client.state()["task"]["task_id"]

        def save(tab):
            sent = {"task_id": task_id, "revision": 0, "tab": tab, "form": {"note": tab}}
            return client.post("api/draft", sent)

        answers = at_once(*[lambda tab=f"tab {i}": save(tab) for i in range(6)])
        assert Counter(answer.status for answer in answers) == {200: 1, 409: 5}
        kept = client.state()["task"]["draft"]
        (won,) = [i for i, answer in enumerate(answers) if answer.status == 200]
        assert (kept["tab"], kept["form"]["note"]) == (f"tab {won}", f"tab {won}")
        assert all(answer.json["tab"] == f"tab {won}" for answer in answers if answer.status == 409)


def test_actions_at_once_are_one_step(folder):
    with served(folder) as client:
        view = client.get("api/visit").json
        scroll = {"task_id": view["task_id"], "step": 0, "action": {"action": "scroll_down"}}
        answers = at_once(*[lambda: client.post("api/visit/act", scroll)] * 4)
        assert Counter(answer.status for answer in answers) == {200: 1, 409: 3}
        assert all(answer.json["view"]["step"] == 1 for answer in answers if answer.status == 409)
        assert client.get("api/visit").json["step"] == 1


def test_the_same_answer_from_two_tabs_at_once_is_one_event(folder):
    with served(folder) as client:
        form, task_id = client.form(), client.state()["task"]["task_id"]
        answers = at_once(*[lambda: client.submit(form, task_id=task_id, revision=0)] * 4)
        assert {answer.status for answer in answers} == {200}
        assert {answer.json["state"]["done"] for answer in answers} == {1}
    assert len(Project.open(folder).events()) == 1


def test_of_two_answers_at_once_one_counts_and_the_other_is_told(folder):
    with served(folder) as client:
        form, task_id = client.form(), client.state()["task"]["task_id"]
        both = [{**form, "note": "eins"}, {**form, "note": "zwei"}]
        answers = at_once(*[lambda each=each: client.submit(each, task_id=task_id, revision=0) for each in both])
        assert sorted(answer.status for answer in answers) == [200, 410]
    (event,) = Project.open(folder).events()
    assert event.site_answer.note == both[[answer.status for answer in answers].index(200)]["note"]


def test_taking_back_twice_at_once_takes_one_answer_back(folder):
    with served(folder) as client:
        client.answer(note="eins")
        client.answer(note="zwei")
        answers = at_once(*[lambda: client.post("api/undo", {})] * 2)
        kinds = [event.kind for event in Project.open(folder).events()]
        assert sorted(answer.status for answer in answers) == [200, 409]
        assert kinds == ["answered", "answered", "withdrawn"]
        state = client.state()
        assert (state["done"], state["task"]["draft"]["form"]["note"]) == (1, "zwei")
        client.submit(state["task"]["draft"]["form"])
        assert client.state()["done"] == 2


def test_two_people_at_once_on_one_folder(tmp_path):
    sites, folder = 6, tmp_path / "p"
    make_project(folder, sites=sites, repeats=0.2)

    def work(client, **more):
        while client.state()["task"]:
            client.answer(**more)
        return client.state()["done"]

    with child(folder, worker="ann") as (_, ann), child(folder, worker="bob") as (_, bob):
        done = at_once(lambda: work(ann, note="ann"), lambda: work(bob, note="bob", **FRAUD))
    project = Project.open(folder)
    assert done == [
        sum(task.worker == name and task.layer in ("pass", "repeat") for task in project.plan.tasks)
        for name in ("ann", "bob")
    ]
    for name in ("ann", "bob"):
        events = read_log(log_path(folder, name), project.plan)
        assert [event.seq for event in events] == list(range(len(events)))
        assert {event.answer.note for event in events} == {name}
    assert Counter(state.status for state in project.states().values()) == {"to_review": sites}
    for worker, status in (("rev", "to_adjudicate"), ("cord", "settled")):
        with child(folder, worker=worker) as (_, client):
            assert work(client) == sites
        assert Counter(state.status for state in project.states().values()) == {status: sites}
