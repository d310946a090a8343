"""The score table at any width: numbers whole, long names and statuses folded, nothing lost in a pipe."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import run
from rich.console import Console

from riskchain_gym.console import fill, make_console, print_scores, say
from riskchain_gym.evaluation.score import load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.table import LEGEND, Row, cells

LONG = "a-restorer-with-a-very-long-name.v2+an-investigator-with-an-even-longer-name.v11"
STATUSES = {"reported": 1201, "missing_report": 1130, "bottom": 1011, "infra_error": 1007}


@pytest.fixture
def row(here: Path) -> Row:
    assert run("demo", "--backend", "text", "--chains", "1", "--agent", "oracle", "--out", "out").exit_code == 0
    folder = RunFolder.open(here / "out" / "oracle")
    return folder.manifest, load_scores(folder)


def with_long_words(row: Row) -> Row:
    manifest, scores = row
    summary = scores.summary.model_copy(update={"statuses": STATUSES})
    return manifest.model_copy(update={"agent": LONG}), scores.model_copy(update={"summary": summary})


def printed(rows: list[Row], width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_scores(console, rows)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 500])
def test_numbers_are_whole_and_long_words_fold(row: Row, width: int) -> None:
    text = printed([row, with_long_words(row)], width)
    assert "…" not in text
    table = text.partition(f"\n{LONG}: ")[0]
    first = next(line for line in table.splitlines() if line.startswith(LONG[:3]))
    for cell in cells(row[1].summary):
        assert cell in first.split()
    squeezed = re.sub(r"\s", "", table)
    for count in STATUSES.values():
        assert str(count) in squeezed
    if width >= 80:
        assert max(map(len, table.splitlines())) <= width


def test_the_whole_name_is_there_when_folded(row: Row) -> None:
    lines = printed([with_long_words(row)], 80).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("a-"))
    parts = [line.split()[0] for line in lines[start:] if re.match(r"\S", line)]
    assert "".join(parts).startswith(LONG)


def test_the_legend_breaks_between_phrases_only() -> None:
    lines = fill(LEGEND, 80).splitlines()
    assert " ".join(lines) == LEGEND
    assert all(len(line) <= 80 for line in lines)
    assert all(line[-1] in ",;." for line in lines)
    assert fill("one long phrase, two", 4) == "one long phrase,\ntwo"
    assert len(fill(LEGEND, 500).splitlines()) == LEGEND.count(".")


def test_a_pipe_gets_a_wide_console_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert make_console().width > 200
    monkeypatch.setenv("COLUMNS", "77")
    assert make_console().width == 77


def test_a_demo_in_a_pipe_cuts_nothing(here: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    (here / f"{LONG}.toml").write_text(f'name = "{LONG}"\nrestorer = "rules"\ninvestigator = "explorer"\n')
    command = [sys.executable, "-m", "riskchain_gym", "demo", "--backend", "text", "--chains", "1"]
    command += ["--agent", f"{LONG}.toml", "--agent", "oracle"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert re.search(rf"^{re.escape(LONG)} +\d+\.\d", ended.stdout, re.MULTILINE)
    assert "…" not in ended.stdout


def test_no_name_acts_on_the_terminal(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    console = make_console()
    monkeypatch.setattr(console, "file", io.StringIO())
    acting = "a\x1b[31m\x00\u202eb"
    manifest, scores = row
    incomplete = scores.model_copy(update={"planned": scores.planned + 1})
    print_scores(console, [(manifest.model_copy(update={"agent": acting, "split": acting}), incomplete)])
    say(console, acting)
    say(console, "\u202eas it is", raw=True)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert shown.count("a⟨001B⟩[31m⟨0000⟩⟨202E⟩b") == 5
    assert not set("\x1b\x00") & set(shown)
    assert shown.endswith("\u202eas it is\n")
