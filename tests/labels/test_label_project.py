"""The folder of a project: made once, opened by many, the current task stays the current one."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_cases import WORKERS, bad, find, fine, plan_of, project_of

from riskchain_gym.benchmark.labels.log import log_path, unsealed
from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.benchmark.labels.progress import overview_of, progress_of
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.state import queue
from riskchain_gym.protocol.errors import ConfigError, InputFileError


def test_a_project_is_opened_as_it_was_made(tmp_path: Path) -> None:
    plan = plan_of(5, repeats=0.2)
    made = project_of(tmp_path, plan)
    opened = Project.open(made.folder)
    assert (opened.plan, opened.plan.sha256) == (plan, plan.sha256)
    assert opened.events() == ()
    assert {state.status for state in opened.states().values()} == {"open"}


def test_a_project_is_made_once(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    before = (project.folder / "plan.json").read_bytes()
    with project.writer("ann") as log:
        log.append(unsealed(project.plan, queue(project.plan, (), "ann")[0], bad()))
    again = create_project(project.folder, plan_of())
    assert len(again.events()) == 1, "making the same project again opens it"
    with pytest.raises(ConfigError, match="a plan is never changed"):
        create_project(project.folder, plan_of(seed=1))
    assert (project.folder / "plan.json").read_bytes() == before


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"holds 'thesis\.txt' and no project"):
        create_project(tmp_path, plan_of())
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_a_crash_left_of_making_a_project_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_bytes(b"old\n")
    (tmp_path / ".plan.json.0a1b2c").write_bytes(b"{")
    project = create_project(tmp_path, plan_of(subject="pairs"), b"new\n")
    assert (project.folder / "items.jsonl").read_bytes() == b"new\n"
    assert Project.open(tmp_path).plan == project.plan


def test_where_there_is_no_project_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="give the folder of `riskchain labels plan`"):
        Project.open(tmp_path)
    (tmp_path / "plan.json").write_text('{"subject": "cats"}', encoding="utf-8")
    with pytest.raises(InputFileError, match="subject: "):
        Project.open(tmp_path)


def test_a_project_sees_what_others_write_while_it_is_open(tmp_path: Path) -> None:
    mine, theirs = project_of(tmp_path), Project.open(tmp_path / "project")
    task = queue(mine.plan, (), "bob")[0]
    assert mine.events() == ()
    with theirs.writer("bob") as log:
        log.append(unsealed(mine.plan, task, bad()))
        assert [event.kind for event in mine.events()] == ["answered"]
        log.append(unsealed(mine.plan, task, None))
    assert [event.kind for event in mine.events()] == ["answered", "withdrawn"]


def test_logs_of_copies_are_put_together_by_copying_files(tmp_path: Path) -> None:
    plan = plan_of(2)
    one, other = project_of(tmp_path / "one", plan), project_of(tmp_path / "other", plan)
    for project, name in ((one, "ann"), (other, "bob")):
        with project.writer(name) as log:
            for task in queue(plan, (), name):
                log.append(unsealed(plan, task, fine()))
    log_path(one.folder, "bob").write_bytes(log_path(other.folder, "bob").read_bytes())
    assert {state.status for state in one.states().values()} == {"settled"}


def test_a_form_that_is_begun_stays_the_current_task(tmp_path: Path) -> None:
    project = project_of(tmp_path, plan_of(4))
    plan = project.plan

    def dispute(item: str, agreed: str) -> None:
        for name, answer in (("ann", bad()), ("bob", fine())):
            with project.writer(name) as log:
                log.append(unsealed(plan, find(plan, item, "pass", name), answer))
                log.append(unsealed(plan, find(plan, agreed, "pass", name), bad()))

    assert project.current("rex") is None
    dispute("i001", "i003")
    second = project.current("rex")
    assert second == find(plan, "i001", "review")
    project.draft("rex").save(second.task_id, {"note": "thinking"}, revision=0, tab="one")
    dispute("i000", "i002")
    assert queue(plan, project.events(), "rex")[0] == find(plan, "i000", "review")
    assert project.current("rex") == second
    with project.writer("rex") as log:
        log.append(unsealed(plan, second, bad()))
    assert project.current("rex") == find(plan, "i000", "review"), "the form of what was answered holds nothing up"


def test_the_unsent_form_of_a_worker_is_one_object(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    assert project.draft("ann") is project.draft("ann")
    with pytest.raises(ConfigError, match="The plan has no 'eve'"):
        project.draft("eve")
    with pytest.raises(ConfigError, match="The plan has no 'eve'"):
        project.current("eve")


def test_progress_counts_what_is_done_and_what_is_due(tmp_path: Path) -> None:
    workers = (*WORKERS[:3], Worker(name="kim", role="coordinator", simulated=True))
    project = project_of(tmp_path, plan_of(4, workers=workers, repeats=0.25))
    plan = project.plan
    for name, answer in (("ann", bad()), ("bob", fine())):
        with project.writer(name) as log:
            log.append(unsealed(plan, find(plan, "i000", "pass", name), answer))
            log.append(unsealed(plan, find(plan, "i001", "pass", name), bad()))
    assert [(each.name, each.done, each.planned) for each in overview_of(plan, project.events()).workers] == [
        ("ann", 2, 5),
        ("bob", 2, 5),
        ("rex", None, None),
        ("kim", None, None),
    ]
    progress = progress_of(plan, project.events())
    told = {worker.name: (worker.done, worker.due, worker.total) for worker in progress.workers}
    assert told == {"ann": (2, 3, 5), "bob": (2, 3, 5), "rex": (0, 1, 1), "kim": (0, 0, 0)}
    assert [worker.simulated for worker in progress.workers] == [False, False, False, True]
    assert progress.answered == {"pass": 4, "repeat": 0, "review": 0, "adjudication": 0}
    assert progress.due == {"pass": 4, "repeat": 2, "review": 1, "adjudication": 0}
    assert progress.items_by_status == {"open": 2, "passed": 0, "to_review": 1, "to_adjudicate": 0, "settled": 1}
    assert (progress.disagreements, progress.open_disagreements) == (1, 1)
