"""`riskchain export`: what goes with what, what is said, and what is refused."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from cli_runner import refused, run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("noop", "oracle"):
        done = run("run", "--agent", agent, "--backend", "text", "--chains", "2", "--out", folder / agent)
        assert done.exit_code == 0, done.output
    return folder


def test_chats_pairs_and_tables_are_written_and_counted(runs: Path, tmp_path: Path) -> None:
    chat, pairs, table = tmp_path / "chat.jsonl", tmp_path / "pairs.jsonl", tmp_path / "runs.csv"

    said = [
        run("export", runs, "--format", "chat", "--only", "reported", "--out", chat),
        run("export", runs, "--format", "dpo", "--by", "call", "--rule", "gate", "--out", pairs),
        run("export", runs, "--format", "csv", "--out", table),
    ]

    assert [each.exit_code for each in said] == [0, 0, 0]
    assert "'oracle' was given the gold" in said[0].stderr
    assert f"4 rows: {table}" in said[2].stderr
    assert len(table.read_text().splitlines()) == 5
    assert json.loads(chat.read_text().splitlines()[0])["messages"][0]["role"] == "system"
    assert f"{len(pairs.read_text().splitlines())} pairs" in said[1].stderr


def test_web_outcomes_of_one_agent_are_written(runs: Path, tmp_path: Path) -> None:
    to = tmp_path / "w.jsonl"

    done = run("export", runs / "oracle", "--format", "web-outcomes", "--out", to)

    assert done.exit_code == 0, done.output
    assert f"2 rows: {to}" in done.stderr
    assert [json.loads(line)["w_hat"] for line in to.read_text().splitlines()] == [1, 1]
    assert "of several ('noop', 'oracle')" in refused(2, "export", runs, "--format", "web-outcomes", "--out", to)
    assert "--only belongs to chat" in refused(
        2, "export", runs, "--format", "web-outcomes", "--only", "all", "--out", to
    )


def test_an_option_of_another_format_is_refused(runs: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.json"

    assert "--steps belongs to parquet and csv" in refused(
        2, "export", runs, "--format", "chat", "--steps", "--out", to
    )
    assert "--rule belongs to dpo" in refused(2, "export", runs, "--format", "csv", "--rule", "web", "--out", to)
    assert "holds one run, got 2" in refused(2, "export", runs, "--format", "inspect", "--out", to)
    assert not to.exists()


def test_a_run_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    said = refused(2, "export", tmp_path / "nowhere", "--format", "csv", "--out", tmp_path / "out.csv")

    assert "is not there: give a run folder" in said


def test_nothing_is_written_into_a_run_folder(runs: Path, tmp_path: Path) -> None:
    frozen = {path: path.read_bytes() for path in sorted(runs.rglob("*")) if path.is_file()}
    (tmp_path / "link").symlink_to(runs / "noop" / "shards")
    inside = (runs / "noop" / "run.json", runs / "noop" / "shards" / "00000.jsonl", tmp_path / "link" / "00000.jsonl")
    for to in (*inside, runs / "noop" / "new" / "runs.csv"):
        assert "which is a run folder, whose files are frozen" in refused(
            2, "export", runs, "--format", "csv", "--out", to
        )
    for command in ("report", "leaderboard"):
        assert "is a run folder" in refused(2, command, runs, "--out", runs / "noop" / "new")
        assert "is a run folder" in refused(2, command, runs, "--out", runs / "noop")
    assert {path: path.read_bytes() for path in sorted(runs.rglob("*")) if path.is_file()} == frozen


def test_a_full_disk_names_the_file(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = refused(4, "export", runs, "--format", "csv", "--out", tmp_path / "runs.csv")
    assert f"Cannot write '{tmp_path / 'runs.csv'}' (No space left on device): make room" in said
    assert list(tmp_path.iterdir()) == []
