"""A log of Inspect AI: its shape, and where Inspect is installed, that it reads it."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from run_cases import lost, remade, trajectories

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.exports.writing import ExportSettings, export
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.trajectory import Phase

INSPECT = ExportSettings("inspect")


@pytest.fixture
def run(frozen: dict[str, RunFolder], tmp_path: Path) -> RunFolder:
    """Of four chains two have a result, one was lost to infrastructure, one to its model; scored."""
    like = frozen["rules+explorer"]
    first, second, third, _ = trajectories(like)
    run = remade(tmp_path / "run", like, [(first, {}), (second, {}), (lost(third), {})])
    log = CallLog(run.path)
    asked = {"phase": Phase.RESTORE, "seconds": 1.0, "attempts": 1, "characters": 9}
    told = CallRecord(**asked, answers=1, usage=Usage(input_tokens=70, output_tokens=7), cost=0.5)  # type: ignore[arg-type]
    log.add(ChainCalls(chain_id=run.manifest.chains[0], calls=(told, told)))
    log.add(ChainCalls(chain_id=run.manifest.chains[3], lost="model_lost", detail="no answer came"))
    score_run(run)
    return run


def log_of(run: RunFolder, path: Path) -> dict[str, Any]:
    export([run], path, INSPECT)
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_the_log_tells_what_was_run_and_what_it_scored(run: RunFolder, tmp_path: Path) -> None:
    log = log_of(run, tmp_path / "log.json")

    outcomes = load_scores(run).outcomes
    assert (log["version"], log["status"]) == (2, "cancelled")
    assert log["eval"]["task"] == "riskchain/mini"
    assert log["eval"]["dataset"]["sample_ids"] == list(run.manifest.chains)
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (4, 2)
    means = {each["name"]: each for each in log["results"]["scores"]}
    right = [o.end_to_end_correct for o in outcomes if o.end_to_end_correct is not None]
    assert means["a_e"]["metrics"]["mean"]["value"] == fmean(right)
    assert (means["a_e"]["scored_samples"], means["a_e"]["unscored_samples"]) == (2, 1)


def test_a_sample_is_an_episode_as_a_chat_with_its_scores(run: RunFolder, tmp_path: Path) -> None:
    log = log_of(run, tmp_path / "log.json")

    outcomes = {outcome.chain_id: outcome for outcome in load_scores(run).outcomes}
    for sample, record in zip(log["samples"][:2], run.records(), strict=False):
        trajectory, outcome = record.trajectory, outcomes[record.trajectory.chain_id]
        answers = [message["content"] for message in sample["messages"] if message["role"] == "assistant"]
        assert (sample["id"], sample["epoch"]) == (trajectory.chain_id, 1)
        assert answers == [step.action for step in trajectory.steps]
        assert sample["scores"]["a_e"]["value"] == outcome.end_to_end_correct
        assert sample["scores"]["a_w"]["value"] == outcome.web_correct
        assert sample["target"] == outcome.label.gold_decision if outcome.label else False
        assert sample["output"]["completion"] == answers[-1]
        assert "error" not in sample
    assert len({m["id"] for sample in log["samples"] for m in sample["messages"]}) == sum(
        len(sample["messages"]) for sample in log["samples"]
    )


def test_what_was_lost_is_an_error_without_a_score(run: RunFolder, tmp_path: Path) -> None:
    samples = log_of(run, tmp_path / "log.json")["samples"]

    assert samples[2]["error"]["message"] == "infra_error: browser_lost"
    assert {"a_e", "a_w", "label_exact"}.isdisjoint(samples[2]["scores"])
    assert samples[3]["id"] == run.manifest.chains[3]
    assert samples[3]["error"]["message"] == "model_lost: no answer came"
    assert "scores" not in samples[3]


def test_usage_is_there_where_it_is_known(run: RunFolder, tmp_path: Path) -> None:
    first, second, *_ = log_of(run, tmp_path / "log.json")["samples"]

    (usage,) = first["model_usage"].values()
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (140, 14, 154)
    assert usage["total_cost"] == 1.0
    assert "model_usage" not in second


def test_the_same_run_gives_the_same_log_and_one_log_holds_one_run(run: RunFolder, tmp_path: Path) -> None:
    export([run], tmp_path / "one.json", INSPECT)
    export([run], tmp_path / "two.json", INSPECT)

    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    with pytest.raises(ConfigError, match="holds one run, got 2"):
        export([run, run], tmp_path / "both.json", INSPECT)
    with pytest.raises(ConfigError, match=r"ending \.json"):
        export([run], tmp_path / "log.jsonl", INSPECT)


def test_a_log_with_samples_in_error_is_in_error(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    run = remade(tmp_path / "run", like, [(lost(t) if i else t, {}) for i, t in enumerate(trajectories(like))])

    log = log_of(run, tmp_path / "log.json")

    assert log["status"] == "error"
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (4, 1)


def test_a_run_without_scores_has_none_in_its_log(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    run = remade(tmp_path / "run", like, [(t, {}) for t in trajectories(like)])

    log = log_of(run, tmp_path / "log.json")

    assert log["status"] == "success"
    assert log["results"]["scores"] == []
    assert not any("scores" in sample for sample in log["samples"])


def test_inspect_reads_it(run: RunFolder, tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log")
    export([run], tmp_path / "log.json", INSPECT)

    log = log_module.read_eval_log(str(tmp_path / "log.json"))
    head = log_module.read_eval_log(str(tmp_path / "log.json"), header_only=True)

    assert [sample.id for sample in log.samples] == list(run.manifest.chains)
    assert log.samples[0].scores["a_e"].value in (0, 1)
    assert log.samples[2].error.message == "infra_error: browser_lost"
    assert head.results.scores[0].metrics["mean"].value == log.results.scores[0].metrics["mean"].value
    assert log.samples[0].messages[1].text.startswith("Restore this message.")
