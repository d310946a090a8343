"""A workbench whose files are replaced or damaged by other hands while it runs: it says so, and nothing is lost."""

from __future__ import annotations

import shutil

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from workbench_kit import ALONE, make_project, served

from riskchain_gym.benchmark.labels.log import log_path
from riskchain_gym.benchmark.labels.project import Project


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path / "project", sites=3, workers=ALONE)
    return tmp_path / "project"


def notes(folder):
    return [event.site_answer.note for event in Project.open(folder).events()]


def test_a_log_replaced_under_a_workbench_is_told_of_and_the_form_stays(folder):
    log = log_path(folder, "ann")
    with served(folder) as ann:
        ann.answer(note="one")
        shutil.copy(log, log.with_suffix(".tmp")).replace(log)
        form, task_id = ann.form(note="two"), ann.state()["task"]["task_id"]
        revision = ann.post("api/draft", {"task_id": task_id, "revision": 0, "tab": "one", "form": form}).json[
            "revision"
        ]
        for _ in range(2):
            refused = ann.submit(form, task_id=task_id, revision=revision)
            assert (refused.status, refused.json["cause"]) == (503, "replaced")
            assert "The log of 'ann' was replaced while the workbench ran" in refused.json["message"]
            assert "end the workbench and start it again" in refused.json["message"]
        undone = ann.post("api/undo", {})
        assert (undone.status, undone.json["cause"]) == (503, "replaced")
        assert notes(folder) == ["one"]
    with served(folder) as ann:
        task = ann.state()["task"]
        assert (task["task_id"], task["draft"]["form"]["note"]) == (task_id, "two")
        assert ann.submit(task["draft"]["form"]).status == 200
    assert notes(folder) == ["one", "two"]


def test_a_second_workbench_after_a_replacement_is_the_only_one_that_writes(folder):
    log = log_path(folder, "ann")
    with served(folder) as first:
        first.answer(note="one")
        shutil.copy(log, log.with_suffix(".tmp")).replace(log)
        with served(folder) as second:
            second.answer(note="two")
            assert first.submit(first.form(note="three")).status == 503
            second.answer(note="three")
    assert notes(folder) == ["one", "two", "three"]


@pytest.mark.parametrize("damage", [b"", b'{"last":3,"draft":{"task_id":"x","revision":1,"form":{},"new_field":1}}'])
def test_damaged_forms_lock_nobody_out(folder, damage):
    with served(folder) as ann:
        task_id = ann.state()["task"]["task_id"]
    drafts = folder / "drafts"
    for path in (drafts / "ann.json", drafts / "ann.aside" / f"{task_id}.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(damage)
    with served(folder) as ann:
        assert ann.state()["task"]["draft"]["form"]["note"] == ""
        ann.answer(note="one")
    assert notes(folder) == ["one"]
    assert (drafts / "ann.json.damaged").read_bytes() == damage
    assert (drafts / "ann.aside" / f"{task_id}.json.damaged").read_bytes() == damage
