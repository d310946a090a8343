"""The workbench with pairs: claims to answer, no site to look at, and no word of what is expected."""

from __future__ import annotations

import hashlib
import json

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from workbench_kit import TEAM, served_pairs

from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.scoring.calibration.anchors import read_anchors
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs

COUNT = 3


@pytest.fixture
def folder(tmp_path):
    chosen = sorted(read_anchors()[:COUNT], key=lambda anchor: anchor.id)
    fields = ("cluster", "language", "bundle", "question")
    pairs = [PairItem(item_id=each.id, **{name: getattr(each, name) for name in fields}) for each in chosen]
    lines = encoded_pairs(pairs)
    plan = draw_plan(
        "pairs",
        [pair.item_id for pair in pairs],
        TEAM,
        source="pairs.jsonl",
        source_sha256=hashlib.sha256(lines).hexdigest(),
        seed=1,
        repeats=0,
    )
    create_project(tmp_path / "p", plan, lines)
    return tmp_path / "p"


def answer_all(folder, worker, answer):
    with served_pairs(folder, worker) as client:
        while client.state()["task"]:
            form = {"answer": answer, "confidence": None, "note": f"note-{worker}"}
            assert client.submit(form).status == 200


def test_a_pair_is_answered_and_taken_back(folder):
    with served_pairs(folder, "ann") as client:
        state = client.state()
        assert (state["subject"], state["task"]["kind"], state["task"]["answers"]) == ("pairs", "pair", None)
        assert state["task"]["pair"]["claim"]
        refused = client.submit({"answer": None, "confidence": 2, "note": ""})
        assert [problem["field"] for problem in refused.json["problems"]] == ["answer"]
        form = {"answer": "cannot_tell", "confidence": 2, "note": "unleserlich"}
        sent = {"task_id": state["task"]["task_id"], "revision": 0}
        assert client.submit(form, **sent).status == 200
        assert client.submit(form, **sent).status == 200
        assert client.submit({**form, "answer": "yes"}, **sent).status == 410
        undone = client.post("api/undo", {}).json["state"]
        assert (undone["task"]["task_id"], undone["task"]["draft"]["form"]) == (sent["task_id"], form)
    assert [event.kind for event in Project.open(folder).events()] == ["answered", "withdrawn"]


def test_there_is_no_site_to_look_at(folder):
    with served_pairs(folder, "ann") as client:
        task_id = client.state()["task"]["task_id"]
        for path in ("api/visit", f"api/picture/{task_id}/0", f"api/thumbnail/{'0' * 32}.webp"):
            assert client.get(path).status == 404, path
        act = {"task_id": task_id, "step": 0, "action": {"action": "noop"}}
        assert client.post("api/visit/act", act).status == 404
        assert client.post("api/visit/restart", {"task_id": task_id}).status == 404


def test_a_dispute_goes_to_review_and_to_the_coordinator(folder):
    answer_all(folder, "ann", "yes")
    answer_all(folder, "bob", "no")
    with served_pairs(folder, "rev") as client:
        text = json.dumps(client.state())
        assert client.state()["task"]["kind"] == "pair"
        assert "note-" not in text
        assert all(item not in text for item in Project.open(folder).plan.items)
    answer_all(folder, "rev", "no")
    with served_pairs(folder, "cord") as client:
        task = client.state()["task"]
        assert task["kind"] == "adjudicate_pair"
        assert [each["by"] for each in task["answers"]] == ["A", "B", "C"]
        assert sorted(each["form"]["answer"] for each in task["answers"]) == ["no", "no", "yes"]
    answer_all(folder, "cord", "no")
    assert {state.settled.answer for state in Project.open(folder).states().values()} == {"no"}
