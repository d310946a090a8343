"""Predictions for messages without a site: every figure by hand, groups, what is missing, what does not belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scored_messages import ENTRY, OTHER, commit, gold_row

from riskchain_gym.messages.official import write_predictions
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.scoring.message_figures import all_variant_gate, variant_gates
from riskchain_gym.scoring.message_scores import policy_differences, summarize_messages
from riskchain_gym.scoring.messages import read_gold_rows, score_commits, score_predictions


def test_every_figure_is_what_it_says() -> None:
    rows = [
        gold_row("right", ceiling=0.5),
        gold_row("second"),
        gold_row("wrong"),
        gold_row("none"),
        gold_row("nowhere", entry=None),
        gold_row("lured", entry=None),
    ]
    commits = {
        "right--v000": commit(ENTRY),
        "second--v000": commit(OTHER, ENTRY, text="012345678"),
        "wrong--v000": commit(OTHER, intent=Intent.UNKNOWN),
        "none--v000": commit(text=""),
        "nowhere--v000": commit().model_copy(update={"abstain": True}),
        "lured--v000": commit(ENTRY),
    }
    scores = summarize_messages(score_commits(rows, commits))
    assert scores.model_dump() == {
        "messages": 6,
        "sessions": 6,
        "missing": 0,
        "with_entry": 4,
        "without_entry": 2,
        "untouched": 0,
        "several_variants": 0,
        "entry_top1": 1 / 4,
        "entry_top1_strict": 1 / 4,
        "entry_top1_handoff": 1 / 4,
        "ceiling": 3.5 / 4,
        "recall_at_1": 1 / 4,
        "recall_at_2": 2 / 4,
        "recall_at_3": 2 / 4,
        "recall_at_5": 2 / 4,
        "lookups_at_1": 3 / 4,
        "lookups_at_2": 4 / 4,
        "lookups_at_3": 4 / 4,
        "lookups_at_5": 4 / 4,
        "false_entry": 1 / 2,
        "message_exact": 4 / 6,
        "cer": 11 / 60,
        "token_error": 2 / 6,
        "intent_accuracy": 5 / 6,
        "full": 2 / 6,
        "abstain_rate": 1 / 6,
        "false_edit": None,
        "all_variants": None,
        "any_variant": None,
        "consistency": None,
    }


def test_a_missing_prediction_is_wrong_in_every_figure() -> None:
    rows = [
        gold_row("a", intent=Intent.UNKNOWN),
        gold_row("b", entry=None, intent=Intent.UNKNOWN, messages=(RestoredMessage(message_id="m001", text=""),)),
    ]
    scores = summarize_messages(score_commits(rows, {}))
    assert (scores.messages, scores.missing) == (2, 2)
    assert (scores.entry_top1, scores.recall_at_5, scores.false_entry) == (0, 0, 1)
    assert (scores.message_exact, scores.cer, scores.intent_accuracy, scores.full) == (0, 1, 0, 0)
    assert scores.abstain_rate is None
    assert (scores.entry_top1_strict, scores.entry_top1_handoff, scores.lookups_at_5, scores.token_error) == (
        0,
        0,
        0,
        1,
    )


def test_of_imported_messages_only_what_is_known_is_scored() -> None:
    unknown = {"recipe": "imported", "severity": None, "form": "imported", "topic": "", "intent": Intent.UNKNOWN}
    unknown["ceiling"] = None
    rows = [gold_row("a", **unknown), gold_row("b", entry=None, **unknown)]
    scores = summarize_messages(score_commits(rows, {"a--v000": commit(ENTRY), "b--v000": commit(OTHER)}))
    assert (scores.intent_accuracy, scores.full, scores.ceiling, scores.false_entry) == (None, None, None, None)
    assert (scores.with_entry, scores.entry_top1, scores.message_exact) == (1, 1, 1)


def write_gold(path: Path, *rows: GoldRow, **changes: Any) -> Path:
    lines = [json.dumps({**row.model_dump(mode="json"), **changes}) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_files_are_matched_by_id_and_what_does_not_belong_is_named(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl", gold_row("a"), gold_row("b"))
    made = tmp_path / "p.jsonl"
    write_predictions(made, [("b--v000", commit(ENTRY))], model_id="m", run_id="r")
    first, second = score_predictions(made, gold)
    assert (first.row.sample_id, first.commit) == ("a--v000", None)
    assert second.commit is not None
    assert [c.value for c in second.commit.entry_candidates] == [ENTRY]
    write_predictions(made, [("b--v000", commit()), ("c--v000", commit())], model_id="m", run_id="r")
    with pytest.raises(InputFileError, match=r"sample_id: has a prediction for 'c--v000', which .*gold\.jsonl lacks"):
        score_predictions(made, gold)
    made.write_text(made.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with made.open("a", encoding="utf-8") as file:
        file.write(made.read_text(encoding="utf-8"))
    with pytest.raises(InputFileError, match="line 2: sample_id: 'b--v000' stands on line 1"):
        score_predictions(made, gold)


def test_gold_that_was_changed_or_doubled_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    row = gold_row("a")
    with pytest.raises(InputFileError, match="line 1: record_sha256"):
        read_gold_rows(write_gold(path, row, entry=OTHER))
    with pytest.raises(InputFileError, match="line 2: sample_id"):
        read_gold_rows(write_gold(path, row, row))
    with pytest.raises(InputFileError, match="line 1: schema_version"):
        read_gold_rows(write_gold(path, row, schema_version="riskchain-message-task/v1"))
    with pytest.raises(InputFileError, match=r"line 1: entry: must be .* got 'x\.test'"):
        read_gold_rows(write_gold(path, gold_row("a", entry="x.test")))
    with pytest.raises(ValueError, match="no message to summarise"):
        summarize_messages([])


def test_the_three_policies_go_by_the_ranks_and_the_order_of_the_file(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl", *(gold_row(name) for name in ("plain", "url", "gap", "order", "none")))
    made = tmp_path / "p.jsonl"
    ranked = {
        "plain": [(1, ENTRY)],
        "url": [(1, f"https://{ENTRY}/")],
        "gap": [(3, ENTRY)],
        "order": [(2, OTHER), (1, ENTRY)],
        "none": [(1, OTHER)],
    }
    write_predictions(made, [(f"{name}--v000", commit()) for name in ranked], model_id="m", run_id="r")
    rows = [json.loads(line) for line in made.read_text(encoding="utf-8").splitlines()]
    for row, candidates in zip(rows, ranked.values(), strict=True):
        row["entry_candidates"] = [{"rank": rank, "value": value, "confidence": 1} for rank, value in candidates]
    made.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    scored = score_predictions(made, gold)
    scores = summarize_messages(scored)
    assert (scores.entry_top1, scores.entry_top1_strict, scores.entry_top1_handoff) == (4 / 5, 2 / 5, 2 / 5)
    assert [(each.sample_id, each.historical, each.strict, each.handoff) for each in policy_differences(scored)] == [
        ("url--v000", True, False, False),
        ("gap--v000", True, False, True),
        ("order--v000", True, True, False),
    ]


def test_look_ups_stop_at_the_right_entry_and_at_the_last_candidate() -> None:
    rows = [gold_row(name) for name in ("first", "third", "wrong", "silent")]
    entries = {"first": [ENTRY, OTHER], "third": ["a.b.test", OTHER, ENTRY, "c.d.test"], "wrong": [OTHER, "a.b.test"]}
    scored = score_commits(rows, {f"{name}--v000": commit(*named) for name, named in entries.items()})
    scores = summarize_messages(scored)
    found = [scores.recall_at_1, scores.recall_at_2, scores.recall_at_3, scores.recall_at_5]
    spent = [scores.lookups_at_1, scores.lookups_at_2, scores.lookups_at_3, scores.lookups_at_5]
    assert found == [1 / 4, 1 / 4, 2 / 4, 2 / 4]
    assert spent == [3 / 4, 5 / 4, 6 / 4, 6 / 4]


def test_what_was_shown_as_it_is_must_come_back_as_it_was() -> None:
    texts = (RestoredMessage(message_id="m001", text="能看吗"), RestoredMessage(message_id="m002", text="还是那里"))
    plain = {"recipe": "clean", "severity": 0, "edits": {"m001": ()}}
    rows = [
        gold_row("kept", **plain),
        gold_row("edited", **plain),
        gold_row("missing", **plain),
        gold_row("half", messages=texts, edits={"m002": gold_row("x").trace.stages["m001"]}),
        gold_row("imported", recipe="imported", severity=None, edits={}),
    ]
    commits = {
        "kept--v000": commit(ENTRY, text="0123456789 "),
        "edited--v000": commit(ENTRY, text="012345678"),
        "half--v000": commit(ENTRY, text="能看吗"),
        "imported--v000": commit(ENTRY, text="else"),
    }
    scores = summarize_messages(score_commits(rows, commits))
    assert (scores.untouched, scores.false_edit) == (4, 2 / 4)


def test_sessions_are_consistent_where_every_variant_leads_to_the_entry() -> None:
    right = {"both": "01", "one": "0", "never": "", "lone": "0"}
    rows = [gold_row(name, f"v00{v}") for name in right for v in range(2) if (name, v) != ("lone", 1)]
    rows += [gold_row("nowhere", f"v00{v}", entry=None) for v in range(2)]
    commits = {f"{name}--v00{v}": commit(ENTRY) for name, variants in right.items() for v in variants}
    scored = score_commits(rows, commits)
    scores = summarize_messages(scored)
    assert (scores.sessions, scores.several_variants) == (5, 3)
    assert (scores.all_variants, scores.any_variant, scores.consistency) == (1 / 3, 2 / 3, 1 / 2)
    assert summarize_messages(score_commits(rows, {})).consistency is None
    gates = variant_gates(scored)
    assert gates == {"both": (True, True), "one": (True, False), "never": (False, False), "lone": (True,)}
    assert all_variant_gate(gates) == {"both": True, "one": False, "never": False, "lone": True}
    with pytest.raises(ValueError, match="'s' has no variant"):
        all_variant_gate({"s": ()})


def test_models_that_are_mixed_and_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl", gold_row("a"), gold_row("b"))
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_predictions(one, [("a--v000", commit(ENTRY))], model_id="m", run_id="r")
    write_predictions(two, [("b--v000", commit(ENTRY))], model_id="n", run_id="r")
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(one.read_text(encoding="utf-8") + two.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputFileError, match="model_id: is 'm' and, at 'b--v000', 'n': score one model a file"):
        score_predictions(mixed, gold)
    row = json.loads(one.read_text(encoding="utf-8"))
    row["entry_candidates"][0]["confidence"] = float("nan")
    one.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputFileError, match="line 1: holds NaN"):
        score_predictions(one, gold)
