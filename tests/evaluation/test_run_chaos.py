"""Whatever is killed, and however often: what is frozen in the end is what an undisturbed run freezes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from riskchain_gym.evaluation.settings import ISOLATION_VARIABLE
from riskchain_gym.evaluation.store import RunFolder

psutil = pytest.importorskip("psutil")
pytest.importorskip("playwright")

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(3600)]

PARENT_KILLS = 5
KILLS_BETWEEN = 3
SPLIT, CHAINS = os.environ.get("RISKCHAIN_CHAOS", "mini:24").rsplit(":", 1)
"""The split, and how many of its chains."""


def started(run: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "riskchain_gym", "run", "--agent", "rules+explorer", "--split", SPLIT]
    variables = {**os.environ, ISOLATION_VARIABLE: "process"}  # unlike other tests
    return subprocess.Popen(
        [*command, "--chains", CHAINS, "--workers", "2", "--out", str(run)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return list(psutil.Process(process.pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def kind(process: psutil.Process) -> str:
    try:
        words = process.cmdline()
    except psutil.Error:
        return ""
    if any("riskchain_gym.evaluation.engine" in word for word in words):
        return "environment" if "environment" in words else "agent"
    if any(word.startswith("--user-data-dir=") for word in words) and not any("--type=" in word for word in words):
        return "browser"
    return "page" if "--type=renderer" in words else ""


def lines(run: Path) -> int:
    shard = run / "shards" / "00000.jsonl"
    return shard.read_bytes().count(b"\n") if shard.exists() else 0


def wait_for_lines(process: subprocess.Popen[bytes], run: Path, count: int) -> bool:
    """Wait until so many episodes are frozen; false if the run ended before."""
    while lines(run) < count:
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
        return False
    return True


def different(run: RunFolder, other: RunFolder) -> list[str]:
    """Return where two runs differ, field by field."""
    found = []
    for here, there in zip(run.records(), other.records(), strict=True):
        sides = [{**each.trajectory.model_dump(mode="json"), "media": each.media} for each in (here, there)]
        chain = here.trajectory.chain_id
        found += [
            f"{chain} {name}: {sides[0][name]} → {sides[1][name]}"
            for name in sides[0]
            if sides[0][name] != sides[1][name]
        ]
    return found


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system with room for a part of the run only; where none can be mounted, no disk is full."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], capture_output=True)
    try:
        yield
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", folder], check=True)


def test_a_run_that_is_killed_again_and_again_comes_to_the_same(tmp_path: Path) -> None:
    whole = started(tmp_path / "whole")
    told, _ = whole.communicate()
    assert whole.returncode == 0, told.decode()
    seal = RunFolder.open(tmp_path / "whole").seal
    assert seal is not None

    chance, disk = random.Random(9), tmp_path / "disk"
    killed: list[str] = []
    with small_disk(disk):
        run = disk / "run"
        full = started(run)
        told, _ = full.communicate()
        if os.path.ismount(disk):
            assert full.returncode == 4, told.decode()
            assert b"No space left on device" in told
            assert 0 < lines(run) < int(CHAINS)
            subprocess.run(["mount", "-o", "remount,size=900m", disk], check=True)
        for number in range(PARENT_KILLS):
            process = started(run)
            for _ in range(KILLS_BETWEEN):
                if not wait_for_lines(process, run, lines(run) + 1):
                    break
                found = [each for each in family(process) if kind(each)]
                victim = chance.choice(found)
                killed.append(kind(victim))
                with suppress(psutil.NoSuchProcess):
                    victim.kill()
            found = family(process)
            process.send_signal((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)[number % 3])
            process.communicate()
            assert psutil.wait_procs(found, timeout=15)[1] == [], "nothing outlives its parent"
        last = started(run)
        told, _ = last.communicate()
        assert last.returncode == 0, told.decode()
        ended = RunFolder.open(run)
        assert set(killed) <= {"environment", "agent", "browser", "page"}
        assert different(ended, RunFolder.open(tmp_path / "whole")) == []
        assert ended.seal == seal
        assert ended.found() == seal
        assert (run / "shards" / "00000.jsonl").stat().st_size > 0
