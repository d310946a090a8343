"""``riskchain judge pairs``: from runs to pairs, from pairs to anchors by people, and a judge measured by these."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from cli_runner import refused, run

from riskchain_gym.benchmark.labels.answers import PairAnswer
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.run import run_agents
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.scoring.calibration.pair_key import read_key
from riskchain_gym.scoring.calibration.pairs import PairItem, read_pairs
from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.scoring.judge.rules import RuleJudge

pytestmark = pytest.mark.contract

PEOPLE = ("--annotator", "ann", "--annotator", "ben", "--reviewer", "rae", "--coordinator", "cleo")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the oracle and one without any report, on six chains of ``mini``."""
    folder = tmp_path_factory.mktemp("runs")
    chains = tuple(chain.chain_id for chain in load_public("mini"))[:6]
    run_agents(
        ["oracle", "noop"], folder, RunSettings(split="mini", backend="text", observe=(), workers=1, chains=chains)
    )
    return folder


def label(folder: Path, answers: dict[str, dict[str, str]]) -> None:
    """Answer whatever is due, by item and person, until nothing is."""
    project = Project.open(folder)
    names = [worker.name for worker in project.plan.workers]
    while any(project.current(name) for name in names):
        for name in names:
            with project.writer(name) as writer:
                while (task := project.current(name)) is not None:
                    said = PairAnswer.model_validate({"answer": answers[task.item_id][name]})
                    writer.append(unsealed(project.plan, task, said))


def test_pairs_and_their_key_are_written_and_the_same_each_time(here: Path, runs: Path) -> None:
    options = ("judge", "pairs", runs / "oracle", runs / "noop", "--count", "30", "--faults", "0.2")
    shown = run(*options)
    assert shown.exit_code == 0
    assert "30 pairs about 6 reports" in shown.stdout
    assert "pairs: pairs.jsonl" in shown.stderr
    pairs, key = read_pairs(here / "pairs.jsonl"), read_key(here / "pairs-key.jsonl")
    assert [pair.item_id for pair in pairs] == [row.item_id for row in key]
    assert len(pairs) == 30
    assert {row.agent for row in key} == {"oracle"}
    assert stat.S_IMODE((here / "pairs-key.jsonl").stat().st_mode) == 0o600
    again = run(*options, "--out", "b.jsonl", "--key", "hidden.jsonl", "--json")
    assert (here / "b.jsonl").read_bytes() == (here / "pairs.jsonl").read_bytes()
    assert (here / "hidden.jsonl").read_bytes() == (here / "pairs-key.jsonl").read_bytes()
    told = json.loads(again.stdout)
    assert (told["pairs"], told["reports"], told["unshown"]) == (30, 6, 0)
    assert told["about_faults"] == sum(bool(row.fault) for row in key) > 0
    assert sum(kind["pairs"] for kind in told["kinds"].values()) == 30
    assert run(*options, "--seed", "1", "--out", "c.jsonl").exit_code == 0
    assert {p.item_id for p in read_pairs(here / "c.jsonl")}.isdisjoint(pair.item_id for pair in pairs)


def test_a_shortage_is_said(here: Path, runs: Path) -> None:
    few = run("judge", "pairs", runs / "oracle", "--count", "100000")
    found = len(read_pairs(here / "pairs.jsonl"))
    assert f"no more than {found} of 100000 pairs" in few.stderr
    faulty = run("judge", "pairs", runs / "oracle", "--count", "100", "--faults", "0.5")
    assert "of 50 pairs only: give more runs" in faulty.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", "{runs}/oracle"), "nowhere: is not there"),
        (("folder",), "folder: holds no run"),
        (("{runs}/noop",), "There is no report to draw pairs from"),
        (("{runs}/oracle", "copied/oracle"), "copied/oracle is given more than once"),
        (("{runs}/oracle", "--out", "a", "--key", "./a"), "give the key a file of its own"),
        (("{runs}/oracle", "--out", "folder"), "folder: is a folder"),
        (("{runs}/oracle", "--key", "folder"), "folder: is a folder"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    here: Path, runs: Path, arguments: tuple[str, ...], said: str
) -> None:
    (here / "folder").mkdir()
    shutil.copytree(runs / "oracle", here / "copied/oracle")
    assert said in refused(2, "judge", "pairs", *(each.format(runs=runs) for each in arguments))
    assert sorted(path.name for path in here.iterdir()) == ["copied", "folder"]


def test_what_lies_beside_runs_is_named_and_left_out(here: Path, runs: Path) -> None:
    assert run("judge", "pairs", runs / "oracle", runs / "noop", "--out", "alone.jsonl").exit_code == 0
    (here / "labels-ann").mkdir()
    (here / "labels.json").write_text("{}")
    (here / "demo").symlink_to(runs, target_is_directory=True)
    beside = run("judge", "pairs", "demo", "labels-ann", "labels.json", "demo/oracle", "--out", "all.jsonl")
    assert beside.exit_code == 0
    assert [line for line in beside.stderr.splitlines() if "left out" in line] == [
        "labels-ann holds no run: it was left out.",
        "labels.json holds no run: it was left out.",
    ]
    assert (here / "all.jsonl").read_bytes() == (here / "alone.jsonl").read_bytes()
    assert "labels-ann holds no run" in run("report", "demo", "labels-ann").stderr


def test_a_run_on_a_split_without_gold_gives_pairs_but_no_faults(here: Path, runs: Path) -> None:
    split = here / "sealed"
    from riskchain_gym.benchmark.splits import split_dir

    split.mkdir()
    for name in ("public.jsonl", "manifest.json"):
        (split / name).write_bytes((split_dir("mini") / name).read_bytes())
    chains = tuple(chain.chain_id for chain in load_public("mini"))[:1]
    settings = RunSettings(split=f"{split}", backend="text", observe=(), workers=1, chains=chains)
    run_agents(["rules+explorer"], here / "runs", settings)
    assert "gold.jsonl: cannot be read" in refused(2, "judge", "pairs", here / "runs/rules+explorer", "--faults", "0.1")
    assert run("judge", "pairs", here / "runs/rules+explorer", "--count", "3").exit_code == 0
    assert len(read_pairs(here / "pairs.jsonl")) == 3


def test_from_runs_over_people_to_a_judge_that_is_measured_by_them(here: Path, runs: Path) -> None:
    """People answer as the rule judge does; where it cannot tell, ann and ben differ and cleo settles on no.

    So the judge's answers of yes and no are all the reference's, and it abstains where people differ.
    """
    run("judge", "pairs", runs / "oracle", "--count", "24", "--faults", "0.25")
    assert run("labels", "plan", "--pairs", "pairs.jsonl", *PEOPLE, "--out", "lab").exit_code == 0
    for file in (here / "lab").rglob("*"):
        assert not file.is_file() or "planted" not in file.read_text(encoding="utf-8")
    pairs = read_pairs(here / "pairs.jsonl")
    label(here / "lab", {pair.item_id: answers_about(pair) for pair in pairs})
    frozen = run("labels", "freeze", "lab", "--key", "pairs-key.jsonl", "--out", "people.jsonl")
    assert frozen.exit_code == 0, frozen.output
    shown = run("judge", "calibrate", "--reports", "1", "--anchors", "people.jsonl")
    assert "24 human anchors" in shown.stdout
    assert "2 people among themselves" in shown.stdout
    told = json.loads(run("judge", "calibrate", "--reports", "1", "--anchors", "people.jsonl", "--json").stdout)
    figures: dict[str, Any] = {each["source"]: each for each in told["anchors"]}
    assert set(figures) == set(told["corrected"]) == {"constructed", "human"}
    ours = figures["human"]
    sure = sum(RuleJudge().rule(p.bundle, p.question).answer is not Answer.CANNOT_TELL for p in pairs)
    assert ours["anchors"] == 24
    assert ours["accuracy"]["hits"] == ours["accuracy"]["of"] == sure
    assert ours["abstained"]["hits"] == 24 - sure > 0
    assert ours["percent"]["value"] == ours["people"]["percent"]["value"] == pytest.approx(sure / 24)
    assert ours["people"]["people"] == 2
    low = ours["people"]["alpha"]["value"] < 0.667
    assert ("People do not agree on these claims" in shown.stdout) is low
    faults = {row.fault for row in read_key(here / "pairs-key.jsonl") if row.fault}
    assert faults
    assert set(ours["recalls"]) <= faults
    assert figures["constructed"]["people"] is None


def answers_about(pair: PairItem) -> dict[str, str]:
    answer = RuleJudge().rule(pair.bundle, pair.question).answer
    if answer is Answer.CANNOT_TELL:
        return {"ann": "yes", "ben": "no", "rae": "cannot_tell", "cleo": "no"}
    return dict.fromkeys(("ann", "ben", "rae", "cleo"), str(answer))


def test_what_people_and_their_server_get_is_the_file_of_pairs_and_no_more(here: Path, runs: Path) -> None:
    run("judge", "pairs", runs / "oracle", "--count", "12", "--faults", "0.5")
    run("labels", "plan", "--pairs", "pairs.jsonl", *PEOPLE, "--out", "lab")
    pairs = read_pairs(here / "pairs.jsonl")
    expected = "".join(f"{canonical_json(pair)}\n" for pair in pairs).encode()
    assert (here / "lab" / "items.jsonl").read_bytes() == expected
