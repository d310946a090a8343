"""Runs are frozen without gold, scored offline to the same bytes, and never half written or overwritten."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from riskchain_gym.evaluation.run import RunSettings, run_agents
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import SCORES, SHARD, RunFolder, find_runs
from riskchain_gym.evaluation.table import COLUMNS, cells
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownChainError


def test_the_oracle_is_perfect_and_doing_nothing_scores_nothing(frozen: dict[str, RunFolder]) -> None:
    oracle, noop = (load_scores(frozen[name]).summary for name in ("oracle", "noop"))
    assert (oracle.web_accuracy, oracle.end_to_end_accuracy, oracle.gate_loss, oracle.exact_match) == (1, 1, 0, 1)
    assert (oracle.citation_f1, oracle.message_exact, oracle.cer) == (1, 1, 0)
    assert (noop.web_accuracy, noop.end_to_end_accuracy, noop.entry_top1) == (0, 0, 0)
    assert noop.statuses == {"missing_report": noop.chains}


def test_scoring_again_gives_the_same_bytes(frozen: dict[str, RunFolder]) -> None:
    run = frozen["rules+explorer"]
    before = (run.path / SCORES).read_bytes()
    score_run(RunFolder.open(run.path))
    assert (run.path / SCORES).read_bytes() == before


def test_running_again_freezes_the_same_trajectories(
    frozen: dict[str, RunFolder], some_chains: tuple[str, ...], tmp_path: Path
) -> None:
    settings = RunSettings(backend="text", observe=(), workers=1, chains=some_chains)
    (again,) = run_agents(["rules+explorer"], tmp_path / "again", settings)
    first = [r.hash for r in frozen["rules+explorer"].records()]
    assert [r.hash for r in again.records()] == first
    assert again.manifest.identity == frozen["rules+explorer"].manifest.identity


def test_no_gold_is_in_a_frozen_run(frozen: dict[str, RunFolder]) -> None:
    run = frozen["rules+explorer"]
    stored = (run.path / "run.json").read_text() + (run.path / SHARD).read_text()
    assert "archetype" not in stored
    assert "gold_decision" not in stored


@pytest.mark.parametrize("damage", ["changed", "cut", "swapped"])
def test_a_damaged_shard_is_named_by_its_line(frozen: dict[str, RunFolder], tmp_path: Path, damage: str) -> None:
    path = tmp_path / "run"
    shutil.copytree(frozen["noop"].path, path)
    lines = (path / SHARD).read_bytes().splitlines(keepends=True)
    if damage == "changed":
        lines[1] = lines[1].replace(b'"seconds"', b'"second"')
    elif damage == "cut":
        lines[1] = lines[1][: len(lines[1]) // 2] + b"\n"
    else:
        lines[1], lines[2] = lines[2], lines[1]
    (path / SHARD).write_bytes(b"".join(lines))
    with pytest.raises(InputFileError, match=r"00000\.jsonl: line 2"):
        score_run(RunFolder.open(path))


def test_a_run_folder_is_never_overwritten(frozen: dict[str, RunFolder], some_chains: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="not empty"):
        run_agents(["noop"], frozen["noop"].path.parent, RunSettings(backend="text", observe=(), chains=some_chains))


def test_bad_names_and_folders_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UnknownChainError, match="mini"):
        run_agents(["noop"], tmp_path / "a", RunSettings(split="minni", backend="text", observe=()))
    with pytest.raises(UnknownChainError, match="orcle"):
        run_agents(["orcle"], tmp_path / "b", RunSettings(backend="text", observe=()))
    with pytest.raises(InputFileError, match="holds no run"):
        find_runs(tmp_path)
    (tmp_path / "run.json").write_text('{"agent": 3}')
    with pytest.raises(InputFileError, match=r"run\.json: "):
        RunFolder.open(tmp_path)


def test_scores_of_another_run_are_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(frozen["noop"].path, path)
    shutil.copy(frozen["oracle"].path / SCORES, path / SCORES)
    with pytest.raises(InputFileError, match="another run"):
        load_scores(RunFolder.open(path))


def test_an_unknown_figure_is_a_dash_and_never_a_zero(frozen: dict[str, RunFolder]) -> None:
    summary = load_scores(frozen["oracle"]).summary
    shown = dict(zip((c.key for c in COLUMNS), cells(summary.model_copy(update={"citation_f1": None})), strict=True))
    assert shown["citation_f1"] == "–"
    assert shown["web_accuracy"] == "100.0"


def test_scores_are_plain_json(frozen: dict[str, RunFolder]) -> None:
    data = json.loads(frozen["oracle"].scores())
    assert len(data["outcomes"]) == data["summary"]["chains"] == 4
