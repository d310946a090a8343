"""Chats and pairs for training: what is learnt was answered and taken, and nothing of a sealed split gets out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_cases import lost, misjudged, poisoned, remade, trajectories, unreported

from riskchain_gym.evaluation.exports.writing import ExportSettings, export, warnings_for
from riskchain_gym.evaluation.score import load_scores, score_run
from riskchain_gym.evaluation.store import SHARD, RunFolder
from riskchain_gym.protocol.errors import ConfigError, InputFileError

Json = dict[str, Any]


def lines_of(runs: list[RunFolder], path: Path, **settings: Any) -> list[Json]:
    count = export(runs, path, ExportSettings(**settings))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == count
    return lines


@pytest.fixture
def mixed(frozen: dict[str, RunFolder], tmp_path: Path) -> RunFolder:
    """Four episodes: one with strikes, one without a report, one that was lost, and one as it was."""
    first, second, third, fourth = trajectories(frozen["rules+explorer"])
    episodes = [poisoned(first, "坏\u3000词"), unreported(second), lost(third), fourth]
    return remade(tmp_path / "mixed", frozen["rules+explorer"], [(each, {}) for each in episodes])


def test_a_line_is_an_episode_with_its_whole_chat(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["rules+explorer"]

    lines = lines_of([run], tmp_path / "chat.jsonl", format="chat")

    for line, record in zip(lines, run.records(), strict=True):
        roles = [message["role"] for message in line["messages"]]
        assert (line["chain"], line["episode"]) == (record.trajectory.chain_id, record.hash)
        assert roles.count("assistant") == roles.count("user") == len(record.trajectory.steps)
        assert roles.count("system") == 3
        assert len(line["messages"]) == len(line["loss"]) == len(line["phases"])
        assert line["loss"] == [role == "assistant" for role in roles]
        assert line["status"]["outcome"]["status"] == line["status"]["episode"] == "reported"


def test_strikes_are_shown_and_not_learnt(mixed: RunFolder, tmp_path: Path) -> None:
    line = lines_of([mixed], tmp_path / "chat.jsonl", format="chat")[0]

    assert [
        m["content"]
        for m, loss in zip(line["messages"], line["loss"], strict=True)
        if m["role"] == "assistant" and not loss
    ] == ["坏\u3000词"]


def test_a_call_stands_alone_with_what_the_agent_is_told(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    run = frozen["noop"]

    lines = lines_of([run], tmp_path / "calls.jsonl", format="chat", by="call")

    assert len(lines) == sum(len(each.steps) for each in trajectories(run))
    assert {tuple(m["role"] for m in line["messages"]) for line in lines} == {("system", "user", "assistant")}
    assert all(line["loss"] == [False, False, line["call"]["valid"]] for line in lines)


def test_only_what_is_wanted_and_never_what_was_lost(mixed: RunFolder, tmp_path: Path) -> None:
    chains = mixed.manifest.chains
    everything = lines_of([mixed], tmp_path / "all.jsonl", format="chat")
    reported = lines_of([mixed], tmp_path / "reported.jsonl", format="chat", only="reported")
    with pytest.raises(InputFileError, match="--only right needs it: score the run first"):
        export([mixed], tmp_path / "right.jsonl", ExportSettings("chat", only="right"))
    outcomes = {outcome.chain_id: outcome for outcome in score_run(mixed).outcomes}
    right = lines_of([mixed], tmp_path / "right.jsonl", format="chat", only="right")

    assert [line["chain"] for line in everything] == [chains[0], chains[1], chains[3]]
    assert all(line["status"]["outcome"] is None for line in everything)
    assert [line["chain"] for line in reported] == [chains[0], chains[3]]
    assert [line["chain"] for line in right] == [c for c in chains if outcomes[c].end_to_end_correct == 1]


def test_the_same_runs_give_the_same_bytes_and_a_failure_leaves_nothing(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    runs = [frozen["oracle"], frozen["noop"]]
    for name in ("one", "two"):
        export(runs, tmp_path / name, ExportSettings("chat"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    damaged = remade(tmp_path / "damaged", frozen["noop"], [(t, {}) for t in trajectories(frozen["noop"])])
    shard = damaged.path / SHARD
    head, last = shard.read_bytes().rsplit(b'"index":0', 1)
    shard.write_bytes(head + b'"index":7' + last)
    folder = tmp_path / "out"
    folder.mkdir()

    with pytest.raises(InputFileError, match="breaks the chain of hashes"):
        export([damaged], folder / "chat.jsonl", ExportSettings("chat"))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("form", ["chat", "inspect"])
def test_words_of_a_sealed_split_stay_where_they_are(frozen: dict[str, RunFolder], tmp_path: Path, form: Any) -> None:
    like = frozen["noop"]
    sealed = remade(tmp_path / "sealed", like, [(t, {}) for t in trajectories(like)], origin="sealed")
    to = tmp_path / "out.json"

    with pytest.raises(ConfigError, match=r"sealed split 'mini'.*--allow-sealed"):
        export([sealed], to, ExportSettings(form))
    with pytest.raises(ConfigError, match="--allow-sealed"):
        export([sealed], to, ExportSettings("csv", steps=True))
    assert not to.exists()
    assert export([sealed], to, ExportSettings("csv")) == 4
    assert export([sealed], to, ExportSettings(form, allow_sealed=True)) == 4


def test_whoever_learns_from_what_models_are_compared_on_is_told(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    run = remade(tmp_path / "run", like, [(t, {}) for t in trajectories(like)], split="splits/hard")

    (said,) = warnings_for([run], ExportSettings("chat"))
    assert said.startswith("'splits/hard' is a split that models are compared on")
    assert warnings_for([run], ExportSettings("csv")) == []
    assert "was given the gold" in warnings_for([frozen["oracle"]], ExportSettings("dpo"))[0]


# -- pairs ------------------------------------------------------------------------------------------------------------


def chats(run: RunFolder, path: Path) -> dict[str, list[Json]]:
    return {line["chain"]: line["messages"] for line in lines_of([run], path, format="chat")}


def test_a_pair_is_two_chats_from_where_they_part(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    right, wrong = chats(frozen["oracle"], tmp_path / "right"), chats(frozen["noop"], tmp_path / "wrong")

    pairs = lines_of([frozen["noop"], frozen["oracle"]], tmp_path / "pairs", format="dpo")

    assert pairs
    for pair in pairs:
        assert pair["prompt"] + pair["chosen"] == right[pair["chain"]]
        assert pair["prompt"] + pair["rejected"] == wrong[pair["chain"]]
        assert pair["chosen"][0] != pair["rejected"][0]
        assert {pair["chosen"][0]["role"], pair["rejected"][0]["role"]} == {"assistant"}
        assert pair["status"]["chosen"]["outcome"]["end_to_end_correct"] == 1
        assert pair["status"]["rejected"]["outcome"]["end_to_end_correct"] == 0
        assert (pair["sources"]["chosen"]["agent"], pair["rule"]) == ("oracle", "a^e: 1 before 0")


def test_a_pair_of_calls_is_one_question_with_two_answers(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    pairs = lines_of([frozen["noop"], frozen["oracle"]], tmp_path / "pairs", format="dpo", by="call")

    assert pairs
    assert {tuple(m["role"] for m in pair["prompt"]) for pair in pairs} == {("system", "user")}
    assert all(len(pair["chosen"]) == len(pair["rejected"]) == 1 for pair in pairs)


def test_rules_look_at_their_own_phase(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    runs = [frozen["noop"], frozen["oracle"], frozen["rules+explorer"]]
    gate = lines_of(runs, tmp_path / "gate", format="dpo", rule="gate")
    web = lines_of(runs, tmp_path / "web", format="dpo", rule="web")

    assert gate
    assert web
    assert all(pair["status"]["chosen"]["outcome"]["gate.passed"] for pair in gate)
    assert all('"message"' not in pair["prompt"][0]["content"] and len(pair["chosen"]) == 1 for pair in gate)
    assert not any("<<<open message" in m["content"] for pair in web for m in pair["prompt"] + pair["chosen"])


def test_pairs_do_not_depend_on_the_order_of_files(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["oracle"]
    turned = remade(tmp_path / "turned", like, [(t, {}) for t in reversed(trajectories(like))])
    score_run(turned)

    def told(run: RunFolder, name: str) -> set[str]:
        pairs = lines_of([frozen["noop"], run, frozen["rules+explorer"]], tmp_path / name, format="dpo")
        return {json.dumps([pair["prompt"], pair["chosen"], pair["rejected"]]) for pair in pairs}

    assert told(turned, "turned.jsonl") == told(like, "like.jsonl")


def test_what_was_shown_otherwise_is_no_choice(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    """The environment itself told the two different things after the same answers."""
    like = frozen["oracle"]
    changed = []
    for trajectory in map(misjudged, trajectories(like)):
        first = trajectory.steps[0].model_copy(update={"feedback": "The restoration is committed!"})
        changed.append(trajectory.model_copy(update={"steps": (first, *trajectory.steps[1:])}))
    other = remade(tmp_path / "other", like, [(t, {}) for t in changed])
    score_run(other)

    assert {0, 1} <= {o.end_to_end_correct for run in (like, other) for o in load_scores(run).outcomes}
    assert lines_of([like, other], tmp_path / "pairs", format="dpo") == []


def test_pairs_need_two_scored_runs_of_one_split(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    episodes = [(t, {}) for t in trajectories(like)]
    unscored = remade(tmp_path / "unscored", like, episodes)
    elsewhere = remade(tmp_path / "elsewhere", like, episodes, split_sha256="0" * 64)
    to = tmp_path / "pairs"

    with pytest.raises(ConfigError, match="two runs or more"):
        export([like], to, ExportSettings("dpo"))
    with pytest.raises(ConfigError, match="on one split"):
        export([like, elsewhere], to, ExportSettings("dpo"))
    with pytest.raises(InputFileError, match="a pair needs it: score the run first"):
        export([like, unscored], to, ExportSettings("dpo"))
