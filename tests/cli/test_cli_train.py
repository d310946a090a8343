"""``riskchain train``: what it refuses, and one short run from end to end."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.training.rllib.restorer import CLONED, START
from riskchain_gym.training.rllib.run import SETTINGS
from riskchain_gym.training.rllib.settings import make_settings


def test_without_the_extra_it_is_one_sentence_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.rllib", None)
    said = refused(3, "train", "restorer", "--out", tmp_path / "run")
    assert "pip install 'riskchain-gym[rllib]'" in said
    assert not (tmp_path / "run").exists()


def test_an_unknown_task_is_refused(tmp_path: Path) -> None:
    said = refused(2, "train", "nobody", "--out", tmp_path / "run")
    assert said == "There is no task 'nobody' to train: give one of restorer, investigator, chain."


def test_options_of_another_task_are_refused(tmp_path: Path) -> None:
    said = refused(2, "train", "investigator", "--interface", "edit", "--out", tmp_path / "run")
    assert said == "--interface is how a restorer acts: leave it out for task 'investigator'."
    said = refused(2, "train", "chain", "--clone", "--out", tmp_path / "run")
    assert said == "--clone is for the tasks restorer and investigator: leave it out for 'chain'."


@pytest.mark.parametrize("more", [(), ("--resume", "--seed", "1")])
def test_a_clone_is_not_made_over_that_of_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.setattr("riskchain_gym.training.rllib.run.check_installed", lambda: None)  # nothing is trained
    settings = make_settings({"task": "restorer", "initial": str(tmp_path / START)})
    held = {SETTINGS: settings.model_dump_json().encode(), START: b"weights", CLONED: b"{}"}
    for name, content in held.items():
        (tmp_path / name).write_bytes(content)
    said = refused(2, "train", "restorer", "--clone", "--out", tmp_path, *more)
    assert "begun with other settings" in said if more else "holds a training run" in said
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == held


@pytest.mark.rllib
def test_a_short_run_ends_with_a_table_and_goes_on_from_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("ray.rllib")
    arguments = [
        *("train", "restorer", "--out", tmp_path / "run", "--set", "batch=128", "--set", "minibatch=64"),
        *("--set", "hidden=[16]", "--set", "env.pool=256", "--set", "evaluate_chains=8"),
        *("--set", "num_envs_per_env_runner=8"),
    ]
    shown = run(*arguments, "--steps", "128")
    assert shown.exit_code == 0, shown.output
    for split in ("dev", "hard", "ood"):
        assert split in shown.stdout
    assert "curves.jsonl" in shown.stderr
    assert "evaluation.json" in shown.stderr
    more = run(*arguments, "--steps", "256", "--resume", "--json")
    found = json.loads(more.stdout)
    assert found["splits"]["dev"]["chains"] == 8
    rows = [json.loads(line) for line in (tmp_path / "run" / "curves.jsonl").read_text().splitlines()]
    assert [row["env_steps"] for row in rows] == [128, 256]
    assert refused(2, *arguments, "--steps", "256").startswith(f"{tmp_path / 'run'} holds a training run")
