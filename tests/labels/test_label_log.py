"""Logs: nothing that was answered is lost, nothing is changed unseen, and one program at a time writes."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from label_cases import bad, find, fine, plan_of, project_of, yes

import riskchain_gym.protocol.line_file as line_file_module
from riskchain_gym.benchmark.labels.answers import Answer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.log import log_path, read_log, unsealed, write_log
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.state import queue
from riskchain_gym.benchmark.labels.writer import LogWriter
from riskchain_gym.protocol.errors import ConfigError, InputFileError

PLAN = plan_of(4)


def answer_all(project: Project, worker: str, answer: Answer, limit: int = 99) -> list[Event]:
    """Answer a worker's queue, and return the events."""
    with project.writer(worker) as log:
        due = queue(project.plan, project.events(), worker)[:limit]
        return [log.append(unsealed(project.plan, task, answer)) for task in due]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_of(tmp_path, PLAN)


@pytest.fixture
def log(project: Project) -> Path:
    """The log of ``ann`` with four answers."""
    answer_all(project, "ann", bad())
    return log_path(project.folder, "ann")


def test_what_was_written_is_read(project: Project) -> None:
    first = answer_all(project, "ann", bad("名"), limit=1)
    rest = answer_all(project, "ann", fine())
    assert read_log(log_path(project.folder, "ann"), PLAN) == (*first, *rest)
    assert [event.seq for event in (*first, *rest)] == [0, 1, 2, 3]
    assert (first[0].previous, rest[0].previous) == (PLAN.sha256, first[0].hash)
    assert read_log(log_path(project.folder, "bob"), PLAN) == ()


@settings(derandomize=True, max_examples=60, deadline=None)
@given(cut=st.integers(min_value=0))
@example(cut=-2)
def test_a_log_cut_anywhere_keeps_every_finished_answer(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    project = project_of(tmp_path_factory.mktemp("cut"), PLAN)
    path, written = log_path(project.folder, "ann"), answer_all(project, "ann", bad())
    whole = path.read_bytes()
    path.write_bytes(whole[: cut % (len(whole) + 1)])
    kept = read_log(path, PLAN)
    assert list(kept) == written[: len(kept)]
    missing = len(whole) - path.stat().st_size
    assert len(kept) == 4 if missing < 2 else len(kept) < 4, "an answer that lacks its newline only was given"
    again = answer_all(project, "ann", fine())
    assert read_log(path, PLAN) == (*kept, *again)
    assert len(kept) + len(again) == 4, "the answer that was cut is asked for again"


def edited(number: int, **changes: Any) -> Callable[[list[bytes]], list[bytes]]:
    def edit(lines: list[bytes]) -> list[bytes]:
        event = json.loads(lines[number]) | changes
        return [*lines[:number], json.dumps(event).encode() + b"\n", *lines[number + 1 :]]

    return edit


def resealed(lines: list[bytes]) -> list[bytes]:
    """Change the second answer, and hide it as well as one can who does not write the rest anew."""
    event = Event.model_validate_json(lines[1]).model_copy(update={"site_answer": fine()}).sealed()
    return [lines[0], event.model_dump_json().encode() + b"\n", *lines[2:]]


DAMAGE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "changed": (edited(1, seconds=3.0), "line 2: breaks the chain of hashes: it was changed"),
    "changed and sealed again": (resealed, "line 3: breaks the chain of hashes: it or the line before it"),
    "swapped": (lambda ls: [ls[0], ls[2], ls[1], ls[3]], "line 2: breaks the chain of hashes: it or the line before"),
    "taken out": (lambda ls: [ls[0], *ls[2:]], "line 2: breaks the chain of hashes: it or the line before it"),
    "beheaded": (lambda ls: ls[1:], "line 1: breaks the chain of hashes: it or the plan"),
    "doubled": (lambda ls: [*ls, ls[3]], "line 5: breaks the chain of hashes"),
    "no JSON": (lambda ls: [ls[0], b"\x00\x00\n", *ls[1:]], "line 2: "),
    "empty line": (lambda ls: [ls[0], b"\n", *ls[1:]], "line 2: "),
    "another's": (edited(0, worker="bob"), "line 1: is by 'bob' and stands in the log of 'ann'"),
    "another plan's": (edited(0, plan="1" * 64), "line 1: belongs to another plan (111111111111…"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_noticed_with_its_line(log: Path, project: Project, kind: str) -> None:
    damage, said = DAMAGE[kind]
    log.write_bytes(b"".join(damage(log.read_bytes().splitlines(keepends=True))))
    with pytest.raises(InputFileError) as caught:
        project.events()
    assert said in str(caught.value)
    with pytest.raises(InputFileError), project.writer("ann"):
        pytest.fail("nothing is appended to a damaged log")


def forged(plan: Plan, **changes: Any) -> Event:
    """Return an event of ``ann`` that is sealed as if it was the first of the log."""
    task = find(plan, "i000", "pass", "ann")
    event = unsealed(plan, task, bad()).model_copy(update=changes | {"previous": plan.sha256})
    return event.sealed()


FOREIGN: list[tuple[dict[str, Any], str]] = [
    ({"task_id": "nowhere"}, "'nowhere', which the plan does not have"),
    ({"task_id": find(PLAN, "i000", "pass", "bob").task_id}, "is not a task of 'ann'"),
    ({"layer": "adjudication"}, "as adjudication of 'i000', the plan as pass of 'i000'"),
    ({"item_id": "i001"}, "as pass of 'i001', the plan as pass of 'i000'"),
    ({"site_answer": None}, "holds no answer"),
    ({"site_answer": None, "pair_answer": yes()}, "one of another kind"),
    ({"pair_answer": yes()}, "one of another kind"),
    ({"kind": "withdrawn", "site_answer": None}, "takes an answer back that is not there"),
]


@pytest.mark.parametrize(("changes", "said"), FOREIGN)
def test_an_answer_that_is_not_in_the_plan_is_refused_on_reading(
    project: Project, changes: dict[str, Any], said: str
) -> None:
    path = log_path(project.folder, "ann")
    path.parent.mkdir()
    path.write_text(forged(PLAN, **changes).model_dump_json() + "\n", encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        read_log(path, PLAN)
    assert said in str(caught.value)
    assert caught.value.field == "line 1"


def test_a_log_of_nobody_in_the_plan_is_not_passed_over(project: Project, log: Path) -> None:
    log.with_name("ann (copy).jsonl").write_bytes(log.read_bytes())
    with pytest.raises(InputFileError, match="is the log of nobody in the plan"):
        project.events()


def test_the_same_answer_is_not_written_twice(project: Project) -> None:
    task = find(PLAN, "i000", "pass", "ann")
    with project.writer("ann") as log:
        log.append(unsealed(PLAN, task, bad()))
        with pytest.raises(ConfigError, match="answers it again"):
            log.append(unsealed(PLAN, task, bad()))
        log.append(unsealed(PLAN, task, None))
        log.append(unsealed(PLAN, task, fine()))
    assert [event.kind for event in project.events()] == ["answered", "withdrawn", "answered"]


def test_a_writer_keeps_to_the_layers(project: Project) -> None:
    ann, bob = (find(PLAN, "i000", "pass", name) for name in ("ann", "bob"))
    rex, kim = find(PLAN, "i000", "review"), find(PLAN, "i000", "adjudication")
    with project.writer("ann") as a, project.writer("bob") as b, project.writer("rex") as r, project.writer("kim") as k:
        a.append(unsealed(PLAN, ann, bad()))
        with pytest.raises(ConfigError, match="not due"):
            r.append(unsealed(PLAN, rex, bad()))
        with pytest.raises(ConfigError, match="is by 'bob' and stands in the log of 'rex'"):
            r.append(unsealed(PLAN, bob, bad()))
        with pytest.raises(ConfigError, match="another kind"):
            b.append(unsealed(PLAN, bob, yes()))
        b.append(unsealed(PLAN, bob, fine()))
        with pytest.raises(ConfigError, match="not due"):
            r.append(unsealed(PLAN, rex, bad()))
        for log, name in ((a, "ann"), (b, "bob")):
            log.append(unsealed(PLAN, find(PLAN, "i001", "pass", name), bad()))
        r.append(unsealed(PLAN, rex, bad()))
        with pytest.raises(ConfigError, match="There is no answer that can be taken back"):
            a.append(unsealed(PLAN, ann, None))
        k.append(unsealed(PLAN, kim, bad()))
        with pytest.raises(ConfigError, match="There is no answer that can be taken back"):
            r.append(unsealed(PLAN, rex, None))
    assert project.states()["i000"].provenance == "human+adjudicated"


def test_a_second_writer_of_a_worker_is_refused(project: Project) -> None:
    with project.writer("ann") as log:
        with pytest.raises(ConfigError, match="Another program holds the answers of 'ann'"), project.writer("ann"):
            pytest.fail("two writers at once")
        log.append(unsealed(PLAN, find(PLAN, "i000", "pass", "ann"), bad()))
        answer_all(project, "bob", bad(), limit=1)
    assert len(answer_all(project, "ann", bad())) == 3
    with pytest.raises(ConfigError, match="The plan has no 'eve', it has: ann, bob, rex, kim"):
        project.writer("eve")


def test_a_full_disk_leaves_no_part_of_an_answer(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = queue(PLAN, (), "ann")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with project.writer("ann") as log:
        log.append(unsealed(PLAN, tasks[0], bad()))
        before = log_path(project.folder, "ann").read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(line_file_module.os, "fsync", full)
            with pytest.raises(OSError, match="No space left"):
                log.append(unsealed(PLAN, tasks[1], bad()))
        assert log_path(project.folder, "ann").read_bytes() == before
        log.append(unsealed(PLAN, tasks[1], bad()))
    assert len(project.events()) == 2


def _answer_in_a_process(folder: Path, worker: str, start: Any) -> None:
    project = Project.open(folder)
    start.wait(60)
    with project.writer(worker) as log:
        for task in queue(project.plan, (), worker):
            log.append(unsealed(project.plan, task, bad(worker)))


def test_two_people_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    plan = plan_of(25)
    project = project_of(tmp_path, plan)
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(3)
    people = [spawn.Process(target=_answer_in_a_process, args=(project.folder, name, start)) for name in ("ann", "bob")]
    for person in people:
        person.start()
    start.wait(60)
    while any(person.is_alive() for person in people):
        assert len(project.events()) <= 50, "reading meanwhile is always possible"
        people[0].join(0.01)
    for person in people:
        person.join()
    assert [person.exitcode for person in people] == [0, 0]
    states = project.states().values()
    assert {state.status for state in states} == {"settled"}
    notes = [{name: event.answer.note for name, event in state.passes.items()} for state in states]  # type: ignore[union-attr]
    assert notes == [{"ann": "ann", "bob": "bob"}] * 25
    assert len(project.events()) == 50


def test_a_whole_log_is_written_once(project: Project) -> None:
    tasks = queue(PLAN, (), "ann")
    written = write_log(project.folder, PLAN, "ann", (unsealed(PLAN, task, bad()) for task in tasks))
    assert project.events() == written
    with pytest.raises(ConfigError, match="a log is never written anew"):
        write_log(project.folder, PLAN, "ann", [])
    twice = [unsealed(PLAN, find(PLAN, "i000", "pass", "bob"), bad())] * 2
    with pytest.raises(ConfigError, match="Event 2 of 'bob' is about the task"):
        write_log(project.folder, PLAN, "bob", twice)
    assert not log_path(project.folder, "bob").exists()


def test_a_log_of_another_plan_is_refused(project: Project, log: Path, tmp_path: Path) -> None:
    other = project_of(tmp_path / "other", plan_of(4, seed=1))
    log_path(other.folder, "ann").parent.mkdir()
    log_path(other.folder, "ann").write_bytes(log.read_bytes())
    with pytest.raises(InputFileError, match="line 1: belongs to another plan"):
        other.events()
    with pytest.raises(ConfigError, match="belongs to another plan"), LogWriter(other.folder, other.plan, "bob") as bob:
        bob.append(unsealed(PLAN, find(PLAN, "i000", "pass", "bob"), bad()))
