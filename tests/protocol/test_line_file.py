"""Files of lines: whatever happens, the finished lines stay."""

from __future__ import annotations

import fcntl
import os
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riskchain_gym.protocol.line_file as line_file_module
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.line_file import LineFile, write_line


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"") + b"\n"), max_size=8), cut=st.integers(0)
)
def test_every_finished_line_is_kept(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int) -> None:
    path = tmp_path_factory.mktemp("file") / "lines"
    whole = b"".join(lines)
    path.write_bytes(whole[: cut % (len(whole) + 1)])
    file_of_lines = LineFile(path)
    kept = list(file_of_lines.lines())
    assert kept == lines[: len(kept)]
    assert file_of_lines.last() == (kept[-1] if kept else None)
    assert file_of_lines.size == len(b"".join(kept))
    assert file_of_lines.torn == (path.stat().st_size != file_of_lines.size)
    before = path.read_bytes()
    tail = before[file_of_lines.size :]
    assert list(file_of_lines.lines(unfinished=True)) == [*kept, *([tail] if tail else [])]
    with file_of_lines.locked() as file:
        assert path.read_bytes() == before, "to hold a file changes nothing"
        file_of_lines.mend(file)
        write_line(file, b"next\n")
    assert list(file_of_lines.lines()) == [*kept, b"next\n"]
    assert not file_of_lines.torn
    torn = path.with_name("lines.torn")
    assert (torn.read_bytes() if torn.exists() else b"") == (tail + b"\n" if tail else b"")


def test_lines_longer_than_a_block_are_found(tmp_path: Path) -> None:
    file_of_lines = LineFile(tmp_path / "lines")
    with file_of_lines.locked() as file:
        write_line(file, b"a" * 200_000 + b"\n")
        write_line(file, b"b" * 200_000 + b"\n")
        os.write(file.fileno(), b"c" * 200_000)
    assert file_of_lines.last() == b"b" * 200_000 + b"\n"
    assert file_of_lines.torn


def test_who_does_not_wait_for_the_other_writer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with LineFile(path).locked() as file:
        write_line(file, b"one\n")
        with pytest.raises(BlockingIOError), LineFile(path).locked(wait=False):
            pytest.fail("two writers at once")
        write_line(file, b"two\n")
    with LineFile(path).locked(wait=False) as file:
        write_line(file, b"three\n")
    assert list(LineFile(path).lines()) == [b"one\n", b"two\n", b"three\n"]


def test_a_whole_line_gets_the_newline_that_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo")
    with LineFile(path).locked() as file:
        LineFile(path).mend(file, finish=True)
        LineFile(path).mend(file)
        write_line(file, b"three\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert not path.with_name("lines.torn").exists()


def test_every_tail_is_kept_and_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "lines"
    for tail in (b"half", "一半".encode()):
        with path.open("ab") as file:
            file.write(b"one\n" + tail)
        with LineFile(path).locked() as held:
            LineFile(path).mend(held)
        assert f"{path} ended in no whole line" in caplog.messages[-1]
        assert "lines.torn" in caplog.messages[-1]
    assert path.read_bytes() == b"one\none\n"
    assert path.with_name("lines.torn").read_bytes() == "half\n一半\n".encode()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"somebody else's text, without a newline")
    (tmp_path / "lines").symlink_to(other)
    with pytest.raises(InputFileError, match="is a link"), LineFile(tmp_path / "lines").locked():
        pytest.fail("a link was opened for writing")
    (tmp_path / "torn").write_bytes(b"half")
    (tmp_path / "torn.torn").symlink_to(other)
    with LineFile(tmp_path / "torn").locked() as file, pytest.raises(InputFileError, match="is a link"):
        LineFile(tmp_path / "torn").mend(file)
    assert (tmp_path / "torn").read_bytes() == b"half"
    assert other.read_bytes() == b"somebody else's text, without a newline"


def test_a_held_file_knows_whether_it_is_the_one_at_the_path(tmp_path: Path) -> None:
    path, lines = tmp_path / "lines", LineFile(tmp_path / "lines")
    with lines.locked() as file:
        write_line(file, b"one\n")
        assert lines.is_held(file)
        path.rename(tmp_path / "away")
        assert not lines.is_held(file)
        path.write_bytes(b"one\n")
        assert not lines.is_held(file)


def test_a_lock_on_a_file_that_was_replaced_meanwhile_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flock, replaced = tmp_path / "lines", fcntl.flock, iter([True])
    path.write_bytes(b"old\n")

    def replaced_first(file: FileIO, operation: int) -> None:
        if next(replaced, False):
            (tmp_path / "new").write_bytes(b"new\n")
            (tmp_path / "new").rename(path)
        flock(file, operation)

    monkeypatch.setattr(line_file_module.fcntl, "flock", replaced_first)
    with LineFile(path).locked() as file:
        write_line(file, b"next\n")
    assert path.read_bytes() == b"new\nnext\n"
