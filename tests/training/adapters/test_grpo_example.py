"""The example of GRPO, without a model."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "train_grpo_trl.py"


def test_the_dry_run_pays_the_gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [str(EXAMPLE), "--dry-run", "--split", "messages/clean", "--steps", "3"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    *steps, last = capsys.readouterr().out.splitlines()
    assert len(steps) == 3
    assert any("1.0" in step for step in steps)
    assert last.endswith("over 12 completions")


def test_it_asks_for_a_model_in_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [str(EXAMPLE)])
    with pytest.raises(SystemExit):
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "--dry-run" in capsys.readouterr().err
