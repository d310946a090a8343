"""The workbench as its page uses it: tasks, drafts, visits, answers and taking them back."""

from __future__ import annotations

import errno
import json

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from browsed import fake_visits, kept_visit
from workbench_kit import ALONE, FRAUD, HARMLESS, TEAM, make_project, served

from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.pictures import Pictures
from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.annotation.wording import codebook
from riskchain_gym.benchmark.labels import writer
from riskchain_gym.benchmark.labels.drafts import DraftBox
from riskchain_gym.benchmark.labels.events import VisitFile
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Decision, EnvironmentStatus
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path / "p")
    return tmp_path / "p"


@pytest.fixture
def ann(folder):
    with served(folder) as client:
        yield client


def log_of(folder, worker="ann"):
    path = folder / "logs" / f"{worker}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_fresh_state_has_a_blank_form(ann):
    state = ann.state()
    assert {name: state[name] for name in state if name != "task"} == {
        "worker": "ann",
        "role": "annotator",
        "subject": "sites",
        "done": 0,
        "total": 3,
        "complete": False,
        "can_undo": False,
    }
    task = state["task"]
    assert (task["kind"], task["number"], task["answers"], task["pair"]) == ("label", 1, None, None)
    assert task["draft"]["revision"] == 0
    assert task["draft"]["form"] == {
        "environment_status": None,
        "decision": None,
        "primary_violation_type": None,
        "secondary_violation_types": [],
        "confidence": None,
        "note": "",
        "pins": [],
    }


def test_the_codebook_is_whole_in_both_languages(ann):
    told = ann.get("api/codebook").json
    assert told == codebook()
    assert [each["name"] for each in told["types"]] == list(CONCRETE_TYPES)
    for name, enum in (("decisions", Decision), ("anchors", AnchorType), ("statuses", EnvironmentStatus)):
        assert [each["name"] for each in told[name]] == list(enum)
    assert len(told["rules_en"]) == len(told["rules_zh"])
    for entry in (each for name in ("decisions", "types", "anchors", "statuses") for each in told[name]):
        for field, text in entry.items():
            assert text.strip() == text != ""
            chinese = any("\u4e00" <= character <= "\u9fff" for character in text)
            assert chinese == field.endswith("zh"), (field, text)


def test_a_draft_is_kept_and_comes_back_after_a_restart(folder):
    with served(folder) as client:
        task_id = client.state()["task"]["task_id"]
        sent = {"task_id": task_id, "revision": 0, "tab": "one", "form": {**HARMLESS, "note": "看过首页"}}
        revision = client.post("api/draft", sent).json["revision"]
        assert revision > 0
    with served(folder) as client:
        draft = client.state()["task"]["draft"]
        assert (draft["revision"], draft["tab"], draft["form"]["note"]) == (revision, "one", "看过首页")


def test_a_visit_can_be_walked_pinned_and_seen(ann):
    view = ann.get("api/visit").json
    task_id, link = view["task_id"], next(e for e in view["elements"] if e["name"] == "查看活动")
    click = {"action": "click", "element_id": link["element_id"]}
    after = ann.post("api/visit/act", {"task_id": task_id, "step": 0, "action": click}).json
    assert (after["step"], after["path"]) == (1, "/offer")
    assert ann.get("api/visit").json == after
    for step in (0, 1):
        picture = ann.get(f"api/picture/{task_id}/{step}")
        assert (picture.status, picture.headers["content-type"], picture.body[8:12]) == (200, "image/webp", b"WEBP")
    pin = ann.post("api/pin", {"task_id": task_id, "step": 0, "line": 1}).json["pin"]
    assert pin["quote"] == "欢迎来到首页"
    thumbnail = ann.get(f"api/thumbnail/{pin['thumbnail']}")
    assert (thumbnail.status, thumbnail.headers["content-type"]) == (200, "image/webp")
    for path in (f"api/picture/{task_id}/2", f"api/picture/{task_id}/{'9' * 5000}", "api/picture/other/0"):
        assert ann.get(path).status in (404, 410), path
    assert ann.get(f"api/thumbnail/{'0' * 32}.webp").status == 404


def test_a_stale_step_gets_the_current_view_and_does_nothing(ann):
    view = ann.get("api/visit").json
    scroll = {"task_id": view["task_id"], "step": 0, "action": {"action": "scroll_down"}}
    assert ann.post("api/visit/act", scroll).status == 200
    late = ann.post("api/visit/act", scroll)
    assert late.status == 409
    assert late.json["view"]["step"] == 1
    assert ann.get("api/visit").json["step"] == 1


def test_an_action_that_the_page_does_not_take_is_422(ann):
    view = ann.get("api/visit").json
    link = view["elements"][0]["element_id"]
    for action in (
        {"action": "fill", "element_id": link},
        {"action": "click", "element_id": "e99"},
        {"action": "stop"},
    ):
        if action["action"] == "stop":
            action["stop_status"] = "COMPLETE"
        refused = ann.post("api/visit/act", {"task_id": view["task_id"], "step": 0, "action": action})
        assert refused.status == 422, (action, refused.body)
        assert refused.json["message"]
    assert ann.get("api/visit").json["step"] == 0


def test_a_restarted_visit_begins_anew_and_the_old_one_is_kept(folder, ann):
    view = ann.get("api/visit").json
    task_id = view["task_id"]
    ann.post("api/visit/act", {"task_id": task_id, "step": 0, "action": {"action": "scroll_down"}})
    assert ann.post("api/visit/restart", {"task_id": task_id}).json["step"] == 0
    kept = kept_visit(folder, f"{task_id}.1.json")
    assert kept.completion == "ABORTED"
    assert len(kept.trajectory.steps) == 1


def test_an_infrastructure_failure_is_503_with_its_cause(folder):
    with served(folder, visits=fake_visits(folder, fail_at=range(1, 9))) as client:
        failed = client.get("api/visit")
        assert (failed.status, failed.json["cause"]) == (503, "browser_lost")
        assert client.state()["task"] is not None


def test_an_answer_is_one_event_with_its_visit(folder, ann):
    state = ann.answer(note="看过")
    assert (state["done"], state["total"], state["can_undo"], state["task"]["number"]) == (1, 3, True, 2)
    assert state["task"]["draft"]["revision"] == 0
    (event,) = log_of(folder)
    answer = event["site_answer"]
    assert (answer["decision"], answer["primary_violation_type"]) == ("NON_VIOLATION", "NONE")
    assert answer["evidence_anchor_types"] == ["BENIGN_SERVICE_CONSISTENCY"]
    assert answer["evidence"][0]["quote"] == "欢迎来到首页"
    assert event["seconds"] == 12.5
    visit = VisitStore(folder, "ann").read(VisitFile(event["visit"], event["visit_sha256"]))
    assert visit.trajectory.report.note == "看过"


def test_the_same_answer_twice_is_one_event(folder, ann):
    task = ann.state()["task"]
    form = ann.form()
    first = ann.submit(form, task_id=task["task_id"], revision=0)
    again = ann.submit(form, task_id=task["task_id"], revision=0)
    assert (first.status, again.status) == (200, 200)
    assert again.json == first.json
    other = ann.submit({**form, "note": "anders"}, task_id=task["task_id"], revision=0)
    assert other.status == 410, "another answer to a task that is answered is not swallowed"
    assert len(log_of(folder)) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"decision": None}, "decision"),
        ({"environment_status": None}, "environment_status"),
        ({"confidence": None}, "confidence"),
        ({"confidence": 6}, "confidence"),
        ({"decision": "VIOLATION"}, "primary_violation_type"),
        ({"decision": "VIOLATION", "primary_violation_type": "UNKNOWN"}, "primary_violation_type"),
        ({"decision": "VIOLATION", "primary_violation_type": "OTHER_PROHIBITED_ACTIVITY", "note": "kurz"}, "note"),
        ({"pins": []}, "pins"),
        ({"note": "siehe www.example.com"}, "note"),
        ({"note": "x" * 1001}, "note"),
        ({"unheard": 1}, "unheard"),
        ({**FRAUD, "secondary_violation_types": ["FRAUD_DECEPTIVE_INDUCEMENT"]}, "secondary_violation_types"),
    ],
)
def test_an_answer_against_the_codebook_names_its_field(folder, ann, change, field):
    refused = ann.submit(ann.form(**change))
    assert refused.status == 422, refused.body
    problems = refused.json["problems"]
    assert field in [problem["field"] for problem in problems]
    assert all(problem["message"] for problem in problems)
    assert log_of(folder) == []


def test_pins_are_held_against_the_visit(ann):
    form = ann.form()
    (pin,) = form["pins"]
    for change, field in (
        ({"step": 4}, "pins.0"),
        ({"quote": "was nie dort stand"}, "pins.0"),
        ({"observation": "geh zu a@b.cn"}, "pins.0.observation"),
        ({"region": None, "quote": ""}, "pins.0"),
    ):
        refused = ann.submit({**form, "pins": [{**pin, **change}]})
        assert refused.status == 422, change
        assert refused.json["problems"][0]["field"].startswith(field)


def test_undo_opens_the_answer_again_as_it_was(folder, ann):
    form = ann.form(note="erste")
    task_id = ann.state()["task"]["task_id"]
    ann.submit(form)
    undone = ann.post("api/undo", {})
    assert undone.status == 200
    state = undone.json["state"]
    assert (state["done"], state["can_undo"]) == (0, False)
    assert state["task"]["task_id"] == task_id
    again = state["task"]["draft"]["form"]
    assert again == {**form, "primary_violation_type": "NONE"}
    assert ann.get(f"api/thumbnail/{again['pins'][0]['thumbnail']}").status == 200
    assert ann.get("api/visit").json["step"] == 0
    assert ann.submit({**again, "confidence": 5}).status == 200
    assert [event["kind"] for event in log_of(folder)] == ["answered", "withdrawn", "answered"]
    assert ann.post("api/undo", {}).status == 200
    assert ann.post("api/undo", {}).status == 409


def test_undo_that_comes_twice_takes_one_answer_back(folder):
    for worker, more in (("ann", {}), ("bob", FRAUD)):
        with served(folder, worker) as client:
            while client.state()["task"]:
                client.answer(**more)
    with served(folder, "rev") as client:
        client.answer()
        done = client.answer()["done"]
        answers = [client.post("api/undo", {"done": done}) for _ in range(2)]
        assert [answer.status for answer in answers] == [200, 409]
        assert "meanwhile" in answers[1].json["message"]
        assert client.state()["done"] == done - 1
        assert client.post("api/undo", {"done": done - 1}).status == 200


@pytest.mark.parametrize("pins", [None, 5, True, "x", {}, [None, 5, {"thumbnail": []}]])
def test_whatever_a_draft_has_for_pins_thumbnails_are_shown(ann, pins):
    pin = ann.form()["pins"][0]
    draft = {"task_id": ann.state()["task"]["task_id"], "revision": 0, "form": {"pins": pins}}
    assert ann.post("api/draft", draft).status == 200
    assert ann.get(f"api/thumbnail/{pin['thumbnail']}").status == 200
    assert ann.get(f"api/thumbnail/{'0' * 32}.webp").status == 404


def test_undo_goes_back_by_one_answer(ann):
    assert ann.post("api/undo", {}).json["message"] == "There is no answer that can be taken back."
    ann.answer(note="eins")
    ann.answer(note="zwei")
    state = ann.post("api/undo", {}).json["state"]
    assert (state["done"], state["can_undo"], state["task"]["draft"]["form"]["note"]) == (1, False, "zwei")
    refused = ann.post("api/undo", {})
    assert (refused.status, refused.json["message"]) == (409, "There is no answer that can be taken back.")


def test_undo_puts_the_form_in_progress_aside_and_it_comes_back(folder):
    with served(folder) as client:
        first = client.answer()
        second = first["task"]["task_id"]
        view = client.get("api/visit").json
        client.post("api/visit/act", {"task_id": second, "step": view["step"], "action": {"action": "scroll_down"}})
        begun = client.form(note="halb fertig")
        client.post("api/draft", {"task_id": second, "revision": 0, "tab": "one", "form": begun})
        assert client.post("api/undo", {}).json["state"]["task"]["task_id"] != second
    with served(folder) as client:
        state = client.state()
        assert client.submit(state["task"]["draft"]["form"]).status == 200
        task = client.state()["task"]
        assert (task["task_id"], task["draft"]["form"]) == (second, begun)
        assert client.get("api/visit").json["step"] == 1, "the visit goes on where it was"
        assert client.submit(begun).status == 200
        assert client.state()["done"] == 2
    assert list((folder / "drafts").glob("*.aside/*")) == []


def test_an_answer_somebody_built_on_stays(folder):
    for worker, more in (("ann", {}), ("bob", FRAUD)):
        with served(folder, worker) as client:
            while client.state()["task"]:
                client.answer(**more)
    with served(folder, "rev") as client:
        while client.state()["task"]:
            client.answer()
        assert client.state()["can_undo"]
    with served(folder, "ann") as client:
        assert not client.state()["can_undo"]
        refused = client.post("api/undo", {})
        assert refused.status == 409
        assert refused.json["message"] == "There is no answer that can be taken back."


def test_a_task_that_is_not_current_is_410(ann):
    form = {"task_id": "t-else", "revision": 0, "tab": "one", "form": {}}
    assert ann.post("api/draft", form).status == 410
    assert ann.post("api/submit", {**form, "seconds": 1}).status == 410
    assert ann.post("api/pin", {"task_id": "t-else", "step": 0, "line": 0}).status == 410
    assert ann.post("api/visit/restart", {"task_id": "t-else"}).status == 410
    assert ann.post("api/visit/act", {"task_id": "t-else", "step": 0, "action": {"action": "noop"}}).status == 410


def test_with_everything_done_there_is_no_task(tmp_path):
    make_project(tmp_path / "p", sites=1, workers=ALONE)
    with served(tmp_path / "p") as client:
        state = client.answer()
        assert (state["task"], state["done"], state["total"]) == (None, 1, 1)
        assert client.get("api/visit").status == 410


def test_bodies_that_cannot_be_kept_are_400(ann):
    task_id = ann.state()["task"]["task_id"].encode()
    deep = b'{"task_id":"%s","revision":0,"form":{"a":%s1%s}}' % (task_id, b"[" * 400, b"]" * 400)
    for note, status in ((b'"gut"', 200), (b"NaN", 400), (b"1e999", 400), (b'"\\ud800"', 400)):
        body = b'{"task_id":"%s","revision":0,"form":{"note":%s}}' % (task_id, note)
        kept = ann.ask("POST", f"{ann.path}api/draft", body, {"Content-Type": "application/json"})
        assert kept.status == status, note
    deeper = deep.replace(b"[" * 400, b"[" * 900).replace(b"]" * 400, b"]" * 900)
    for body in (b"", b"{", b"[]", b"\xff", b"null", deep, deeper, b"[" * 100_000):
        refused = ann.ask("POST", f"{ann.path}api/draft", body, {"Content-Type": "application/json"})
        assert refused.status == 400, body[:40]
        assert refused.json["message"]


def test_seconds_are_bounded(folder, ann):
    sent = {"revision": 0, "tab": "one"}
    for seconds in (-5, 1e12, None):
        form, task_id = ann.form(), ann.state()["task"]["task_id"]
        assert ann.post("api/submit", {**sent, "task_id": task_id, "form": form, "seconds": seconds}).status == 200
    assert [event["seconds"] for event in log_of(folder)] == [0.0, 86400.0, None]


def test_a_full_disk_costs_no_answer_and_makes_none_twice(folder, ann, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    form, task_id = ann.form(), ann.state()["task"]["task_id"]
    for owner, name, kept in (
        (Pictures, "thumbnail", 0),
        (VisitStore, "keep", 0),
        (writer, "write_line", 0),
        (DraftBox, "clear", 1),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, full)
            if owner is Pictures:
                answer = ann.post("api/pin", {"task_id": task_id, "step": 0, "line": 0})
            else:
                answer = ann.submit(form, task_id=task_id, revision=0)
        assert (answer.status, answer.json["cause"]) == (503, "storage"), name
        assert "No space left" in answer.json["message"]
        assert len(log_of(folder)) == kept
    answer = ann.submit(form, task_id=task_id, revision=0)
    assert (answer.status, answer.json["state"]["done"]) == (200, 1)
    assert len(log_of(folder)) == 1


def test_one_workbench_a_worker(folder, ann):
    with pytest.raises(ConfigError, match="'ann'"), Desk(Project.open(folder), "ann"):
        pass
    with Desk(Project.open(folder), "bob"):
        pass


def test_an_unknown_worker_is_told_who_there_is(folder):
    with pytest.raises(UnknownNameError, match="no 'eve'") as refused:
        Desk(Project.open(folder), "eve")
    for worker in TEAM:
        assert f"{worker.name} ({worker.role})" in str(refused.value)
