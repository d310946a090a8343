"""What gets a rank on a board, and what stands on it without one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from board_cases import entry, no_controls, sealed, small_split
from run_cases import lost, misjudged, sent, trajectories, unreported

from riskchain_gym.evaluation.leaderboard import building
from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.board_tables import overview_table
from riskchain_gym.evaluation.leaderboard.building import build_board
from riskchain_gym.evaluation.leaderboard.cards import Card, Cards, read_cards
from riskchain_gym.evaluation.leaderboard.main_tables import decisions_table, remarks_of
from riskchain_gym.evaluation.leaderboard.pair_tables import told_table
from riskchain_gym.evaluation.leaderboard.stratum_tables import stratum_tables
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError


@pytest.fixture(autouse=True)
def without_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "control_rows", no_controls)


@pytest.fixture
def good(frozen: dict[str, RunFolder]) -> RunFolder:
    return frozen["rules+explorer"]


def _half_wrong(run: RunFolder) -> list[object]:
    episodes = trajectories(run)
    return [misjudged(t) if i % 2 else t for i, t in enumerate(episodes)]


def test_sealed_rows_are_ranked_by_what_is_right_end_to_end(tmp_path: Path, good: RunFolder) -> None:
    runs = [
        sealed(tmp_path / "half", good, _half_wrong(good), agent="half"),
        sealed(tmp_path / "good", good, agent="good"),
        sealed(tmp_path / "twin", good, agent="twin"),
    ]
    (section,) = build_board(runs).sections
    assert section.sealed
    assert [(row.name, row.rank) for row in section.entries] == [("good", 1), ("twin", 1), ("half", 3)]
    assert all(row.rank_low is not None and row.rank_low <= row.rank_high for row in section.entries)
    assert entry(section, "half").figures["end_to_end_accuracy"].value == 0.5


def test_open_gold_is_never_ranked(tmp_path: Path, good: RunFolder) -> None:
    split = small_split(tmp_path / "open" / "test", good.manifest.chains, "open")
    runs = [
        sealed(tmp_path / "half", good, _half_wrong(good), agent="half", **split),
        sealed(tmp_path / "good", good, **split),
    ]
    (section,) = build_board(runs).sections
    assert not section.sealed
    assert [(row.name, row.rank, row.web_rank, row.unranked) for row in section.entries] == [
        ("rules+explorer", None, None, ()),
        ("half", None, None, ()),
    ]


def test_who_is_not_ranked_says_why(tmp_path: Path, good: RunFolder) -> None:
    episodes = trajectories(good)
    environment = good.manifest.environment.model_copy(update={"max_steps": 15})
    runs = [
        sealed(tmp_path / "fine", good, agent="fine"),
        sealed(tmp_path / "control", good, agent="control", agent_kind="control"),
        sealed(tmp_path / "begun", good, episodes[:2], agent="begun", freeze=False),
        sealed(tmp_path / "loose", good, agent="loose", freeze=False),
        sealed(tmp_path / "lossy", good, [lost(episodes[0]), *episodes[1:]], agent="lossy"),
        sealed(tmp_path / "short", good, agent="short", environment=environment),
        sealed(tmp_path / "fewer", good, episodes[:2], agent="fewer", chains=good.manifest.chains[:2]),
    ]
    (section,) = build_board(runs).sections
    why = {row.name: " ".join(row.unranked) for row in section.entries}
    assert [row.name for row in section.entries if row.rank is not None] == ["fine"]
    assert why["fine"] == ""
    assert "control" in why["control"]
    assert "2 of the split's 4 chains" in why["fewer"]
    assert "incomplete: 2 of 4" in why["begun"]
    assert "not frozen" in why["loose"]
    assert "25.0 % lost to infrastructure" in why["lossy"]
    assert "max_steps = 15" in why["short"]


def test_lost_episodes_tell_the_best_and_the_worst_case(tmp_path: Path, good: RunFolder) -> None:
    episodes = trajectories(good)
    run = sealed(tmp_path / "lossy", good, [lost(episodes[0]), *episodes[1:]], agent="lossy")
    (row,) = build_board([run]).sections[0].entries
    assert (row.lost, row.worst, row.best) == (0.25, 0.75, 1.0)
    assert any("75.0 at worst, 100.0 at best" in remark for remark in row.remarks)


def test_a_run_that_is_not_what_it_was_frozen_as_is_refused_by_name(tmp_path: Path, good: RunFolder) -> None:
    run = sealed(tmp_path / "run", good, agent="agent")
    seal = json.loads((run.path / "frozen.json").read_text())
    (run.path / "frozen.json").write_text(json.dumps({**seal, "last": "0" * 64}))
    with pytest.raises(InputFileError, match=r"frozen\.json: last"):
        build_board([run])


def test_scores_on_disk_count_for_nothing_and_changed_ones_are_refused(tmp_path: Path, good: RunFolder) -> None:
    run = sealed(tmp_path / "run", good, _half_wrong(good), agent="agent")
    score_run(run)
    whole = run.scores()
    told = json.loads(whole)
    for outcome in told["outcomes"]:
        outcome["end_to_end_correct"] = 1
    (run.path / "scores.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputFileError, match=r"run/scores\.json: is not what scoring gives now: .*--rescore"):
        build_board([run])
    earlier = json.loads(whole)
    for prefix in earlier["prefixes"]:
        del prefix["ends"]
    (run.path / "scores.json").write_text(json.dumps(earlier), encoding="utf-8")
    (row,) = build_board([run]).sections[0].entries
    assert row.figures["end_to_end_accuracy"].value == 0.5


def test_a_board_writes_nothing_into_runs(tmp_path: Path, good: RunFolder) -> None:
    runs = [sealed(tmp_path / str(n), good, agent="agent", repeat=n) for n in range(2)]
    build_board(runs)
    assert not [run for run in runs if (run.path / "scores.json").exists()]


def test_who_breaks_the_protocol_is_not_ranked(tmp_path: Path, good: RunFolder) -> None:
    wrong = [t.model_copy(update={"steps": sent(misjudged(t)).steps}) for t in trajectories(good)[:2]]
    runs = [
        sealed(tmp_path / "forged", good, [*wrong, *trajectories(good)[2:]], agent="forged", honest=False),
        sealed(tmp_path / "fine", good, _half_wrong(good), agent="fine"),
    ]
    (section,) = build_board(runs).sections
    assert [(row.name, row.rank) for row in section.entries] == [("fine", 1), ("forged", None)]
    assert entry(section, "forged").unranked == ("protocol broken in 2 episodes: `riskchain runs verify` says where",)
    assert remarks_of(entry(section, "forged")) == entry(section, "forged").unranked


def test_a_changed_line_is_refused(tmp_path: Path, good: RunFolder) -> None:
    run = sealed(tmp_path / "run", good, agent="agent")
    shard = run.path / "shards" / "00000.jsonl"
    shard.write_text(shard.read_text(encoding="utf-8").replace("VIOLATION", "VIOLATIOM", 1), encoding="utf-8")
    with pytest.raises(InputFileError, match=r"00000\.jsonl"):
        build_board([run])


def test_repeats_of_an_agent_make_one_row_with_their_spread(tmp_path: Path, good: RunFolder) -> None:
    runs = [
        sealed(tmp_path / "b", good, _half_wrong(good), agent="agent", repeat=1),
        sealed(tmp_path / "a", good, agent="agent", repeat=0),
    ]
    (row,) = build_board(runs).sections[0].entries
    assert [run.repeat for run in row.runs] == [0, 1]
    assert row.figures["end_to_end_accuracy"].value == 0.75
    assert row.spread is not None
    assert row.spread.figures["end_to_end_accuracy"].values == (1.0, 0.5)
    assert sum(row.first_failures.values()) == 4
    assert "mean of 2 repeats" in row.remarks


def test_the_same_repeat_twice_is_two_rows_told_apart_by_their_folders(tmp_path: Path, good: RunFolder) -> None:
    runs = [sealed(tmp_path / name, good, agent="agent") for name in ("one", "two")]
    names = {row.name for row in build_board(runs).sections[0].entries}
    assert names == {"agent · one", "agent · two"}


def test_splits_are_told_apart_by_content_and_sealed_ones_come_first(tmp_path: Path, good: RunFolder) -> None:
    board = build_board([good, sealed(tmp_path / "run", good)])
    assert [(section.name, section.origin) for section in board.sections] == [("test", "sealed"), ("mini", "open")]
    assert [row.rank for section in board.sections for row in section.entries] == [1, None]
    assert {row.name for section in board.sections for row in section.entries} == {"rules+explorer"}


def test_a_run_cannot_say_by_itself_that_its_gold_is_sealed(tmp_path: Path, good: RunFolder) -> None:
    told = {"split": "mini", "split_sha256": good.manifest.split_sha256}
    with pytest.raises(InputFileError, match="origin: says that the gold is sealed"):
        build_board([sealed(tmp_path / "run", good, **told)])


def test_the_split_and_not_the_run_says_how_many_chains_there_are(tmp_path: Path, good: RunFolder) -> None:
    few = good.manifest.chains[:2]
    run = sealed(tmp_path / "run", good, trajectories(good)[:2], chains=few, split_chains=2)
    (row,) = build_board([run]).sections[0].entries
    assert row.rank is None
    assert row.unranked == ("2 of the split's 4 chains",)


def test_runs_that_were_scored_against_other_labels_do_not_share_a_table(tmp_path: Path, good: RunFolder) -> None:
    here, other = sealed(tmp_path / "a" / "run", good), tmp_path / "b" / "run"
    there = sealed(other, good, agent="another")
    folder = tmp_path / "b" / "splits" / "test"
    gold = (folder / "gold.jsonl").read_bytes().replace(b"\n", b" \n", 1)
    (folder / "gold.jsonl").write_bytes(gold)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"]["gold.jsonl"] = hashlib.sha256(gold).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigError, match="different golds"):
        build_board([here, there])


def test_a_run_on_another_split_than_the_one_here_is_refused(tmp_path: Path, good: RunFolder) -> None:
    with pytest.raises(InputFileError, match="split_sha256"):
        build_board([sealed(tmp_path / "other", good, split_sha256="0" * 64)])


def test_pairs_turn_where_who_is_ahead_on_the_web_is_behind_at_the_gate(tmp_path: Path, good: RunFolder) -> None:
    closed = [
        t.model_copy(update={"commit": t.commit.model_copy(update={"entry_candidates": ()})})
        for t in trajectories(good)
    ]
    runs = [
        sealed(tmp_path / "reader", good, closed, agent="reader"),
        sealed(tmp_path / "gate", good, _half_wrong(good), agent="gate"),
    ]
    (section,) = build_board(runs).sections
    (pair,) = section.pairs
    assert pair.turned
    assert entry(section, "reader").web_rank == 1
    assert entry(section, "reader").rank == 2


def test_missing_reports_are_first_failures(tmp_path: Path, good: RunFolder) -> None:
    run = sealed(tmp_path / "run", good, [unreported(t) for t in trajectories(good)], agent="silent")
    (row,) = build_board([run]).sections[0].entries
    assert row.first_failures == {"missing_report": 4.0}


def test_cards_are_found_by_agent_then_by_model() -> None:
    cards = Cards(models={"m-1": Card(cutoff="2025-08"), "m": Card(cutoff="2024")}, agents={"a": Card(cutoff="2023")})
    assert cards.of("a", ("m-1",)) == Card(cutoff="2023")
    assert cards.of("b", ("m-1", "m")) == Card(cutoff="2025-08")
    assert cards.of("b", ()) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[models."m"]\ncutoff = "last year"', "cutoff"),
        ('[models."m"]\ncut_off = "2025"', "did you mean cutoff"),
        ("[models", "TOML"),
    ],
)
def test_cards_that_cannot_be_read_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError, match=said):
        read_cards(path)


def test_a_baseline_must_be_a_row(good: RunFolder) -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean rules\+explorer"):
        build_board([good], baseline="rules+explore")


def test_no_run_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        build_board([])


def test_the_order_that_runs_are_given_in_changes_nothing(frozen: dict[str, RunFolder]) -> None:
    runs = list(frozen.values())
    assert build_board(runs) == build_board(runs[::-1])


def test_a_board_survives_its_json(frozen: dict[str, RunFolder]) -> None:
    board = build_board(list(frozen.values()))
    assert Board.model_validate_json(board.model_dump_json()) == board


def test_a_part_of_a_split_stands_below_the_whole_and_is_never_the_best(tmp_path: Path, good: RunFolder) -> None:
    part = trajectories(good)[:2]
    runs = [
        sealed(tmp_path / "part", good, part, agent="part", chains=good.manifest.chains[:2]),
        sealed(tmp_path / "half", good, _half_wrong(good), agent="half"),
        sealed(tmp_path / "third", good, [misjudged(t) for t in trajectories(good)], agent="third"),
        sealed(tmp_path / "control", good, agent="control", agent_kind="control"),
    ]
    split = small_split(tmp_path / "open" / "test", good.manifest.chains, "open")
    opened = [
        sealed(tmp_path / "open-part", good, part, agent="part", **(split | {"chains": good.manifest.chains[:2]})),
        sealed(tmp_path / "open-half", good, _half_wrong(good), agent="half", **split),
        sealed(tmp_path / "open-control", good, agent="control", agent_kind="control", **split),
    ]
    ranked, unranked = build_board(runs), build_board(opened)
    named = [[line.name for line in decisions_table(board.sections[0]).lines] for board in (ranked, unranked)]
    assert named == [["half", "third", "part", "control"], ["half", "part", "control"]]
    assert [[line.name for line in overview_table(board).lines] for board in (ranked, unranked)] == named
    table = decisions_table(ranked.sections[0])
    assert {line.name for line in table.lines if any(cell.best for cell in line.cells)} == {"half"}
    assert "on a part of the split below" in table.caption


def test_told_budgets_are_marked_and_their_repeats_told_apart(tmp_path: Path, good: RunFolder) -> None:
    short = good.manifest.environment.model_copy(update={"max_steps": 15})
    runs = [
        sealed(tmp_path / f"{name}-{n}", good, agent="agent", agent_kind="control", repeat=n, **changed)
        for n in range(2)
        for name, changed in (("long", {}), ("short", {"environment": short}))
    ]
    (section,) = build_board(runs).sections
    lines = told_table(section).lines
    assert [(line.name, line.kind) for line in lines] == [
        ("agent · repeat 1", "control"),
        ("agent · repeat 2", "control"),
    ]
    assert [heading.label[-1] for heading in stratum_tables(section)[0].headings[1:]] == ["°", "°"]
