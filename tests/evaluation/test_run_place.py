"""Where a run is written: one folder, wherever an agent goes, and nothing beside it once it is gone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from odd_agents import CHAINS, PROCESSES

from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.store import SEAL, SHARD
from riskchain_gym.evaluation.writing import UnwrittenError

TWO = replace(PROCESSES, isolation="none", workers=1, chains=CHAINS[:2])


def removed(path: Path) -> None:
    shutil.rmtree(path)


def moved(path: Path) -> None:
    path.rename(path.with_name("moved"))


def replaced(path: Path) -> None:
    moved(path)
    shutil.copytree(path.with_name("moved"), path)


@pytest.mark.parametrize("happens", [removed, moved, replaced])
@pytest.mark.parametrize("after", [1, 2])
def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path, happens: Callable[[Path], None], after: int) -> None:
    path = tmp_path / "run"

    def disturb(_: str, done: int) -> None:
        if done == after:
            happens(path)

    with pytest.raises(UnwrittenError, match="removed or moved while the run was at work"):
        run_agent("noop", path, TWO, disturb)
    assert path.exists() == (happens is replaced)


def test_episodes_that_vanish_are_no_success(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with pytest.raises(UnwrittenError, match="not there any more"):
        run_agent("noop", path, TWO, lambda _, done: (path / SHARD).unlink() if done == 1 else None)
    assert run_agent("noop", path, TWO).seal is not None


@pytest.mark.parametrize("damage", ["", '{"x', "{}"])
def test_a_damaged_seal_is_made_anew(tmp_path: Path, damage: str) -> None:
    run = run_agent("noop", tmp_path / "run", replace(TWO, chains=CHAINS[:1]))
    seal = (run.path / SEAL).read_bytes()
    (run.path / SEAL).write_text(damage)
    run_agent("noop", run.path, replace(TWO, chains=CHAINS[:1]))
    assert (run.path / SEAL).read_bytes() == seal


def test_a_run_stays_where_it_was_begun_wherever_its_agent_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    run = run_agent("noop", Path("run"), TWO, lambda *_: os.chdir(tmp_path / "elsewhere"))
    assert run.path == tmp_path / "run"
    assert run.seal is not None
    assert list((tmp_path / "elsewhere").iterdir()) == []
