"""Runs of the joint protocol: agents revise, environments hold no gold, and what comes of it is counted apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from board_cases import no_controls

from riskchain_gym.console import make_console, print_scores
from riskchain_gym.envs.revision import TOLD
from riskchain_gym.evaluation.engine.local import OneEnvironment
from riskchain_gym.evaluation.exports.writing import ExportSettings, export
from riskchain_gym.evaluation.leaderboard import building
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.score import Scores, load_scores, score_run
from riskchain_gym.evaluation.settings import Isolation, RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.verify import verify_run
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError

AGENT = '''
import json
from riskchain_gym.agents.controls import LandingOnly, NoopRestorer
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.model import canonical_json

ENTRIES = {canonical_json(c.variants["v000"]): load_gold("mini")[c.chain_id].entry for c in load_public("mini")}


class Reviser(ChainAgent):
    """Commits a right entry for every other message, and takes the other one where it is told that it was wrong."""

    def __init__(self):
        super().__init__(NoopRestorer(), LandingOnly())

    def reset(self, instructions):
        super().reset(instructions)
        assert "anyOf" in instructions.schemas["report"]

    def act(self, observation):
        phase, lines = int(observation["phase"]), observation["text"].split("\\n")
        if phase == 0:
            right = sorted(ENTRIES).index(lines[0]) % 2
            return self.entry(ENTRIES[lines[0]] if right else "wrong.entry.test")
        if phase == 2:
            shown = json.loads(observation["elements"])["revision"]
            if shown["open"] and any(line.endswith("does not lead to the site that was shown.") for line in lines[:3]):
                return self.entry(ENTRIES[lines[0]])
        return super().act(observation)

    def entry(self, value):
        return Commit(entry_candidates=(EntryCandidate(rank=1, value=value),)).model_dump_json()
'''
JOINT = content_dir("envs") / "joint.toml"
SETTINGS = RunSettings(backend="text", observe=(), config="joint")


@pytest.fixture(scope="module")
def reviser(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("agents")
    (folder / "joint_reviser.py").write_text(AGENT, encoding="utf-8")
    (folder / "agent.toml").write_text('name = "reviser"\nagent = "joint_reviser:Reviser"\n', encoding="utf-8")
    return str(folder / "agent.toml")


@pytest.fixture(scope="module")
def told(reviser: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Scores]:
    run = run_agent(reviser, tmp_path_factory.mktemp("runs") / "told", SETTINGS)
    return run, score_run(run)


def test_what_is_told_is_right_and_no_environment_holds_gold(told: tuple[RunFolder, Scores]) -> None:
    run, scores = told
    outcomes = {outcome.chain_id: outcome for outcome in scores.outcomes}
    revised = {r.trajectory.chain_id for r in run.records() if r.trajectory.revised_commit is not None}

    assert run.manifest.environment.reward == "none"
    assert run.manifest.environment.revision == "told"
    assert {chain for chain, outcome in outcomes.items() if not outcome.gate.passed} == revised  # type: ignore[union-attr]
    assert len(revised) == len(outcomes) // 2
    assert verify_run(run.path, rescore=True).intact


def test_revisions_are_counted_apart(told: tuple[RunFolder, Scores]) -> None:
    _, scores = told
    summary, n = scores.summary, len(scores.outcomes)
    right = {outcome.chain_id for outcome in scores.outcomes if outcome.web_correct}
    shut = {outcome.chain_id for outcome in scores.outcomes if outcome.revised is not None}

    assert summary.joint is not None
    assert (summary.entry_top1, summary.joint.gate_rate) == (0.5, 1.0)
    assert summary.end_to_end_accuracy == len(right - shut) / n
    assert summary.joint.accuracy == summary.web_accuracy == len(right) / n
    assert summary.joint.recovered == pytest.approx(summary.gate_loss)
    assert (summary.joint.revisions, summary.joint.opened, summary.joint.closed) == (n // 2, n // 2, 0)


def test_revisions_have_a_table_of_their_own(
    told: tuple[RunFolder, Scores], frozen: dict[str, RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"usual": [(frozen["noop"].manifest, load_scores(frozen["noop"]))], "told": [(told[0].manifest, told[1])]}
    said = {}
    for name, row in rows.items():
        print_scores(make_console(), row)
        said[name] = capsys.readouterr().out
    assert "Acc^joint" in said["told"]
    assert "12 (+12 −0)" in said["told"]
    assert "joint" not in said["usual"]


@pytest.mark.parametrize("isolation", ["process", "none"])
def test_episodes_are_the_same_wherever_they_are_played(
    told: tuple[RunFolder, Scores], reviser: str, tmp_path: Path, isolation: Isolation
) -> None:
    chains = tuple(record.trajectory.chain_id for record in told[0].records())[:3]
    run = run_agent(reviser, tmp_path / "run", replace(SETTINGS, chains=chains, isolation=isolation))
    there = {record.trajectory.chain_id: record.trajectory for record in told[0].records()}
    assert all(record.trajectory == there[record.trajectory.chain_id] for record in run.records())


def test_blind_says_nothing_and_who_knows_of_no_revision_scores_as_ever(
    frozen: dict[str, RunFolder], some_chains: tuple[str, ...], tmp_path: Path
) -> None:
    usual = frozen["rules+explorer"]
    for config in ("joint", "joint-blind"):
        settings = replace(SETTINGS, config=config, chains=some_chains)
        scores = score_run(run_agent("rules+explorer", tmp_path / config, settings))
        assert scores.summary == load_scores(usual).summary
        assert "joint" not in scores.summary.model_dump()
        assert not any(b'"%s"' % sentence.encode() in scores.encoded() for sentence in TOLD.values())


def test_chats_of_runs_without_revisions_are_as_ever(some_chains: tuple[str, ...], tmp_path: Path) -> None:
    lines: dict[str, list[str]] = {}
    for name, config in (("joint", "joint-blind"), ("usual", None)):
        settings = replace(SETTINGS, config=config, chains=some_chains[:2], max_steps=1)
        run = run_agent("rules+explorer", tmp_path / name, settings)
        score_run(run)
        export([run], tmp_path / f"{name}.jsonl", ExportSettings("chat"))
        written = (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        lines[name] = [json.dumps(json.loads(line)["messages"]) for line in written]
    assert lines["joint"] == lines["usual"]


def test_exports_leave_revisions_out_of_chats_and_have_columns_for_them(
    told: tuple[RunFolder, Scores], tmp_path: Path
) -> None:
    run, scores = told
    export([run], tmp_path / "chat.jsonl", ExportSettings("chat"))
    export([run], tmp_path / "rows.csv", ExportSettings("csv"))
    chats = [json.loads(line) for line in (tmp_path / "chat.jsonl").read_text(encoding="utf-8").splitlines()]

    assert not any(sentence in json.dumps(chats, ensure_ascii=False) for sentence in TOLD.values())
    assert all(chat["phases"].count("report") in (2, 3) for chat in chats)
    header, *rows = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    column = header.split(",").index("revised_end_to_end_correct")
    values = sorted(row.split(",")[column] for row in rows)
    assert values == sorted("" if o.revised is None else str(o.revised.end_to_end_correct) for o in scores.outcomes)


def test_joint_runs_are_never_ranked(
    some_chains: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "control_rows", no_controls)
    own = tmp_path / "own.toml"
    own.write_text('protocol = "riskchain-v0"\nrevision = "told"\n', encoding="utf-8")
    few = replace(SETTINGS, chains=some_chains[:2])
    runs = [
        run_agent("copy+explorer", tmp_path / config.stem, replace(few, config=str(config))) for config in (own, JOINT)
    ]
    (section,) = building.build_board(runs).sections
    assert [row.rank for row in section.entries] == [None, None]
    assert all("revision = told" in " ".join(row.unranked) for row in section.entries)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"restored": ("v001",)}, "leave out the variants"),
        ({"config": "nosuch"}, "no config"),
        ({}, "routing='committed'"),
    ],
)
def test_what_a_run_cannot_play_is_refused(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text('routing = "committed"\n', encoding="utf-8")
    settings = replace(SETTINGS, config="joint" if changes else str(own))
    with pytest.raises(ConfigError, match=says):
        run_agent("noop", tmp_path / "run", replace(settings, **changes))  # type: ignore[arg-type]


def test_an_environment_that_nobody_answers_for_says_so() -> None:
    env = SETTINGS.make_env()
    side = OneEnvironment(env, None)  # type: ignore[arg-type]
    chain = env.unwrapped.chain_ids[0]  # type: ignore[attr-defined]
    side.reset(chain)
    with pytest.raises(ConfigError, match="nobody has answered for the gate"):
        side.step("{}")
