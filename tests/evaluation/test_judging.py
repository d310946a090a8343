"""Putting runs to judges: what was asked once is not asked again, and files of other runs or judges are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.evaluation import judging
from riskchain_gym.evaluation.judging import JudgedEpisode, judge_run
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Answer, Question, Ruling
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.judged import judged_results
from riskchain_gym.scoring.redaction.audit import RedactionError

CHAINS = 3


class Counting:
    """Says yes to everything, breaks where told to, and counts how often it is asked."""

    def __init__(self, name: str = "counting/1", breaks: str = "") -> None:
        self.name = name
        self.breaks = breaks
        self.asked = 0

    def rule(self, bundle: Bundle, question: Question) -> Ruling:
        self.asked += 1
        if self.breaks and question.key.startswith(self.breaks):
            return Ruling(key=question.key, answer=None, error="out of reach")
        return Ruling(key=question.key, answer=Answer.YES, raw='{"answer": "yes"}')


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    from riskchain_gym.benchmark.splits import load_public

    chains = tuple(chain.chain_id for chain in load_public("mini"))[:CHAINS]
    settings = RunSettings(split="mini", backend="text", observe=(), workers=1, chains=chains)
    folders = run_agents(["oracle", "always_violation", "noop"], tmp_path_factory.mktemp("runs"), settings)
    return {folder.manifest.agent: folder for folder in folders}


def lines(path: Path) -> list[JudgedEpisode]:
    return [JudgedEpisode.model_validate_json(line) for line in path.read_bytes().splitlines()]


def test_every_report_is_a_line_with_questions_rulings_and_raw_replies(
    runs: dict[str, RunFolder], tmp_path: Path
) -> None:
    told: list[int] = []
    said = judge_run(runs["oracle"], Counting(), tmp_path / "out.jsonl", progress=told.append)
    assert lines(tmp_path / "out.jsonl") == list(said)
    assert [one.chain_id for one in said] == list(runs["oracle"].manifest.chains)
    assert told == [1, 2, 3]
    for one in said:
        assert [ruling.key for ruling in one.rulings] == [question.key for question in one.questions]
        assert {ruling.raw for ruling in one.rulings} == {'{"answer": "yes"}'}
        assert one.result.questions == len(one.questions) > 0


def test_what_is_in_the_file_is_not_asked_again(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    whole = judge_run(runs["oracle"], Counting(), path)
    first, *_ = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b'{"half a line')
    judge = Counting()
    assert judge_run(runs["oracle"], judge, path) == whole
    assert judge.asked == sum(len(one.questions) for one in whole[1:])
    assert lines(path) == list(whole)
    idle = Counting()
    judge_run(runs["oracle"], idle, path)
    assert idle.asked == 0


def test_where_the_judge_failed_it_is_asked_again(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    broken = judge_run(runs["oracle"], Counting(breaks="shown"), path)
    assert all(one.result.errors for one in broken)
    mended = judge_run(runs["oracle"], Counting(), path)
    assert not any(one.result.errors for one in mended)
    assert len(lines(path)) == 2 * CHAINS
    assert judge_run(runs["oracle"], Counting(), path) == mended


def test_a_run_without_reports_leaves_no_file(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    assert judge_run(runs["noop"], Counting(), tmp_path / "out.jsonl") == ()
    assert not (tmp_path / "out.jsonl").exists()


def test_files_of_other_judges_and_runs_are_refused_and_left_alone(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    judge_run(runs["oracle"], Counting(), path)
    before = path.read_bytes()
    with pytest.raises(InputFileError, match=r"line 1: result.judge: is 'counting/1', not 'counting/2'"):
        judge_run(runs["oracle"], Counting("counting/2"), path)
    with pytest.raises(InputFileError, match="line 1: episode: is no episode of this run"):
        judge_run(runs["always_violation"], Counting(), path)
    path.write_bytes(before + b"{}\n")
    with pytest.raises(InputFileError, match="line 4: "):
        judge_run(runs["oracle"], Counting(), path)
    assert path.read_bytes() == before + b"{}\n"


def test_a_report_that_cannot_be_redacted_is_the_judges_failure_and_no_score(
    runs: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RedactionError("Redaction left something at views.0.lines.1")

    monkeypatch.setattr(judging, "present", refuse)
    path = tmp_path / "out.jsonl"
    said = judge_run(runs["oracle"], Counting(), path)
    assert {one.result.status for one in said} == {"judge_error"}
    assert all("views.0.lines.1" in one.error for one in said)
    summary = judged_results([one.result for one in said])
    assert summary is not None
    assert (summary.scored, summary.faithfulness.score) == (0, None)
    judge_run(runs["oracle"], Counting(), path)
    assert len(lines(path)) == CHAINS


def test_threads_change_nothing(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    one = judge_run(runs["oracle"], RuleJudge(), tmp_path / "1.jsonl")
    assert judge_run(runs["oracle"], RuleJudge(), tmp_path / "4.jsonl", threads=4) == one
