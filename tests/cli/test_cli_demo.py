"""``riskchain demo`` runs every agent of ``baselines/`` by one path, and says which it left out and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import run

from riskchain_gym import cli_runs
from riskchain_gym.agents.registry import agent_names
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_agent import scripted_agent
from riskchain_gym.llm.settings import BASE_URL_VARIABLE, MODEL_VARIABLE

SMALL = ("demo", "--backend", "text", "--chains", "1", "--json")


@pytest.fixture(autouse=True)
def _no_model_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (BASE_URL_VARIABLE, MODEL_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "names",
    [("llm", "noop", "scripted_llm"), pytest.param(agent_names(), marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def test_every_baseline_is_in_the_table_and_a_model_that_nobody_named_is_said_to_be_missing(
    here: Path, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr("riskchain_gym.agents.registry.agent_names", lambda: names)
    made = run(*SMALL, "--out", "out")
    assert made.exit_code == 0, made.stderr
    rows = [row for row in json.loads(made.stdout) if not row["computed"]]
    assert {row["agent"] for row in rows} == set(names) - {"llm"}
    assert "Agent 'llm' was left out: name a model with --model and --base-url." in made.stderr
    asked = {row["agent"] for row in rows if row["usage"] is not None}
    assert asked == {"scripted_llm"}


def test_a_model_that_is_named_is_run_beside_the_others(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr("riskchain_gym.agents.registry.agent_names", lambda: ("llm", "noop"))
    with FakeEndpoint(scripted_agent) as endpoint:
        made = run(*SMALL, "--out", "out", "--model", "named-one", "--base-url", endpoint.base_url)
    assert made.exit_code == 0, made.stderr
    found = {row["agent"]: row["usage"] for row in json.loads(made.stdout) if not row["computed"]}
    assert found["noop"] is None
    assert found["llm"]["models"] == ["named-one"]
    assert "left out" not in made.stderr


def test_without_the_extra_agents_that_ask_models_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_runs, "find_spec", lambda name: None)
    names, sentences = cli_runs._baselines(None, None)
    assert set(agent_names()) - set(names) == {"llm", "scripted_llm"}
    assert all("riskchain-gym[llm]" in sentence for sentence in sentences)
