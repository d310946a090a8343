"""Tables of runs: every figure has its column, what is unknown is empty, and text comes back as it was."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from run_cases import lost, poisoned, remade, trajectories

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.exports.table import EPISODE_COLUMNS, STEP_COLUMNS, episode_rows, step_rows
from riskchain_gym.evaluation.exports.writing import ExportSettings, export
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.trajectory import Phase

HOSTILE = 'a,"b"\n;\u3000\u200b=1+1\r\n👾'


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_figure_of_an_outcome_has_its_column(frozen: dict[str, RunFolder]) -> None:
    for run in frozen.values():
        outcomes = {outcome.chain_id: outcome.flat() for outcome in load_scores(run).outcomes}
        for row in episode_rows([run]):
            flat = outcomes[str(row["chain_id"])]
            assert flat.keys() <= EPISODE_COLUMNS.keys()
            assert {name: row[name] for name in flat} == flat
            kinds = {name: type(value) for name, value in row.items() if value is not None}
            assert all(issubclass(kind, EPISODE_COLUMNS[name]) for name, kind in kinds.items() if kind is not int)
            assert all(EPISODE_COLUMNS[name] in (int, float) for name, kind in kinds.items() if kind is int)


def test_what_is_unknown_is_empty_and_never_a_zero(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["rules+explorer"]
    first, *others = trajectories(like)
    run = remade(tmp_path / "run", like, [(lost(first), {}), *((t, {}) for t in others)])
    unscored = list(episode_rows([run]))
    score_run(run)
    scored = list(episode_rows([run]))

    assert {row["end_to_end_correct"] for row in unscored} == {None}
    assert scored[0]["status"] == "infra_error"
    assert scored[0]["infra_cause"] == "browser_lost"
    assert {
        scored[0][name] for name in ("end_to_end_correct", "web_correct", "label.gold_decision", "calls", "cost")
    } == {None}
    assert scored[1]["end_to_end_correct"] in (0, 1)


def test_tokens_and_cost_are_of_the_attempt_that_stands(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    run = remade(tmp_path / "run", like, [(t, {}) for t in trajectories(like)])
    chains = run.manifest.chains

    def call(usage: Usage | None, cost: float | None) -> CallRecord:
        return CallRecord(phase=Phase.RESTORE, seconds=1.5, attempts=1, answers=1, characters=3, usage=usage, cost=cost)

    known, unknown = call(Usage(input_tokens=10, output_tokens=2), 0.25), call(None, None)
    log = CallLog(run.path)
    log.add(ChainCalls(chain_id=chains[0], calls=(unknown,), lost="model_lost"))
    log.add(ChainCalls(chain_id=chains[0], calls=(known, known)))
    log.add(ChainCalls(chain_id=chains[1], calls=(known, unknown)))

    first, second, third, _ = episode_rows([run])

    assert (first["calls"], first["input_tokens"], first["cost"], first["call_seconds"]) == (2, 20, 0.5, 3.0)
    assert (second["calls"], second["input_tokens"], second["cost"]) == (2, None, None)
    assert (third["calls"], third["input_tokens"]) == (None, None)


def test_text_comes_back_from_csv_as_it_was(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["rules+explorer"]
    run = remade(tmp_path / "run", like, [(poisoned(t, HOSTILE), {}) for t in trajectories(like)])
    to = tmp_path / "steps.csv"

    count = export([run], to, ExportSettings("csv", steps=True))
    rows = rows_of(to)

    steps = [step for trajectory in trajectories(run) for step in trajectory.steps]
    assert count == len(rows) == len(steps)
    assert [row["action"] for row in rows] == [step.action for step in steps]
    assert [row["feedback"] for row in rows] == [step.feedback for step in steps]
    assert {row["title"] for row in rows if row["page"]} == {HOSTILE}
    assert {row["reason"] for row in rows if row["kind"]} == {HOSTILE}


def test_a_step_names_its_page_and_its_screenshot(frozen_with_images: RunFolder) -> None:
    rows = list(step_rows([frozen_with_images]))

    shown = [row for row in rows if row["browse_step"] is not None]
    assert shown
    assert all(row["page"] and row["path"] and row["screenshot"] for row in shown)
    assert {row["screenshot"] for row in rows if row["browse_step"] is None} == {None}


@pytest.mark.parametrize("steps", [False, True])
def test_parquet_holds_what_csv_does_with_types(frozen: dict[str, RunFolder], tmp_path: Path, steps: bool) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    runs = [frozen["oracle"], frozen["noop"]]
    for name in ("one", "two"):
        export(runs, tmp_path / name, ExportSettings("parquet", steps=steps))
    columns: Any = STEP_COLUMNS if steps else EPISODE_COLUMNS
    rows = list(step_rows(runs) if steps else episode_rows(runs))

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    table = parquet.read_table(tmp_path / "one")
    assert table.column_names == list(columns)
    assert table.to_pylist() == rows


def test_without_pyarrow_parquet_says_what_to_install(
    frozen: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from riskchain_gym.evaluation.exports import table_files
    from riskchain_gym.protocol.errors import MissingExtraError

    monkeypatch.setattr(table_files, "find_spec", lambda name: None)

    with pytest.raises(MissingExtraError, match=r"riskchain-gym\[parquet\]"):
        export([frozen["noop"]], tmp_path / "runs.parquet", ExportSettings("parquet"))
    assert list(tmp_path.iterdir()) == []
