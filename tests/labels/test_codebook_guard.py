"""Labels of two codebooks are never scored together, and never by a package that has another one."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium as gym
import pytest

from riskchain_gym.benchmark.splits import GOLD, MANIFEST, load_gold, load_public, split_dir
from riskchain_gym.evaluation.calibration import calibrate_judge
from riskchain_gym.evaluation.compare import compare_runs
from riskchain_gym.evaluation.report.writing import write_report
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.score import load_scores, score_run, score_runs
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, FIRST_CODEBOOK, EnvironmentStatus, codebook_problem
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.scoring.calibration.anchors import SHIPPED, read_anchors
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.judge.rules import RuleJudge

OTHER = "2030-01-01.v9"
FOLLOWS_ANOTHER = (
    rf"site\.codebook_version: follows the codebook {OTHER}, and this package, .* has {CODEBOOK_VERSION}: "
)
MIXES = rf"mixes the codebooks {CODEBOOK_VERSION} and {OTHER}, and labels of two codebooks are not scored together"


def relabel(folder: Path, codebook_of: Callable[[int], str]) -> None:
    """Let the gold of a split follow other codebooks, by place of the chain."""
    rows = [json.loads(line) for line in (folder / GOLD).read_bytes().splitlines()]
    for i, row in enumerate(rows):
        row["site"]["codebook_version"] = codebook_of(i)
    data = "".join(f"{canonical_json(row)}\n" for row in rows).encode()
    (folder / GOLD).write_bytes(data)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"][GOLD] = hashlib.sha256(data).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunFolder]:
    """A split and a scored run on one chain of it."""
    folder = tmp_path_factory.mktemp("guard")
    shutil.copytree(split_dir("mini"), folder / "split")
    chains = (load_public("mini")[0].chain_id,)
    settings = RunSettings(split=str(folder / "split"), backend="text", observe=(), workers=1, chains=chains)
    (run,) = run_agents(["noop"], folder / "runs", settings)
    score_run(run)
    return folder / "split", run


@pytest.fixture
def split(ran: tuple[Path, RunFolder], tmp_path: Path) -> Iterator[Path]:
    """The split of the run, put back as it was afterwards."""
    folder, _ = ran
    shutil.copytree(folder, tmp_path / "kept")
    yield folder
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "kept", folder)


USES: dict[str, Callable[[Path, RunFolder, Path], object]] = {
    "score": lambda split, run, out: score_run(run),
    "report": lambda split, run, out: (score_runs([run]), write_report([run], out / "report")),
    "compare": lambda split, run, out: compare_runs(run, run),
    "calibrate": lambda split, run, out: calibrate_judge(RuleJudge(), str(split), read_anchors(), reports=1),
    "train": lambda split, run, out: gym.make("riskchain_gym:RiskChain-v0", split=str(split), backend="text"),
}


@pytest.mark.parametrize("use", USES)
def test_gold_of_another_codebook_is_refused(
    split: Path, ran: tuple[Path, RunFolder], tmp_path: Path, use: str
) -> None:
    relabel(split, lambda i: OTHER)
    with pytest.raises(InputFileError, match=FOLLOWS_ANOTHER):
        USES[use](split, ran[1], tmp_path)
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("use", USES)
def test_gold_that_mixes_codebooks_is_refused(
    split: Path, ran: tuple[Path, RunFolder], tmp_path: Path, use: str
) -> None:
    relabel(split, lambda i: OTHER if i == 5 else CODEBOOK_VERSION)
    with pytest.raises(InputFileError, match=MIXES):
        USES[use](split, ran[1], tmp_path)


def test_gold_in_memory_is_refused_as_well(ran: tuple[Path, RunFolder]) -> None:
    (record,) = ran[1].records()
    gold = load_gold("mini")[record.trajectory.chain_id]
    assert score_episode(record.trajectory, gold).label is not None
    site = gold.site.model_copy(update={"codebook_version": OTHER})
    with pytest.raises(ConfigError, match=f"The gold of chain '{gold.chain_id}' follows the codebook {OTHER}"):
        score_episode(record.trajectory, gold.model_copy(update={"site": site}))


@pytest.mark.parametrize("use", [score_run, load_scores, lambda run: compare_runs(run, run)])
def test_a_run_whose_agent_was_told_another_codebook_is_refused(
    ran: tuple[Path, RunFolder], tmp_path: Path, use: Callable[[RunFolder], object]
) -> None:
    run = ran[1]
    told = run.manifest.model_copy(update={"versions": {**run.manifest.versions, "codebook": OTHER}})
    other = RunFolder.create(tmp_path / "run", told)
    (record,) = run.records()
    other.append(record.trajectory, {}, 1.0)
    said = rf"versions\.codebook: the agent was told the codebook {OTHER}, and gold is read by {CODEBOOK_VERSION} here"
    with pytest.raises(InputFileError, match=said):
        use(other)


def test_a_run_names_the_codebook_and_one_that_names_none_was_told_the_first(
    ran: tuple[Path, RunFolder],
) -> None:
    manifest = ran[1].manifest
    assert manifest.versions["codebook"] == manifest.codebook == CODEBOOK_VERSION
    before = {name: value for name, value in manifest.versions.items() if name != "codebook"}
    assert manifest.model_copy(update={"versions": before}).codebook == FIRST_CODEBOOK


def test_anchors_of_another_codebook_are_refused(tmp_path: Path) -> None:
    first, *_ = SHIPPED.read_text(encoding="utf-8").splitlines()
    assert "codebook_version" not in first, "anchors of the first codebook keep their bytes"
    (tmp_path / "a.jsonl").write_text(json.dumps({**json.loads(first), "codebook_version": OTHER}), encoding="utf-8")
    with pytest.raises(InputFileError, match=rf"line 1: codebook_version: follows the codebook {OTHER}"):
        read_anchors(tmp_path / "a.jsonl")


def test_gold_of_the_first_codebook_has_the_bytes_that_it_had() -> None:
    for line in (split_dir("mini") / GOLD).read_text(encoding="utf-8").splitlines():
        gold = GoldChain.model_validate_json(line)
        assert gold.site.codebook_version == FIRST_CODEBOOK
        assert canonical_json(gold) == line
        said = {"codebook_version": OTHER, "environment_status": EnvironmentStatus.PARTIAL}
        other = gold.model_copy(update={"site": gold.site.model_copy(update=said)})
        assert GoldChain.model_validate_json(canonical_json(other)) == other


def test_what_is_said_of_versions() -> None:
    assert codebook_problem([]) is None
    assert codebook_problem([CODEBOOK_VERSION, CODEBOOK_VERSION]) is None
    assert "install the riskchain-gym that has" in str(codebook_problem([OTHER]))
