"""``riskchain score``: what it prints, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from run_cases import Images, browsed_only, misjudged, remade, trajectories
from typer.testing import CliRunner, Result

from riskchain_gym.cli import app
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation import controls
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.messages.official import write_predictions
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory


def score(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, ["score", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(autouse=True)
def no_computed_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control rows have tests of their own, and take their time."""
    monkeypatch.setattr(controls, "controls_beside", lambda _: [])


@pytest.fixture
def copies(frozen: dict[str, RunFolder], tmp_path: Path) -> dict[str, Path]:
    return {name: shutil.copytree(run.path, tmp_path / name) for name, run in frozen.items()}


def test_scores_are_written_and_the_same_each_time(copies: dict[str, Path]) -> None:
    path = copies["oracle"] / "scores.json"
    written = path.read_bytes()
    path.unlink()
    first = score(*copies.values())
    assert first.exit_code == 0, first.output
    assert path.read_bytes() == written
    for name in copies:
        assert name in first.stdout
    assert score(*copies.values()).stdout == first.stdout


def test_scores_that_are_up_to_date_are_left_alone(copies: dict[str, Path]) -> None:
    path = copies["noop"] / "scores.json"
    before = path.stat()
    assert score(copies["noop"]).exit_code == 0
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("seal", "said"), [("{", "is no seal of a run"), ('"episodes":9', "episodes: the run is not what it was frozen as")]
)
def test_a_run_that_its_seal_does_not_fit_is_not_scored(copies: dict[str, Path], seal: str, said: str) -> None:
    path = copies["noop"] / "frozen.json"
    path.write_text(re.sub(r'"episodes": ?\d+', seal, path.read_text()) if "9" in seal else seal, encoding="utf-8")
    before = (copies["noop"] / "scores.json").stat().st_ino
    result = score(copies["noop"])
    assert result.exit_code == 2
    assert said in result.stderr
    assert (copies["noop"] / "scores.json").stat().st_ino == before


def test_an_incomplete_run_is_marked_and_one_without_an_episode_left_out(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    run = frozen["oracle"]
    remade(tmp_path / "runs" / "part", run, [(t, {}) for t in trajectories(run)[:3]])
    remade(tmp_path / "runs" / "none", run, [])
    result = score(tmp_path / "runs")
    assert "3/4, incomplete" in result.stdout
    assert "none holds no finished episode yet: it was left out." in result.stderr
    assert not (tmp_path / "runs" / "none" / "scores.json").exists()


def test_an_investigation_is_put_behind_other_restorations(
    frozen: dict[str, RunFolder], copies: dict[str, Path], tmp_path: Path
) -> None:
    run = frozen["oracle"]
    episodes: list[tuple[Trajectory, Images]] = [(browsed_only(t), {}) for t in trajectories(run)]
    people = remade(tmp_path / "people", run, episodes, env_id=ENV_IDS["browse"], agent="human:a")
    path = tmp_path / "predictions.jsonl"
    write_predictions(
        path, [(f"{t.chain_id}--v000", EMPTY_COMMIT) for t in trajectories(run)], model_id="silent", run_id="r"
    )
    result = score(people.path, "--gate", copies["oracle"], "--gate", path, "--json")
    assert result.exit_code == 0, result.output
    open_gate, shut = json.loads(result.stdout)["composed"]
    assert (open_gate["gate"], open_gate["summary"]["end_to_end_accuracy"]) == ("oracle", 1)
    assert (shut["gate"], shut["summary"]["end_to_end_accuracy"]) == ("silent", 0)
    assert len(list(people.path.glob("composed-*.json"))) == 2
    shown = score(people.path, "--gate", copies["oracle"], "--out", tmp_path / "else")
    assert "human:a behind oracle" in shown.stdout
    assert len(list((tmp_path / "else").glob("composed-*.json"))) == 1


def test_repeats_and_budgets_are_told_apart_where_there_are_some(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    first, *others = trajectories(run)
    changed: list[tuple[Trajectory, Images]] = [(misjudged(first), {}), *((t, {}) for t in others)]
    repeat = remade(tmp_path / "repeat", run, changed, repeat=1)
    told = run.manifest.environment.model_copy(update={"max_steps": 10})
    short = remade(tmp_path / "short", run, changed, environment=told)
    result = score(run.path, repeat.path, short.path, "--prefixes")
    for heading in (
        "oracle: 2 repeats of 30 steps on 4 chains",
        "after k browse steps",
        "interval",
        "oracle: 10 steps, told or taken of 30",
    ):
        assert heading in result.stdout, heading
    found = json.loads(score(run.path, repeat.path, short.path, "--json").stdout)
    (spread,) = found["repeats"]
    assert spread["figures"]["web_accuracy"]["values"] == [1, 3 / 4]
    (pair,) = found["told_beside_prefix"]
    assert (pair["k"], pair["long"]) == (10, 30)
    alone = json.loads(score(run.path, "--json").stdout)
    assert (alone["repeats"], alone["told_beside_prefix"], alone["composed"]) == ([], [], [])


def test_a_table_of_told_steps_is_of_the_first_repeat_and_says_so(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    told = run.manifest.environment.model_copy(update={"max_steps": 10})
    episodes: list[tuple[Trajectory, Images]] = [(t, {}) for t in trajectories(run)]
    remade(tmp_path / "a", run, episodes)
    remade(tmp_path / "b", run, episodes, repeat=1)
    remade(tmp_path / "c", run, episodes, environment=told)
    remade(tmp_path / "d", run, episodes, environment=told, repeat=1)
    remade(tmp_path / "e", run, episodes, environment=told, repeat=1)
    result = score(tmp_path)
    assert result.stdout.count("10 steps, told or taken of 30") == 1
    assert "Of repeat 1; --json has the other repeats, too (2)." in result.stdout
    assert "is repeat 2 once more" in result.stderr


def test_variants_that_were_restored_have_a_table(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["oracle"]
    episodes = trajectories(run)
    more = remade(tmp_path / "more", run, [(t, {}) for t in episodes], restored=("v001",))
    for t in episodes:
        more.append_restoration(t.model_copy(update={"variant": "v001", "status": EpisodeStatus.COMMITTED}), None)
    alone = score(more.path).stdout
    assert "restoration over all variants" in alone
    assert "v001" in alone
    several = score(more.path, run.path).stdout
    assert "restoration over all variants" in several
    assert "v001" not in several
    assert "v001" in score(more.path, run.path, "--variants").stdout
    assert "restoration over all variants" not in score(run.path).stdout


def test_what_cannot_be_scored_is_a_sentence(copies: dict[str, Path], tmp_path: Path) -> None:
    result = score(tmp_path / "nowhere")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is not there" in result.stderr
    result = score(copies["oracle"], "--gate", tmp_path / "nowhere")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is not a run folder" in result.stderr
