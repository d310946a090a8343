"""Files of lines: whatever happens, the finished lines stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    with file_of_lines.locked() as file:
        write_line(file, b"next\n")
    assert list(file_of_lines.lines()) == [*kept, b"next\n"]
    assert not file_of_lines.torn


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
