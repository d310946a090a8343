"""``riskchain leaderboard``: what it prints, what it writes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boards") / "runs"
    given = ("--split", "mini", "--chains", "2", "--backend", "text", "--out")
    assert run("run", "--agent", "always_violation", *given, folder / "violation").exit_code == 0
    assert run("run", "--agent", "copy+landing_only", *given, folder / "landing").exit_code == 0
    return folder


def test_it_prints_a_table_and_writes_a_board(runs: Path, tmp_path: Path) -> None:
    result = run("leaderboard", runs, "--out", tmp_path / "board", "--published")
    assert result.exit_code == 0, result.output
    assert "open gold, not ranked" in result.stdout
    assert "copy+landing_only°" in result.stdout
    assert "always NON_VIOLATION°†" in result.stdout
    assert str((tmp_path / "board" / "index.html").resolve()) in result.stderr
    board = json.loads((tmp_path / "board" / "leaderboard.json").read_text(encoding="utf-8"))
    assert board["schema_version"] == "riskchain-leaderboard/v1"
    assert len(board["published"]["models"]) == 10


def test_json_is_the_board(runs: Path, tmp_path: Path) -> None:
    result = run("leaderboard", runs, "--out", tmp_path / "board", "--json", "--baseline", "always_violation")
    assert json.loads(result.stdout) == json.loads(
        (tmp_path / "board" / "leaderboard.json").read_text(encoding="utf-8")
    )
    assert (tmp_path / "board" / "tables" / "mini-against-baseline.csv").exists()


def test_what_cannot_be_used_is_one_sentence(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear", encoding="utf-8")
    assert "something else than a leaderboard" in refused(2, "leaderboard", runs, "--out", tmp_path / "full")
    assert "is not there" in refused(2, "leaderboard", tmp_path / "nowhere", "--out", tmp_path / "board")
    assert "did you mean" in refused(2, "leaderboard", runs, "--out", tmp_path / "b", "--baseline", "always_violatio")
    assert "check the path" in refused(2, "leaderboard", runs, "--out", tmp_path / "b", "--cards", tmp_path / "no.toml")
    assert not (tmp_path / "b").exists()


def test_without_matplotlib_it_says_what_to_install(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert "riskchain-gym[report]" in refused(3, "leaderboard", runs, "--out", tmp_path / "board")
