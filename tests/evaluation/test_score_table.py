"""The table says what must be read beside the figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cases import lost, remade, trajectories

from riskchain_gym.evaluation.report.details import details
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.table import (
    COLUMNS,
    Row,
    as_json,
    cells,
    judge_cell,
    percent,
    remarks,
    status_short,
    status_text,
    title,
)
from riskchain_gym.protocol.outcome import ValidatorResult
from riskchain_gym.scoring.judged import JudgedDimension


def row(run: RunFolder) -> Row:
    return run.manifest, score_run(run)


def test_an_unknown_figure_is_a_dash_and_never_a_zero(frozen: dict[str, RunFolder]) -> None:
    summary = load_scores(frozen["oracle"]).summary
    shown = dict(zip((c.key for c in COLUMNS), cells(summary.model_copy(update={"citation_f1": None})), strict=True))
    assert shown["citation_f1"] == "–"
    assert shown["web_accuracy"] == "100.0"


def test_complete_rows_need_no_remark(frozen: dict[str, RunFolder]) -> None:
    rows = [row(run) for run in frozen.values()]
    assert remarks(rows) == [[], [], []]
    assert title(rows) == "split mini · open gold · 4 of 24 chains"
    with pytest.raises(ValueError, match="at least one row"):
        title([])


def test_an_incomplete_run_is_marked(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["oracle"])]
    part = row(remade(tmp_path / "part", frozen["oracle"], made[:3]))
    fewer = row(remade(tmp_path / "fewer", frozen["oracle"], made[:2], chains=tuple(t.chain_id for t, _ in made[:2])))
    whole = row(frozen["noop"])
    assert remarks([part, whole, fewer]) == [["3/4, incomplete"], [], ["2 of 4 chains"]]
    assert remarks([fewer]) == [[]]
    assert remarks([part], computed=True) == [["3/4, incomplete (computed rows are over all 4 chains)"]]
    assert title([fewer, whole]).endswith("4 of 24 chains")
    assert title([fewer]).endswith("2 of 24 chains")
    machine = as_json(*part)
    assert (machine["planned"], machine["complete"], machine["remarks"]) == (4, False, ["3/4, incomplete"])


def test_lost_episodes_are_told_with_the_best_and_the_worst_case(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *others = trajectories(frozen["oracle"])
    run = remade(tmp_path / "run", frozen["oracle"], [(lost(first), {}), *((t, {}) for t in others)])
    manifest, scores = row(run)
    assert remarks([(manifest, scores)]) == [["Acc^e 75.0 at worst, 100.0 at best: 1 lost to infrastructure"]]
    assert status_text(scores.summary) == "1 lost to infrastructure, 3 reported"
    assert status_short(scores.summary) == "1 infra 3 rep"


def test_a_share_of_first_failures_is_one_of_all_chains(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    first, *others = trajectories(frozen["oracle"])
    run = remade(tmp_path / "run", frozen["oracle"], [(lost(first), {}), *((t, {}) for t in others)])
    summary = row(run)[1].summary
    assert details("oracle", summary)["failures"] == [
        {"stage": "success", "count": 3, "share": percent(summary.exact_match or 0), "causes": {}}
    ]


def test_a_mean_of_too_few_settled_points_is_not_shown() -> None:
    assert judge_cell(JudgedDimension(score=0.75, coverage=0.5, interpretable=False)) == "n/i (50.0 %)"
    assert judge_cell(JudgedDimension(score=0.75, coverage=0.9, interpretable=True)) == "0.750 (90.0 %)"
    assert judge_cell(JudgedDimension()) == "–"


def test_a_broken_protocol_is_told(frozen: dict[str, RunFolder]) -> None:
    manifest, scores = row(frozen["oracle"])
    broken = ValidatorResult(valid=False, problems=("steps.0: index is 3",))
    first, *others = scores.outcomes
    scores = scores.model_copy(update={"outcomes": (first.model_copy(update={"validator": broken}), *others)})
    assert remarks([(manifest, scores)]) == [["protocol broken in 1 episode"]]
