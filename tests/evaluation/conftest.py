"""Small frozen runs, made once: three agents on four chains without a browser, and one with pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.codebook import Decision

AGENTS = ("oracle", "noop", "rules+explorer")


@pytest.fixture(scope="session")
def some_chains() -> tuple[str, ...]:
    """Four chains of mini that cover the three decisions, none of them with evidence that only a picture shows."""
    gold = load_gold("mini")
    read = [c.chain_id for c in load_public("mini") if not any(atom.picture for atom in gold[c.chain_id].site.atoms)]
    first = {decision: next(c for c in read if gold[c].site.decision is decision) for decision in Decision}
    return (*first.values(), next(c for c in read if c not in first.values()))


@pytest.fixture(scope="session")
def frozen(tmp_path_factory: pytest.TempPathFactory, some_chains: tuple[str, ...]) -> dict[str, RunFolder]:
    out: Path = tmp_path_factory.mktemp("runs")
    settings = RunSettings(backend="text", observe=(), workers=2, chains=some_chains)
    runs = run_agents(AGENTS, out, settings)
    for run in runs:
        score_run(run)
    return dict(zip(AGENTS, runs, strict=True))


@pytest.fixture(scope="session")
def frozen_with_images(tmp_path_factory: pytest.TempPathFactory, some_chains: tuple[str, ...]) -> RunFolder:
    """An agent that explores the fake backend's little world, with a screenshot of every view."""
    pytest.importorskip("PIL")
    settings = RunSettings(backend="fake", observe=("screenshot",), workers=2, chains=some_chains[:2])
    (run,) = run_agents(["rules+explorer"], tmp_path_factory.mktemp("pictures"), settings)
    score_run(run)
    return run
