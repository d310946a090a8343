"""Runs as ŵ: the mean of a^w over what counts, no row for what was lost, and read back by the environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from run_cases import Images, lost, remade, trajectories, unreported

from riskchain_gym.envs.web_outcomes import WebOutcomes
from riskchain_gym.evaluation.exports.writing import ExportSettings, export, warnings_for
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.trajectory import Trajectory

WEB = ExportSettings("web-outcomes")


def rows(path: Path) -> dict[str, float]:
    return {row["chain_id"]: row["w_hat"] for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def repeat(path: Path, like: RunFolder, number: int, kinds: str) -> RunFolder:
    """A repeat whose episodes are as they were (``+``), without a report (``-``) or lost (``x``)."""
    change: dict[str, Any] = {"+": lambda t: t, "-": unreported, "x": lost}
    made: list[tuple[Trajectory, Images]] = [
        (change[kind](t), {}) for kind, t in zip(kinds, trajectories(like), strict=True)
    ]
    run = remade(path, like, made, repeat=number)
    score_run(run)
    return run


def test_a_run_is_its_web_outcomes(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run, to = frozen["rules+explorer"], tmp_path / "w.jsonl"
    right = {outcome.chain_id: outcome.web_correct for outcome in load_scores(run).outcomes}

    assert export([run], to, WEB) == len(right) == 4
    assert rows(to) == right
    assert list(rows(to)) == sorted(right)
    assert warnings_for([run], WEB) == []
    first = to.read_bytes()
    export([run], to, WEB)
    assert to.read_bytes() == first


def test_repeats_are_averaged_and_what_was_lost_is_never_a_zero(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like, to = frozen["oracle"], tmp_path / "w.jsonl"
    chains = [t.chain_id for t in trajectories(like)]
    runs = [repeat(tmp_path / f"{i}", like, i, kinds) for i, kinds in enumerate(("++x-", "+-x-", "-xx+"))]

    assert export(runs, to, WEB) == 3
    assert rows(to) == {chains[0]: 2 / 3, chains[1]: 1 / 2, chains[3]: 1 / 3}
    assert warnings_for(runs, WEB) == [f"1 chain has no row, as no episode of it has a result: {chains[2]}."]
    written = to.read_bytes()
    export(runs[::-1], to, WEB)
    assert to.read_bytes() == written


def test_of_nothing_but_lost_episodes_nothing_is_written(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no ŵ to write"):
        export([repeat(tmp_path / "0", frozen["oracle"], 0, "xxxx")], tmp_path / "w.jsonl", WEB)
    assert not (tmp_path / "w.jsonl").exists()


def test_environments_read_what_was_written(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like, to = frozen["oracle"], tmp_path / "w.jsonl"
    runs = [repeat(tmp_path / "0", like, 0, "++x-"), repeat(tmp_path / "1", like, 1, "+-x-")]
    export(runs, to, WEB)
    chains = [t.chain_id for t in trajectories(like)]
    outcomes = WebOutcomes.load(str(to))
    assert [outcomes.of(chain) for chain in (chains[0], chains[1], chains[3])] == [1, 0.5, 0]

    kwargs: dict[str, Any] = {"split": "mini", "reward": "delta_gate", "web_outcomes": to, "order": "sequential"}
    known = [chains[0], chains[1], chains[3]]
    env = gym.make("riskchain_gym:RiskChainRestore-v0", chains=known, **kwargs)
    paid = []
    for _ in known:
        env.reset()
        paid.append(env.step(EMPTY_COMMIT.model_dump_json())[1])
    assert paid == [-1, -0.5, 0]
    whole = gym.make("riskchain_gym:RiskChain-v0", chains=known[:1], backend="text", **kwargs)
    whole.reset()
    assert whole.step(EMPTY_COMMIT.model_dump_json())[1] == -1
    with pytest.raises(ConfigError, match=f"no row for chain '{chains[2]}'"):
        gym.make("riskchain_gym:RiskChainRestore-v0", chains=chains, **kwargs)


def test_what_has_no_one_outcome_is_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like, to = frozen["oracle"], tmp_path / "w.jsonl"
    other = remade(tmp_path / "other", like, [], split_sha256="0" * 64)
    unscored = remade(tmp_path / "unscored", like, [(t, {}) for t in trajectories(like)], repeat=1)
    for runs, says in (
        ([like, frozen["noop"]], "'oracle', 'noop'"),
        ([like, like], "count twice"),
        ([like, other], "on several"),
    ):
        with pytest.raises(ConfigError, match=says):
            export(runs, to, WEB)
    with pytest.raises(InputFileError, match="score the run first"):
        export([like, unscored], to, WEB)
    assert not to.exists()
