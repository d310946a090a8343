"""The server dies in the middle of its work: nothing that it acknowledged is lost, and nothing is there twice."""

from __future__ import annotations

import http.client
import signal
import threading

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from workbench_child import PLACES, child
from workbench_kit import ALONE, make_project, served

from riskchain_gym.benchmark.labels.project import Project

DIED = (OSError, http.client.HTTPException)


def killed(process):
    process.join(30)
    return process.exitcode == -signal.SIGKILL


def standing(folder):
    """Return note and task of each answer that stands, in order."""
    found = {}
    for event in Project.open(folder).events():
        if event.kind == "answered":
            assert event.task_id not in found, "answered twice"
            found[event.task_id] = event.site_answer.note
        else:
            del found[event.task_id]
    return found


def sent(client, note):
    task = client.state()["task"]
    form = client.form(note=note)
    draft = {"task_id": task["task_id"], "revision": task["draft"]["revision"], "tab": "one", "form": form}
    return {**draft, "revision": client.post("api/draft", draft).json["revision"], "seconds": 3}


@pytest.mark.parametrize("place", [place for place in PLACES if place.startswith("submit")])
def test_a_submit_that_dies_is_one_event_when_it_is_sent_again(tmp_path, place):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    with served(tmp_path / "p") as client:
        first = sent(client, "erste")
    with child(tmp_path / "p", place) as (process, client):
        with pytest.raises(DIED):
            client.post("api/submit", first)
        assert killed(process)
    with served(tmp_path / "p") as client:
        state = client.state()
        if not state["done"]:
            draft = state["task"]["draft"]
            assert (draft["form"], draft["revision"]) == (first["form"], first["revision"]), "the form is still there"
        again = client.post("api/submit", first)
        assert again.status == 200, again.body
        assert again.json["state"]["done"] == 1
        assert client.post("api/submit", first).status == 200
        assert client.state()["task"]["draft"]["form"]["note"] == ""
        client.answer(note="zweite")
    assert sorted(standing(tmp_path / "p").values()) == ["erste", "zweite"]
    named = [event.visit for event in Project.open(tmp_path / "p").events()]
    assert len(set(named)) == 2
    assert all((tmp_path / "p" / "visits" / "ann" / name).is_file() for name in named)


@pytest.mark.parametrize("place", [place for place in PLACES if place.startswith("undo")])
def test_an_undo_that_dies_loses_neither_the_answer_nor_the_form_in_progress(tmp_path, place):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    with served(tmp_path / "p") as client:
        first = sent(client, "erste")
        client.post("api/submit", first)
        second = sent(client, "halb")
    with child(tmp_path / "p", place) as (process, client):
        with pytest.raises(DIED):
            client.post("api/undo", {})
        assert killed(process)
    with served(tmp_path / "p") as client:
        state = client.state()
        if state["done"]:
            assert standing(tmp_path / "p") == {first["task_id"]: "erste"}
            assert state["task"]["task_id"] == second["task_id"]
            assert state["task"]["draft"]["form"] == second["form"]
            state = client.post("api/undo", {}).json["state"]
        assert state["task"]["task_id"] == first["task_id"]
        assert state["task"]["draft"]["form"]["note"] == "erste"
        assert client.submit(state["task"]["draft"]["form"]).status == 200
        assert client.state()["task"]["draft"]["form"] == second["form"]
        assert client.submit(second["form"]).status == 200
    assert standing(tmp_path / "p") == {first["task_id"]: "erste", second["task_id"]: "halb"}


@pytest.mark.parametrize("place", [place for place in PLACES if place.startswith("draft")])
def test_a_draft_is_the_old_one_or_the_new_one(tmp_path, place):
    make_project(tmp_path / "p", sites=1, workers=ALONE)
    with served(tmp_path / "p") as client:
        task_id = client.state()["task"]["task_id"]
        old = {"task_id": task_id, "revision": 0, "tab": "one", "form": {"note": "alt"}}
        revision = client.post("api/draft", old).json["revision"]
    new = {**old, "revision": revision, "form": {"note": "neu"}}
    with child(tmp_path / "p", place) as (process, client):
        with pytest.raises(DIED):
            client.post("api/draft", new)
        assert killed(process)
    with served(tmp_path / "p") as client:
        kept = client.state()["task"]["draft"]
        assert kept["form"]["note"] == ("neu" if place.endswith("after it is written") else "alt")
        again = client.post("api/draft", new)
        if again.status == 409:
            assert again.json["form"] == new["form"], "it was saved, and its answer was lost"
        else:
            assert again.status == 200
        assert client.state()["task"]["draft"]["form"]["note"] == "neu"


def test_killed_while_somebody_answers_and_answers(tmp_path):
    folder, sites, acknowledged = tmp_path / "p", 12, {}
    make_project(folder, sites=sites, workers=ALONE)

    def work(client, moment, enough):
        """Answer until the server is gone; say when so many answers were acknowledged."""
        try:
            while (task := client.state()["task"]) is not None:
                request = sent(client, f"note {task['task_id']}")
                if client.post("api/submit", request).status == 200:
                    acknowledged[task["task_id"]] = request["form"]["note"]
                if len(acknowledged) >= enough:
                    moment.set()
        except DIED:
            pass
        finally:
            moment.set()

    for enough in (2, 5, 7):
        with child(folder) as (process, client):
            moment = threading.Event()
            worker = threading.Thread(target=work, args=(client, moment, enough))
            worker.start()
            assert moment.wait(60)
            process.kill()
            worker.join(60)
            assert killed(process)
        kept = standing(folder)
        assert acknowledged.items() <= kept.items()
        assert len(kept) <= len(acknowledged) + 1, "at most the one that was under way"
        acknowledged.update(kept)
    with child(folder) as (process, client):
        while client.state()["task"]:
            client.answer(note="rest")
        process.terminate()
        process.join(30)
        assert process.exitcode == 0
    assert len(standing(folder)) == sites
    assert acknowledged.items() <= standing(folder).items()


def test_a_half_written_line_is_no_answer(tmp_path):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    with served(tmp_path / "p") as client:
        client.answer(note="erste")
    log = tmp_path / "p" / "logs" / "ann.jsonl"
    log.write_bytes(log.read_bytes() + b'{"schema_version":"riskchain-label-ev')
    with served(tmp_path / "p") as client:
        assert client.state()["done"] == 1
        assert client.answer(note="zweite")["done"] == 2
    assert sorted(standing(tmp_path / "p").values()) == ["erste", "zweite"]
