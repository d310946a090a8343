"""Scoring files in the published formats from the command line."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_runner import refused, run, write_rows
from rich.console import Console

from riskchain_gym import cli_official
from riskchain_gym.messages.rows import row_sha256
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring import official
from riskchain_gym.scoring.official import score_task2

ENTRY = "fixture.example.test"
NAMES = ("Model A", "Qwen3-VL-235B-A22B-Instruct-long-name")


def evaluator(sample_id: str) -> dict[str, Any]:
    row = {
        "schema_version": "obfuscated-session-generation/v0.2",
        "sample_id": sample_id,
        "platform": "qq",
        "intent": "OPEN_SITE",
        "source_session": {"messages": [{"message_id": "m001", "transform": True}]},
        "gold_reconstruction": {"entry_value": ENTRY, "messages": [{"message_id": "m001", "text": "hello"}]},
    }
    return row | {"record_sha256": row_sha256(row, "record_sha256")}


def prediction(sample_id: str, entry: str = ENTRY) -> dict[str, Any]:
    return {
        "schema_version": "obfuscated-reconstruction-prediction/v0.1",
        "sample_id": sample_id,
        "model_id": "model-a",
        "run_id": "run-1",
        "input_view": "TOKEN_TEXT",
        "reconstructed_messages": [{"message_id": "m001", "text": "hello"}],
        "intent": "OPEN_SITE",
        "platform": "qq",
        "entry_candidates": [{"rank": 1, "value": entry, "confidence": 0.9}],
        "abstain": False,
        "uncertainties": [],
    }


def website(ordinal: int, decision: str, kind: str, *, right: bool = True, gate: bool = True) -> dict[str, Any]:
    return {
        "ordinal": ordinal,
        "model": "model-a",
        "display_model": "Model A",
        "gold_decision": decision,
        "gold_type": kind,
        "web_pred_decision": decision if right else "__BOTTOM__",
        "web_pred_type": kind if right else "__BOTTOM__",
        "gate_pass": gate,
    }


PAIRED = [
    *(website(n, "VIOLATION", f"synthetic-type-{n}", right=n != 1, gate=n != 0) for n in range(6)),
    website(6, "NON_VIOLATION", "NONE"),
    website(7, "INSUFFICIENT_EVIDENCE", "NONE"),
]


@pytest.fixture
def task1(here: Path) -> list[str]:
    """The arguments that score two samples, the entry of one of them wrong."""
    names = ("synthetic-0--v000", "synthetic-1--v000")
    write_rows(here / "gold.jsonl", *map(evaluator, names))
    write_rows(here / "said.jsonl", prediction(names[0]), prediction(names[1], "incorrect.example.test"))
    return ["official", "score-task1", "--evaluator", "gold.jsonl", "--predictions", "said.jsonl", "--replicates", "30"]


@pytest.fixture
def task2(here: Path) -> list[str]:
    """The arguments that score eight websites of one model."""
    write_rows(here / "paired.jsonl", *PAIRED)
    return ["official", "score-task2", "--paired", "paired.jsonl", "--replicates", "30"]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_task1_is_scored(task1: list[str], here: Path) -> None:
    """T002."""
    shown = run(*task1, "--seed", "7", "--output", "out.json")

    assert shown.exit_code == 0, shown.output
    result = json.loads((here / "out.json").read_text(encoding="utf-8"))
    assert result["aggregate"]["entry_top1_exact_rate"] == 0.5
    assert result["historical_reproduction_claim"] is False
    assert (result["model_calls"], result["base_seed"], result["bootstrap_replicates"]) == (0, 7, 30)
    assert "cases" not in result
    assert result["input_sha256"] == sha256(here / "gold.jsonl")
    assert result["predictions_sha256"] == sha256(here / "said.jsonl")
    assert "Entry Top-1" in shown.stdout
    assert "[0.0, 100.0]" in shown.stdout
    assert "30 bootstrap samples of 2 sessions, seed 7." in shown.stdout


def test_task2_is_scored_and_the_controls_are_shown(task2: list[str], here: Path) -> None:
    """T003."""
    shown = run(*task2, "--seed", "7", "--output", "out.json")

    assert shown.exit_code == 0, shown.output
    result = json.loads((here / "out.json").read_text(encoding="utf-8"))
    model = result["models"]["Model A"]
    assert (model["seed"], model["website_count"], len(result["type_labels"])) == (7, 8, 6)
    assert model["point"]["web_decision_accuracy"] == 0.875
    assert model["point"]["gated_decision_accuracy"] == 0.75
    assert model["point"]["gate_loss"] == 0.125
    assert (result["historical_reproduction_claim"], result["model_calls"]) == (False, 0)
    assert result["input_sha256"] == sha256(here / "paired.jsonl")
    for name in ("Model A", "always VIOLATION", "always NON_VIOLATION", "oracle", "type, synthetic-type-0."):
        assert name in shown.stdout
    assert "30 bootstrap samples of 8 websites, seed 7," in shown.stdout
    assert "read as UNKNOWN: 1" in shown.stdout


def test_no_figure_is_cut_in_a_narrow_terminal(task2: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = run(*task2, "--seed", "7", "--output", "out.json").stdout

    for figure in ("96.97", "[55.6, 100.0]", "[33.3, 66.7]", "[50.0, 100.0]", "12.50", "[0.0, 25.0]"):
        assert figure in shown


def test_the_tables_fit_eighty_columns_and_break_names_between_words(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_official, "out", Console(width=80))
    kinds = ("GAMBLING_BETTING_PROMOTION", "PORNOGRAPHY_SEXUAL_SERVICE_PROMOTION")
    rows = [website(n, "VIOLATION", kinds[n % 2]) | {"model": model} for n in range(4) for model in NAMES]
    write_rows(here / "paired.jsonl", *(row | {"display_model": row["model"]} for row in rows))
    shown = run("official", "score-task2", "--paired", "paired.jsonl", "--seed", "7", "--output", "out.json").stdout

    assert max(map(len, shown.splitlines())) <= 80
    for name in ("Qwen3-VL-235B-A22B-", "Instruct-long-name", "always INSUFFICIENT ", f"type, {kinds[0]}."):
        assert name in shown


def test_that_no_message_is_scored_is_said(task1: list[str], here: Path) -> None:
    row = evaluator("synthetic-0--v000") | {
        "source_session": {"messages": [{"message_id": "m001", "transform": False}]}
    }
    write_rows(here / "gold.jsonl", row | {"record_sha256": row_sha256(row, "record_sha256")})
    write_rows(here / "said.jsonl", prediction("synthetic-0--v000"))
    shown = run(*task1, "--seed", "7", "--output", "out.json").stdout

    exact = next(line for line in shown.splitlines() if line.startswith("Messages exact, by case"))
    assert exact.split()[-2:] == ["–", "–"]
    assert "No message is scored" in shown
    assert "1 session, seed 7." in shown
    assert "they have no width" in shown


@pytest.mark.parametrize("task", ["task1", "task2"])
def test_a_repetition_gives_the_same_bytes(task: str, here: Path, request: pytest.FixtureRequest) -> None:
    """T004 and T005."""
    arguments = request.getfixturevalue(task)
    first = run(*arguments, "--seed", "7", "--output", "a.json", "--json")
    second = run(*arguments, "--seed", "7", "--output", "b.json", "--json")

    assert (here / "a.json").read_bytes() == (here / "b.json").read_bytes()
    assert first.stdout == second.stdout
    assert json.loads(first.stdout) == json.loads((here / "a.json").read_text(encoding="utf-8"))
    other = run(*arguments, "--seed", "8", "--output", "c.json")
    assert other.exit_code == 0
    assert (here / "c.json").read_bytes() != (here / "a.json").read_bytes()


@pytest.mark.parametrize("task", ["task1", "task2"])
def test_an_existing_output_is_left_alone(task: str, here: Path, request: pytest.FixtureRequest) -> None:
    """T006."""
    (here / "out.json").write_text("mine", encoding="utf-8")

    said = refused(2, *request.getfixturevalue(task), "--seed", "7", "--output", "out.json")

    assert said.startswith("out.json: is there already")
    assert (here / "out.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("task", ["task1", "task2"])
@pytest.mark.parametrize("extra", [[], ["--seed", "7", "--replicates", "0"], ["--seed", "x"]])
def test_a_seed_and_replicates_are_needed(
    task: str, extra: list[str], here: Path, request: pytest.FixtureRequest
) -> None:
    """T009, T010 and T023."""
    ended = run(*request.getfixturevalue(task), *extra, "--output", "out.json")

    assert ended.exit_code == 2
    assert not (here / "out.json").exists()


def test_a_missing_prediction_is_refused_unless_it_is_allowed(task1: list[str], here: Path) -> None:
    write_rows(here / "said.jsonl", prediction("synthetic-0--v000"))

    said = refused(2, *task1, "--seed", "7", "--output", "out.json")
    assert said.startswith("said.jsonl: sample_id: 1 of 2 samples have none")
    assert "--allow-missing" in said
    assert not (here / "out.json").exists()

    allowed = run(*task1, "--seed", "7", "--output", "out.json", "--allow-missing")
    assert "Samples without a prediction: 1" in allowed.stdout
    result = json.loads((here / "out.json").read_text(encoding="utf-8"))
    assert result["missing_prediction_count"] == 1


def test_a_wrong_row_is_named_with_its_file(task1: list[str], task2: list[str], here: Path) -> None:
    write_rows(here / "gold.jsonl", evaluator("synthetic-0--v000"), {**evaluator("synthetic-1--v000"), "intent": "X"})
    assert refused(2, *task1, "--seed", "7", "--output", "out.json").startswith("gold.jsonl: row 2: intent: ")

    write_rows(here / "paired.jsonl", *PAIRED, {**PAIRED[0], "gate_pass": "true", "ordinal": 9})
    assert refused(2, *task2, "--seed", "7", "--output", "out.json").startswith("paired.jsonl: row 9: gate_pass: ")

    write_rows(here / "paired.jsonl", *PAIRED, PAIRED[0])
    assert "duplicate website ordinal 0" in refused(2, *task2, "--seed", "7", "--output", "out.json")
    assert not (here / "out.json").exists()


def test_a_pipe_is_refused_as_its_hash_could_not_be_told(task1: list[str], task2: list[str], here: Path) -> None:
    os.mkfifo(here / "pipe")
    piped = [argument.replace("paired.jsonl", "pipe") for argument in task2]
    assert refused(2, *piped, "--seed", "7", "--output", "out.json").startswith("pipe: is a pipe")
    piped = [argument.replace("said.jsonl", "pipe") for argument in task1]
    assert refused(2, *piped, "--seed", "7", "--output", "out.json").startswith("pipe: is a pipe")
    assert not (here / "out.json").exists()


def test_an_output_that_appears_in_the_meantime_is_left_alone(
    task2: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scored_by_two(*arguments: Any, **settings: Any) -> dict[str, Any]:
        (here / "out.json").write_text("of the other", encoding="utf-8")
        return score_task2(*arguments, **settings)

    monkeypatch.setattr(official, "score_task2", scored_by_two)
    assert refused(2, *task2, "--seed", "7", "--output", "out.json").startswith("out.json: is there already")
    assert (here / "out.json").read_text(encoding="utf-8") == "of the other"


def test_half_a_surrogate_pair_in_a_name_is_written_as_json_escapes_it(task1: list[str], here: Path) -> None:
    lines = (here / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    row = {**json.loads(lines[0]), "obfuscation_types": ["\ud800"]}
    row["record_sha256"] = row_sha256(row, "record_sha256")
    write_rows(here / "gold.jsonl", json.dumps(row), lines[1])
    assert run(*task1, "--seed", "7", "--output", "out.json").exit_code == 0
    result = json.loads((here / "out.json").read_text(encoding="utf-8"))
    assert list(result["by_obfuscation_type"]) == ["\ud800"]


def test_a_value_over_two_lines_stays_on_the_line_of_the_error(task2: list[str], here: Path) -> None:
    write_rows(here / "paired.jsonl", {**PAIRED[0], "gated_pred_type": "a\nb", "gated_pred_decision": "VIOLATION"})
    assert "'a\\nb'" in refused(2, *task2, "--seed", "7", "--output", "out.json")


def test_more_replicates_than_memory_can_hold_are_refused(task2: list[str], here: Path) -> None:
    ended = run(*task2, "--seed", "7", "--replicates", "100000000000", "--output", "out.json")
    assert (ended.exit_code, "100000" in ended.stderr) == (2, True)
    with pytest.raises(ConfigError, match="1 to 100000"):
        score_task2(PAIRED, replicates=100_001)
