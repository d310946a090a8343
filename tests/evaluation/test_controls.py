"""Control rows beside every table, and two runs beside each other."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from run_cases import remade, trajectories

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.compare import compare_runs, difference_rows
from riskchain_gym.evaluation.controls import control_rows, controls_beside
from riskchain_gym.evaluation.score import load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.intervals import Difference


def test_constant_answers_score_the_share_of_their_decision_and_have_no_gate() -> None:
    chains = [chain.chain_id for chain in load_public("mini")]
    shares = Counter(load_gold("mini")[chain].site.decision for chain in chains)
    rows = control_rows("mini", chains, ("oracle", "landing_only"))
    types = Counter(load_gold("mini")[chain].site.violation_type for chain in chains)
    commonest = max(CONCRETE_TYPES, key=lambda kind: types[kind])
    assert rows[0].summary.exact_match == types[commonest] / len(chains)
    assert [row.name for row in rows] == [
        f"always VIOLATION ({commonest.partition('_')[0].lower()})",
        "always NON_VIOLATION",
        "always INSUFFICIENT_EVIDENCE",
    ]
    for decision, row in zip(Decision, rows, strict=True):
        summary = row.summary
        assert summary.web_accuracy == shares[decision] / len(chains)
        assert summary.balanced_accuracy == pytest.approx(1 / 3)
        assert summary.entry_top1 is summary.end_to_end_accuracy is summary.citation_f1 is None


def test_the_oracle_and_the_landing_page_are_run_where_no_run_of_theirs_is_there(frozen: dict[str, RunFolder]) -> None:
    beside = controls_beside([frozen["noop"].manifest])
    oracle, landing = (next(row for row in beside if row.name == name) for name in ("oracle", "landing_only"))
    assert (oracle.kind, landing.kind) == ("oracle", "control")
    ran = load_scores(frozen["oracle"]).summary
    for figure in ("web_accuracy", "end_to_end_accuracy", "exact_match", "citation_f1", "message_exact"):
        assert getattr(oracle.summary, figure) == getattr(ran, figure)
    assert landing.summary.web_accuracy < 1
    assert [row.name for row in controls_beside([run.manifest for run in frozen.values()])][-1] == "landing_only"


def test_runs_of_two_splits_have_no_control_rows(frozen: dict[str, RunFolder]) -> None:
    manifest = frozen["noop"].manifest
    with pytest.raises(ValueError, match="mini, other"):
        controls_beside([manifest, manifest.model_copy(update={"split": "other"})])
    with pytest.raises(ValueError, match="no run"):
        controls_beside([])


def test_two_runs_are_compared_figure_by_figure(frozen: dict[str, RunFolder]) -> None:
    found = compare_runs(frozen["oracle"], frozen["noop"])
    assert (found.first, found.second, found.chains, found.clusters) == ("oracle", "noop", 4, 4)
    assert found.figures["web_accuracy"] == Difference(first=1, second=0, difference=1, low=1, high=1)
    rows = {row[0]: row[1:] for row in difference_rows(found)}
    assert rows["Acc^w"] == ["100.0", "0.0", "+100.0", "[+100.0, +100.0]", "*"]
    assert rows["Δ_gate ↓"][-1] == ""
    assert len(difference_rows(found, everything=True)) > len(rows)


def test_an_agent_does_not_differ_from_itself(frozen: dict[str, RunFolder]) -> None:
    same = compare_runs(frozen["oracle"], frozen["oracle"], unit="skeleton")
    assert all((each.difference, each.low, each.high) in ((0, 0, 0), (0, None, None)) for each in same.figures.values())
    rows = {row[0]: row[1:] for row in difference_rows(same, everything=True)}
    assert rows["Look-ups at k = 2 ↓"][:3] == ["1.00", "1.00", "+0.00"]


def test_runs_that_cannot_be_compared_are_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["oracle"])]
    fewer = remade(tmp_path / "fewer", frozen["oracle"], made[:2])
    with pytest.raises(ConfigError, match="fewer has no episode of 2 chains that the other run has"):
        compare_runs(frozen["oracle"], fewer)
    with pytest.raises(ConfigError, match="website, skeleton, operator"):
        compare_runs(frozen["oracle"], frozen["noop"], unit="moon")


def test_stored_scores_of_a_run_that_was_damaged_since_are_not_taken(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(frozen["noop"].path, copied)
    assert compare_runs(RunFolder.open(copied), frozen["oracle"]).chains == 4
    (shard,) = copied.glob("shards/*.jsonl")
    shard.write_bytes(shard.read_bytes().replace(b"\n", b"{broken\n", 1))
    with pytest.raises(InputFileError, match="line 1"):
        compare_runs(RunFolder.open(copied), frozen["oracle"])
