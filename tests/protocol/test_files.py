"""Files are written whole, and open to whom they should be."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.protocol.line_file import LineFile


@pytest.mark.parametrize("mask", [0o002, 0o022, 0o077])
def test_the_umask_decides_who_may_read_a_file_that_is_not_private(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "shown", b"1")
        write_atomically(tmp_path / "private", b"2", private=True)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"shown": 0o666 & ~mask, "private": 0o600}


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError("no space")

    write_atomically(tmp_path / "file", b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_atomically(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[set[str]]]:
    """What was in a folder each time that it was brought to disk."""
    fsync, seen = os.fsync, list[tuple[os.stat_result, set[str]]]()

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            seen.append((found, set(os.listdir(descriptor))))

    monkeypatch.setattr(os, "fsync", noted)
    return lambda folder: [names for found, names in seen if os.path.samestat(found, folder.stat())]


def test_the_name_of_a_file_is_on_disk_too(tmp_path: Path, synced: Callable[[Path], list[set[str]]]) -> None:
    write_atomically(tmp_path / "new" / "deep" / "file", b"1")
    assert "new" in synced(tmp_path)[-1]
    assert "deep" in synced(tmp_path / "new")[-1]
    assert synced(tmp_path / "new" / "deep")[-1] == {"file"}


def test_the_name_of_a_file_of_lines_is_on_disk_before_its_first_line(
    tmp_path: Path, synced: Callable[[Path], list[set[str]]]
) -> None:
    lines = LineFile(tmp_path / "new" / "lines")
    with lines.locked():
        assert synced(tmp_path / "new") == [{"lines"}]
    with lines.locked():
        assert len(synced(tmp_path / "new")) == 1, "once is enough"


def test_a_folder_that_is_there_is_as_it_was(tmp_path: Path, synced: Callable[[Path], list[set[str]]]) -> None:
    make_folder(tmp_path)
    assert synced(tmp_path) == []
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")


@pytest.mark.parametrize(("number", "fails"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_system_that_brings_no_folders_to_disk_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fails: bool
) -> None:
    fsync = os.fsync

    def refused(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, "no")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refused)
    if fails:
        with pytest.raises(OSError, match="no"):
            write_atomically(tmp_path / "file", b"1")
    else:
        write_atomically(tmp_path / "file", b"1")
    assert (tmp_path / "file").read_bytes() == b"1"
