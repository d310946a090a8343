"""Logs that other hands replace, link or cut: what was acknowledged stays, and nobody else's file is touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from label_cases import bad, fine, plan_of, project_of

from riskchain_gym.benchmark.labels import writer as writer_module
from riskchain_gym.benchmark.labels.log import log_path, unsealed
from riskchain_gym.benchmark.labels.plan import Task
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.writer import LogReplacedError
from riskchain_gym.protocol.errors import InputFileError

PLAN = plan_of(4)
MINE = list(PLAN.tasks_by_worker["ann"].values())


def answer(project: Project, *tasks: Task) -> None:
    with project.writer("ann") as log:
        for task in tasks:
            log.append(unsealed(PLAN, task, bad()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project in which ``ann`` has given one answer."""
    project = project_of(tmp_path, PLAN)
    answer(project, MINE[0])
    return project


def same_by_rename(log: Path, copies: Path) -> None:
    shutil.copy(log, log.with_suffix(".tmp")).replace(log)


def longer_in_place(log: Path, copies: Path) -> None:
    shutil.copy(copies / "longer", log)


def longer_by_rename(log: Path, copies: Path) -> None:
    (copies / "longer").replace(log)


def older_in_place(log: Path, copies: Path) -> None:
    shutil.copy(copies / "older", log)


def as_long_in_place(log: Path, copies: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b"VIOLATION", b"violation"))


def half_a_line_more(log: Path, copies: Path) -> None:
    with log.open("ab") as file:
        file.write(b'{"seq":')


def taken_away(log: Path, copies: Path) -> None:
    log.unlink()


HANDS = [
    same_by_rename,
    longer_in_place,
    longer_by_rename,
    older_in_place,
    as_long_in_place,
    half_a_line_more,
    taken_away,
]


@pytest.mark.parametrize("hands", HANDS)
def test_nothing_is_written_into_a_log_that_was_replaced(
    project: Project, tmp_path: Path, hands: Callable[[Path, Path], None]
) -> None:
    log, copies = log_path(project.folder, "ann"), tmp_path / "copies"
    shutil.copytree(project.folder, tmp_path / "fork")
    answer(Project.open(tmp_path / "fork"), *MINE[1:3], MINE[3])
    copies.mkdir()
    shutil.copy(log, copies / "older")
    shutil.copy(log_path(tmp_path / "fork", "ann"), copies / "longer")
    with project.writer("ann") as held:
        held.append(unsealed(PLAN, MINE[1], bad()))
        hands(log, copies)
        put = log.read_bytes() if log.exists() else None
        for _ in range(2):
            with pytest.raises(LogReplacedError, match="The log of 'ann' was replaced while the workbench ran"):
                held.append(unsealed(PLAN, MINE[2], bad()))
        assert (log.read_bytes() if log.exists() else None) == put


def test_who_starts_again_goes_on_from_what_was_put_there(project: Project) -> None:
    log = log_path(project.folder, "ann")
    with project.writer("ann") as held:
        same_by_rename(log, log)
        with pytest.raises(LogReplacedError):
            held.append(unsealed(PLAN, MINE[1], bad()))
        # The lock went with the file that is gone; a second workbench can start, and only that one writes.
        answer(project, MINE[1])
        with pytest.raises(LogReplacedError):
            held.append(unsealed(PLAN, MINE[2], bad()))
    answer(project, *MINE[2:])
    assert [event.task_id for event in project.events()] == [task.task_id for task in MINE]


def test_an_answer_that_went_into_a_file_that_was_just_replaced_is_not_acknowledged(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, write = log_path(project.folder, "ann"), writer_module.write_line

    def too_late(file: writer_module.FileIO, line: bytes) -> None:
        same_by_rename(log, log)
        write(file, line)

    with project.writer("ann") as held:
        monkeypatch.setattr(writer_module, "write_line", too_late)
        with pytest.raises(LogReplacedError):
            held.append(unsealed(PLAN, MINE[1], bad()))
    assert len(project.events()) == 1


def test_a_replaced_log_of_the_same_size_and_time_is_read_anew(project: Project) -> None:
    log = log_path(project.folder, "ann")
    before, stat = project.events(), log.stat()
    (event,) = before
    other = event.model_copy(update={"seconds": 1.0, "at": event.at[:-4] + "Z"}).sealed()
    data = other.model_dump_json().encode()
    assert len(data) < stat.st_size, "there is room to fill up with spaces"
    log.with_suffix(".tmp").write_bytes(data[:-1] + b" " * (stat.st_size - len(data) - 1) + b"}\n")
    os.utime(log.with_suffix(".tmp"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    log.with_suffix(".tmp").rename(log)
    assert log.stat().st_size == stat.st_size
    assert project.events() == (other,)


def test_a_last_answer_that_lost_its_newline_counts_and_gets_it_back(project: Project) -> None:
    log = log_path(project.folder, "ann")
    answer(project, MINE[1])
    whole = log.read_bytes()
    log.write_bytes(whole.rstrip(b"\n"))
    assert len(Project.open(project.folder).events()) == 2
    answer(project, MINE[2])
    assert log.read_bytes().startswith(whole)
    assert [event.task_id for event in project.events()] == [task.task_id for task in MINE[:3]]
    assert [path.name for path in log.parent.iterdir()] == ["ann.jsonl"]


def test_any_other_end_is_put_beside_the_log(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    log = log_path(project.folder, "ann")
    whole = log.read_bytes()
    stranger = unsealed(PLAN, MINE[1], fine()).sealed().model_dump_json().encode()
    for tail in (whole[:-9], stranger):
        log.write_bytes(whole + tail)
        assert len(project.events()) == 1
        with project.writer("ann"):
            assert log.read_bytes() == whole
        assert str(log) in caplog.messages[-1]
        assert "ann.jsonl.torn" in caplog.messages[-1]
    assert log.with_name("ann.jsonl.torn").read_bytes() == whole[:-9] + b"\n" + stranger + b"\n"
    assert len(project.events()) == 1


def test_a_damaged_log_is_left_as_it_is(project: Project) -> None:
    log = log_path(project.folder, "ann")
    log.write_bytes(b"{}\n" + log.read_bytes() + b"half")
    before = log.read_bytes()
    with pytest.raises(InputFileError, match="line 1"), project.writer("ann"):
        pytest.fail("nothing is appended to a damaged log")
    assert log.read_bytes() == before


def test_the_file_behind_a_link_is_not_touched(tmp_path: Path) -> None:
    project = project_of(tmp_path, PLAN)
    other = tmp_path / "other.txt"
    other.write_text("one line of mine, without a newline", encoding="utf-8")
    log_path(project.folder, "ann").parent.mkdir()
    log_path(project.folder, "ann").symlink_to(other)
    with pytest.raises(InputFileError, match=r"ann\.jsonl: is a link"), project.writer("ann"):
        pytest.fail("a link was opened for writing")
    assert other.read_text(encoding="utf-8") == "one line of mine, without a newline"
