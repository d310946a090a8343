"""Runs that are shown together can be told apart by what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cases import lost, remade, trajectories

from riskchain_gym.evaluation.compare import compare_runs
from riskchain_gym.evaluation.naming import folder_names, run_names
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError


def made(frozen: dict[str, RunFolder], path: Path, agent: str, *models: str) -> RunFolder:
    config = {"models": [{"model": model} for model in models]}
    return remade(path, frozen["noop"], [], agent=agent, agent_config=config)


def test_agents_that_differ_are_names_enough(frozen: dict[str, RunFolder]) -> None:
    assert run_names(list(frozen.values())) == list(frozen)


def test_runs_of_one_agent_are_called_by_their_models(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    asked = [made(frozen, tmp_path / name, "llm", *name.split("-")) for name in ("alpha", "beta", "alpha-beta")]
    names = ["llm · alpha", "llm · beta", "llm · alpha + beta", "noop"]
    assert run_names([*asked, frozen["noop"]]) == names


def test_runs_of_one_model_are_called_by_their_folders(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    asked = [made(frozen, tmp_path / name, "llm", "alpha") for name in ("first", "more/llm", "again/llm")]
    other = made(frozen, tmp_path / "beta", "llm", "beta")
    names = ["llm · alpha · first", "llm · alpha · more/llm", "llm · alpha · again/llm", "llm · beta"]
    assert run_names([*asked, other]) == names
    assert folder_names([*asked, other]) == ["first", "more/llm", "again/llm", "beta"]
    assert run_names(asked[:1] * 2) == ["llm · alpha · first #1", "llm · alpha · first #2"]


def test_a_comparison_says_which_run_is_which(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    records = [(record.trajectory, {}) for record in frozen["noop"].records()]
    found = compare_runs(frozen["noop"], remade(tmp_path / "other", frozen["noop"], records))
    assert (found.first, found.second) == ("noop · noop", "noop · other")


def test_runs_without_a_figure_in_common_are_no_comparison(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    gone = remade(tmp_path / "gone", frozen["noop"], [(lost(t), {}) for t in trajectories(frozen["noop"])])
    for runs in ((frozen["noop"], gone), (gone, frozen["noop"])):
        with pytest.raises(ConfigError, match=r"no figure in common \(every episode of .*gone was lost"):
            compare_runs(*runs)
