"""Two runs before a pairwise judge: what counts, what is left out, what is refused, and what is not asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from riskchain_gym.evaluation import judging
from riskchain_gym.evaluation.pairing import pair_runs
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.judge.pairwise import PairwiseJudge
from riskchain_gym.scoring.redaction.audit import RedactionError


@dataclass
class Model:
    """Answers by a function; counts the calls."""

    better: Callable[[ChatRequest], str | None]
    model: str = "scripted"
    asked: list[ChatRequest] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        better = self.better(request)
        if better is None:
            return Reply(failure=CallFailure.TIMEOUT, detail="too late")
        said = {"better": better, "why": "So it is."}
        return Reply(text=json.dumps(said), parsed=said)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    from riskchain_gym.benchmark.splits import load_public

    chains = tuple(chain.chain_id for chain in load_public("mini"))[:3]
    settings = RunSettings(split="mini", backend="text", observe=(), workers=1, chains=chains)
    folders = run_agents(["oracle", "always_violation", "noop"], tmp_path_factory.mktemp("runs"), settings)
    return {folder.manifest.agent: folder for folder in folders}


def always(letter: str | None) -> Model:
    return Model(lambda request: letter)


def test_a_judge_that_prefers_a_place_gives_ties(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    model = always("A")
    told: list[tuple[int, int]] = []
    found = pair_runs(
        runs["oracle"],
        runs["always_violation"],
        PairwiseJudge(model),
        tmp_path / "p.jsonl",
        progress=lambda done, of: told.append((done, of)),
    )
    assert (found.tally.wins, found.tally.ties, found.tally.losses, found.left_out) == (0, 3, 0, 0)
    assert found.tally.preference == 0.5
    assert len(model.asked) == 6
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_what_is_in_the_file_is_not_asked_again_and_failures_are(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    path, pair = tmp_path / "p.jsonl", (runs["oracle"], runs["always_violation"])
    broken = pair_runs(*pair, PairwiseJudge(always(None)), path)
    assert (broken.tally.coverage, broken.tally.preference) == (0, None)
    model = always("tie")
    mended = pair_runs(*pair, PairwiseJudge(model), path)
    assert (mended.tally.ties, mended.tally.coverage, len(model.asked)) == (3, 1, 6)
    idle = always("A")
    assert pair_runs(*pair, PairwiseJudge(idle), path) == mended
    assert idle.asked == []
    assert len(path.read_bytes().splitlines()) == 6


def test_files_of_other_runs_and_judges_are_refused(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    path, pair = tmp_path / "p.jsonl", (runs["oracle"], runs["always_violation"])
    pair_runs(*pair, PairwiseJudge(always("A")), path)
    before = path.read_bytes()
    with pytest.raises(InputFileError, match="line 1: first, second: is no episode of this run"):
        pair_runs(*reversed(pair), PairwiseJudge(always("A")), path)
    other = always("A")
    other.model = "another"
    with pytest.raises(InputFileError, match="line 1: judge: is 'llm-pairwise/scripted/"):
        pair_runs(*pair, PairwiseJudge(other), path)
    assert path.read_bytes() == before


def test_runs_that_share_nothing_are_refused(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    judge = PairwiseJudge(always("A"))
    with pytest.raises(ConfigError, match="no chain on which both have a report"):
        pair_runs(runs["oracle"], runs["noop"], judge, tmp_path / "p.jsonl")
    manifest = runs["noop"].manifest.model_copy(update={"split_sha256": "0" * 64})
    elsewhere = RunFolder(runs["noop"].path, manifest, runs["noop"].identity)
    with pytest.raises(ConfigError, match="different splits"):
        pair_runs(runs["oracle"], elsewhere, judge, tmp_path / "p.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_redacted_is_shown_to_nobody(
    runs: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RedactionError("Redaction left something at views.0")

    monkeypatch.setattr(judging, "present", refuse)
    model = always("A")
    found = pair_runs(runs["oracle"], runs["always_violation"], PairwiseJudge(model), tmp_path / "p.jsonl")
    assert (model.asked, found.tally.coverage) == ([], 0)
