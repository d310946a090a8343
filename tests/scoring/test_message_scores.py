"""Predictions for messages without a site: every figure by hand, groups, what is missing, what does not belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.messages.official import write_predictions
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.gold import MessageGold, Trace
from riskchain_gym.protocol.message import Platform
from riskchain_gym.scoring.messages import (
    GROUPINGS,
    read_gold_rows,
    score_commits,
    score_predictions,
    summarize_by,
    summarize_messages,
)

ENTRY, OTHER = "kab.cd.test", "kab.ce.test"


def gold_row(name: str, **changes: Any) -> GoldRow:
    recipe, severity, ceiling = (changes.pop(key, default) for key, default in (
        ("recipe", "zero_width@2"), ("severity", 2), ("ceiling", 1.0),
    ))  # fmt: skip
    fields = {
        "entry": ENTRY, "messages": (RestoredMessage(message_id="m001", text="0123456789"),), "topic": "betting",
        "intent": Intent.OPEN_SITE, "platform": Platform.QQ, "skeleton": "s", **changes,
    }  # fmt: skip
    gold = MessageGold(**fields, traces={"v000": Trace(recipe=recipe, stages={})}, ceilings={"v000": ceiling})
    return GoldRow.of(name, "v000", gold, severity=severity, pair="", attribute="")


def commit(*entries: str, text: str = "0123456789", intent: Intent = Intent.OPEN_SITE) -> Commit:
    return Commit(
        reconstructed_messages=(RestoredMessage(message_id="m001", text=text),),
        intent=intent,
        platform=Platform.QQ,
        entry_candidates=tuple(EntryCandidate(rank=rank, value=value) for rank, value in enumerate(entries, 1)),
    )


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
        "nowhere--v000": commit(),
        "lured--v000": commit(ENTRY),
    }
    scores = summarize_messages(score_commits(rows, commits))
    assert scores.model_dump() == {
        "messages": 6,
        "missing": 0,
        "with_entry": 4,
        "entry_top1": 1 / 4,
        "ceiling": 3.5 / 4,
        "recall_at_5": 2 / 4,
        "false_entry": 1 / 2,
        "message_exact": 4 / 6,
        "cer": 11 / 60,
        "intent_accuracy": 5 / 6,
        "full": 2 / 6,
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


def test_of_imported_messages_only_what_is_known_is_scored() -> None:
    unknown = {"recipe": "imported", "severity": None, "form": "imported", "topic": "", "intent": Intent.UNKNOWN}
    unknown["ceiling"] = None
    rows = [gold_row("a", **unknown), gold_row("b", entry=None, **unknown)]
    scores = summarize_messages(score_commits(rows, {"a--v000": commit(ENTRY), "b--v000": commit(OTHER)}))
    assert (scores.intent_accuracy, scores.full, scores.ceiling, scores.false_entry) == (None, None, None, None)
    assert (scores.with_entry, scores.entry_top1, scores.message_exact) == (1, 1, 1)


def test_a_message_counts_for_every_technique_of_its_recipe() -> None:
    rows = [
        gold_row("a", recipe="homophones@1+zero_width@3", severity=3),
        gold_row("b", recipe="zero_width@2"),
        gold_row("c", recipe="primary", severity=None, topic="", form="split", platform=Platform.WEIBO),
    ]
    scored = score_commits(rows, {"a--v000": commit(ENTRY)})
    groups = {by: {name: s.messages for name, s in summarize_by(by, scored).items()} for by in GROUPINGS}
    assert groups == {
        "technique": {"homophones": 1, "primary": 1, "zero_width": 2},
        "recipe": {"homophones@1+zero_width@3": 1, "primary": 1, "zero_width@2": 1},
        "severity": {"2": 1, "3": 1, "none": 1},
        "form": {"single": 2, "split": 1},
        "topic": {"betting": 2, "none": 1},
        "platform": {"qq": 2, "weibo": 1},
    }
    assert summarize_by("technique", scored)["zero_width"].entry_top1 == 1 / 2


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
    with pytest.raises(ValueError, match="no message to summarise"):
        summarize_messages([])
