"""Nobody sees another person's answer, the layer of a task, or any gold; the coordinator sees what is to settle."""

from __future__ import annotations

import json
import shutil

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from workbench_kit import FRAUD, TEAM, make_project, served

from riskchain_gym.annotation import adjudicating
from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Task, Worker
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.state import ItemState, queue
from riskchain_gym.benchmark.splits import GOLD, split_dir
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision, EnvironmentStatus

SITES = 4


def fill_in(client, mark, number, **more):
    """Answer the current task with a pin of its own size, everything typed marked."""
    form = client.form(note=f"note-{mark}-{number}", **more)
    region = {"x": 0, "y": 0, "width": 60 + 10 * number, "height": 60 if mark == "ann" else 70}
    sent = {"task_id": client.state()["task"]["task_id"], "step": 0, "region": region}
    pin = client.post("api/pin", sent).json["pin"]
    own = {"id": "p2", "side": "counterevidence", "anchor_type": "OTHER_OBSERVED_EVIDENCE"}
    form["pins"].append({**pin, **own, "observation": f"seen-{mark}-{number}"})
    assert client.submit(form).status == 200
    return pin["thumbnail"]


def fill_in_all(folder, worker, **more):
    with served(folder, worker) as client:
        number, thumbnails = 0, []
        while client.state()["task"]:
            thumbnails.append(fill_in(client, worker, number, **more))
            number += 1
    return thumbnails


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """A project whose passes all differ, and the thumbnails of one annotator."""
    folder = tmp_path_factory.mktemp("blind") / "p"
    make_project(folder, sites=SITES)
    thumbnails = fill_in_all(folder, "ann")
    fill_in_all(folder, "bob", **FRAUD)
    return folder, thumbnails


@pytest.fixture
def copy(passed, tmp_path):
    folder = tmp_path / "p"
    shutil.copytree(passed[0], folder)
    return folder


def crawl(client, thumbnails):
    """Return all that a worker can get out of every address, GET and POST, right and wrong."""
    state = client.state()
    task_id = state["task"]["task_id"] if state["task"] else "none"
    ids = [task_id, "../ann", "none"]
    said = [client.get(path) for path in ("", "api/state", "api/codebook", "api/visit")]
    said += [client.get(f"api/picture/{each}/{step}") for each in ids for step in range(3)]
    said += [client.get(f"api/thumbnail/{name}") for name in thumbnails]
    form = {"revision": 0, "tab": "x", "form": {"note": "mine"}, "seconds": 1}
    for each in ids:
        said.append(client.post("api/visit/act", {"task_id": each, "step": 0, "action": {"action": "noop"}}))
        said.append(client.post("api/pin", {"task_id": each, "step": 0, "line": 0}))
        said.append(client.post("api/draft", {"task_id": each, **form}))
        said.append(client.post("api/submit", {"task_id": each, **form}))
        said.append(client.post("api/visit/restart", {"task_id": each}))
    said.append(client.post("api/undo", {}))
    said.append(client.get("api/state"))
    return said


def assert_blind(folder, said, others):
    plan = Project.open(folder).plan
    text = "\n".join(answer.body.decode("utf-8", "replace") for answer in said)
    for other in others:
        for marker in (f"note-{other}", f"seen-{other}", f'"{other}"'):
            assert marker not in text, marker
    for name in ("pass", "repeat", "review", "adjudication", *plan.items):
        assert f'"{name}"' not in text, name
    for name in ("layer", "item_id", "chain_id", "gold", "atoms"):
        assert f'"{name}"' not in text, name


@pytest.mark.parametrize(("worker", "others"), [("bob", ("ann",)), ("rev", ("ann", "bob")), ("cord", ("ann", "bob"))])
def test_no_address_says_what_others_answered(copy, passed, worker, others):
    with served(copy, worker) as client:
        task = client.state()["task"]
        said = crawl(client, passed[1])
    assert_blind(copy, said, others)
    assert (task is not None) == (worker == "rev"), "the reviews are due"
    pictures = [answer for answer in said if answer.headers.get("content-type") == "image/webp"]
    assert len(pictures) == (worker == "rev"), "of its own visit, and no thumbnail"


def log_answers(project, worker, tasks, decision):
    """Write answers as that worker's workbench would, without looking at the sites."""
    answer = SiteAnswer(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=PSEUDO_TYPES[decision],
        confidence=4,
    )
    with project.writer(worker) as log:
        for task in tasks:
            log.append(unsealed(project.plan, task, answer))


@pytest.mark.parametrize("place", ["mine", "to review", "both"])
def test_an_annotator_is_shown_the_same_whether_others_differ_or_not(tmp_path, place):
    """The whole state, and what taking back says, after each answer of one who passes some items and reviews others."""
    team = (*TEAM[:2], Worker(name="cat", role="annotator"), TEAM[3])
    told = {}
    for differs in (False, True):
        folder = tmp_path / str(differs) / "p"
        project = make_project(folder, sites=9, workers=team, repeats=0.3)
        plan = project.plan
        mine = {task.item_id for task in plan.tasks if (task.worker, task.layer) == ("ann", "pass")}
        disputed = {"mine": mine, "to review": set(plan.items) - mine, "both": set(plan.items)}[place]
        for worker in ("bob", "cat"):
            for task in queue(plan, (), worker):
                apart = differs and task.item_id in disputed and (worker == "bob" or task.item_id in mine)
                decision = Decision.INSUFFICIENT_EVIDENCE if apart else Decision.NON_VIOLATION
                log_answers(project, worker, [task], decision)
        seen = told[differs] = []
        with served(folder, "ann") as client:
            seen.append(client.state())
            planned = seen[0]["total"]
            while seen[-1]["done"] < planned - 1:
                seen.append(client.answer())
                if len(seen) == 3:
                    seen += [client.post("api/undo", {}).json, client.post("api/undo", {}).json, client.state()]
                for worker in ("bob", "cat"):
                    log_answers(project, worker, queue(plan, project.events(), worker), Decision.NON_VIOLATION)
        found = project.states().values()
        assert any(state.disagrees for state in found) == differs
        assert any(state.review for state in found) == (differs and place != "to review"), "others review meanwhile"
    assert told[False] == told[True]


def test_when_all_passes_are_given_the_page_does_not_say_how_much_will_come(tmp_path):
    team = (*TEAM[:2], Worker(name="cat", role="annotator"), TEAM[3])
    project = make_project(tmp_path / "p", sites=3, workers=team)
    for worker, decision in (("ann", Decision.NON_VIOLATION), ("bob", Decision.NON_VIOLATION)):
        log_answers(project, worker, queue(project.plan, (), worker), decision)
    with served(tmp_path / "p", "ann") as client:
        assert (client.state()["task"], client.state()["done"], client.state()["total"]) == (None, 2, None)
    log_answers(project, "cat", queue(project.plan, (), "cat"), Decision.INSUFFICIENT_EVIDENCE)
    with served(tmp_path / "p", "ann") as client:
        state = client.state()
        assert (state["task"]["kind"], state["task"]["number"], state["done"], state["total"]) == ("label", 3, 2, None)


def test_a_review_looks_like_a_pass(copy, tmp_path):
    make_project(tmp_path / "new", sites=SITES)
    with served(tmp_path / "new", "ann") as client:
        first = client.state()["task"]
    with served(copy, "rev") as client:
        review = client.state()["task"]
    assert {**review, "task_id": ""} == {**first, "task_id": ""}


def test_the_coordinator_sees_the_answers_by_letters(copy, passed):
    fill_in_all(copy, "rev")
    orders, seen = set(), []
    with served(copy, "cord") as client:
        while task := client.state()["task"]:
            assert task["kind"] == "adjudicate"
            assert [each["by"] for each in task["answers"]] == ["A", "B", "C"]
            text = json.dumps(task, ensure_ascii=False)
            assert all(f'"{worker.name}"' not in text for worker in TEAM)
            forms = [each["form"] for each in task["answers"]]
            orders.add(tuple(form["note"].split("-")[1] for form in forms))
            assert sorted(orders.copy().pop()) == ["ann", "bob", "rev"]
            assert {form["decision"] for form in forms} == {"NON_VIOLATION", "VIOLATION"}
            names = {pin["thumbnail"] for form in forms for pin in form["pins"]}
            assert "" not in names
            assert all(client.get(f"api/thumbnail/{name}").status == 200 for name in names)
            seen.append(names)
            client.answer(note="settled")
        for name in set().union(*seen) & set(passed[1]):
            assert client.get(f"api/thumbnail/{name}").status == 404, "only while its task is open"
        state = client.state()
    assert (state["done"], state["total"], state["task"]) == (SITES, None, None), "nothing says whether more will come"
    assert len(orders) > 1, "the order is the task's own and nobody's"
    assert {item.provenance for item in Project.open(copy).states().values()} == {"human+adjudicated"}
    assert {item.settled.note for item in Project.open(copy).states().values()} == {"settled"}


def test_a_lost_picture_costs_the_coordinator_only_that_picture(copy):
    fill_in_all(copy, "rev")
    shutil.rmtree(copy / "media")
    with served(copy, "cord") as client:
        answers = client.state()["task"]["answers"]
        assert len(answers) == 3
        assert {pin["thumbnail"] for each in answers for pin in each["form"]["pins"]} == {""}
        client.answer()


def test_a_damaged_log_of_another_person_is_not_quoted(copy, capfd):
    log = copy / "logs" / "ann.jsonl"
    log.write_text(log.read_text().replace("note-ann-0", "note-ann-X"))
    with served(copy, "rev") as client:
        answer = client.get("api/state")
    assert (answer.status, answer.json["cause"]) == (503, "damaged")
    assert answer.json["message"].startswith("'ann.jsonl' of the project is missing or damaged")
    assert "note-ann" not in answer.body.decode()


def test_labelling_needs_no_gold(tmp_path):
    split = tmp_path / "split"
    shutil.copytree(split_dir("mini"), split)
    (split / GOLD).unlink()
    make_project(tmp_path / "p", sites=1, split=str(split))
    with served(tmp_path / "p", "ann", split=str(split)) as client:
        assert client.answer()["done"] == 1


def test_many_answers_are_all_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(adjudicating, "answered_form", lambda project, event: event)
    state = ItemState("i", {f"w{i}": Event.model_construct(worker=f"w{i}") for i in range(30)}, {}, None, None)
    shown = adjudicating.shown_answers(
        tmp_path, Task(task_id="t", item_id="i", layer="adjudication", worker="cord"), state
    )
    assert [each["by"] for each in shown][24:] == ["Y", "Z", "AA", "AB", "AC", "AD"]
    assert {each["form"].worker for each in shown} == set(state.passes)
