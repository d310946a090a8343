"""``riskchain labels agreement`` and ``riskchain labels simulate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.scoring.label_figures import LabelAgreement


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels") / "project"
    result = run("labels", "simulate", "--sites", "mini", "--seed", "2", "--accuracy", "0.8", "--out", folder)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "no person has answered" in result.stderr
    return folder


def test_agreement_is_a_sentence_a_table_and_cautions(project: Path) -> None:
    result = run("labels", "agreement", project)
    assert result.exit_code == 0
    assert result.stdout.startswith("Two independent passes of 24 sites agree on the decision in ")
    assert "Decision and main type, α" in result.stdout
    assert "Violation, specific agreement" in result.stdout
    assert "! Simulated annotators:" in result.stdout
    assert "as gold" not in result.stdout


def test_json_is_canonical_and_the_same_each_time(project: Path) -> None:
    first, second = (run("labels", "agreement", project, "--json").stdout for _ in range(2))
    assert first == second
    found = LabelAgreement.model_validate_json(first)
    assert first == canonical_json(found) + "\n"
    assert json.loads(first)["schema_version"] == "riskchain-label-agreement/v1"
    assert found.layers.items == 24


def test_the_page_is_written_and_named_on_stderr(project: Path, tmp_path: Path) -> None:
    page = tmp_path / "deep" / "agreement.html"
    result = run("labels", "agreement", project, "--out", page, "--json")
    assert result.exit_code == 0
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert str(page) in result.stderr
    json.loads(result.stdout)


def test_gold_is_compared_when_asked_for(project: Path) -> None:
    found = LabelAgreement.model_validate_json(run("labels", "agreement", project, "--gold", "mini", "--json").stdout)
    assert found.gold is not None
    assert found.gold.gold == "mini"
    assert found.gold.questions[0].percent.units == 24
    assert "Decision, as gold" in run("labels", "agreement", project, "--gold", "mini").stdout


def test_bad_input_is_a_sentence(project: Path, tmp_path: Path) -> None:
    assert "plan.json" in refused(2, "labels", "agreement", tmp_path)
    assert "There is no split 'minor'" in refused(2, "labels", "agreement", project, "--gold", "minor")
    assert "give the path of a file to write" in refused(2, "labels", "agreement", project, "--out", tmp_path)
    assert "is not empty" in refused(2, "labels", "simulate", "--out", project)
    assert "mini' has 24 sites" in refused(2, "labels", "simulate", "--count", "99", "--out", tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_a_log_that_was_changed_is_refused(project: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    (damaged / "logs").mkdir(parents=True)
    (damaged / "plan.json").write_bytes((project / "plan.json").read_bytes())
    log = (project / "logs" / "sim-a.jsonl").read_text("utf-8")
    (damaged / "logs" / "sim-a.jsonl").write_text(log.replace('"confidence":5', '"confidence":4', 1), "utf-8")
    assert "sim-a.jsonl: line" in refused(2, "labels", "agreement", damaged)
