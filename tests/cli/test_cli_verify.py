"""`riskchain runs`: proves that folders are whole, says what is not, and lists what there is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.evaluation.store import SHARD


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("noop", "copy+landing_only"):
        arguments = ("--backend", "text", "--chains", "2", "--out", folder / agent)
        assert run("run", "--agent", agent, *arguments).exit_code == 0
    return folder


def test_whole_runs_end_with_0_and_say_what_was_not_checked(runs: Path) -> None:
    done = run("runs", "verify", runs, "--rescore")

    assert done.exit_code == 0, done.output
    assert done.stdout.count(": whole") == 2
    assert "not checked: no model was asked" in done.stdout
    assert "byte for byte what scoring gives" in done.stdout


def test_a_damaged_run_ends_with_1_and_names_file_place_and_remedy(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "noop", tmp_path / "run")
    shard = tmp_path / "run" / SHARD
    shard.write_bytes(shard.read_bytes().replace(b'"feedback":"', b'"feedback":"!', 1))

    done = run("runs", "verify", tmp_path / "run")
    found = json.loads(run("runs", "verify", tmp_path / "run", "--json").stdout)

    assert done.exit_code == 1
    assert "shards/00000.jsonl: line 1: breaks the chain of hashes" in done.stdout
    assert "Put the folder back from a copy" in done.stdout
    assert found[0]["intact"] is False
    assert {"file", "place", "what", "remedy"} == found[0]["checks"][2]["problems"][0].keys()


def test_runs_are_listed_with_how_far_they_are(runs: Path) -> None:
    rows = json.loads(run("runs", "list", runs, "--json").stdout)

    assert [(row["agent"], row["done"], row["planned"]) for row in rows] == [
        ("copy+landing_only", 2, 2),
        ("noop", 2, 2),
    ]
    assert all(row["scored"] and row["frozen"] and (row["split"], row["gold"]) == ("mini", "open") for row in rows)
    shown = run("runs", "list", runs).stdout
    assert all(word in shown for word in ("2/2", "Gold", "Frozen"))


def test_where_there_is_no_run_the_command_says_so(tmp_path: Path) -> None:
    assert "holds no run" in refused(2, "runs", "verify", tmp_path)
    assert "holds no run" in refused(2, "runs", "list", tmp_path)
    assert "is not there" in refused(2, "runs", "list", tmp_path / "nosuch")
