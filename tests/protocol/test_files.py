"""Files are written whole, and open to whom they should be."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from riskchain_gym.protocol.files import write_atomically


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
