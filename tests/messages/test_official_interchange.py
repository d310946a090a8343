"""Our sessions as published rows, and published evaluator and prediction rows read for scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from official_cases import COMMIT, CONTENT, write
from pydantic import ValidationError

from riskchain_gym.messages.official import (
    ClientContext,
    PredictionRow,
    read_evaluator_rows,
    read_inputs,
    read_predictions,
    write_inputs,
    write_predictions,
)
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.scoring.restoration import score_restoration

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PROMPT = {"prompt_id": "our-prompt", "prompt_sha256": "a" * 64}


def message(*contents: str, surface: Surface = Surface.GROUP_CHAT) -> Message:
    chats = tuple(ChatMessage(message_id=f"m{n:03d}", content=text) for n, text in enumerate(contents, 1))
    return Message(platform=Platform.DOUYIN, surface=surface, messages=chats)


@given(st.lists(st.lists(ANY_TEXT, min_size=1, max_size=3), min_size=1, max_size=3))
@settings(deadline=None)
def test_any_message_written_as_a_published_row_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("inputs") / "in.jsonl"
    tasks = [(f"s{place}--v000", message(*contents)) for place, contents in enumerate(sessions)]
    assert write_inputs(path, tasks, **PROMPT) == len(tasks)
    assert list(read_inputs(path)) == tasks
    # Readers that end a line wherever Unicode sees one find the same rows.
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(tasks)


def test_input_rows_hold_the_published_fields_and_their_own_hash(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    client = ClientContext(client_type="APP", os="ANDROID", client_version="1", locale="zh-CN")
    write_inputs(path, [("x7--v000", message(CONTENT))], **PROMPT, client_context=client)
    row = json.loads(path.read_text(encoding="utf-8"))
    assert row == {
        "schema_version": "obfuscated-reconstruction-task/v0.1",
        "sample_id": "x7--v000",
        "platform": "douyin",
        "surface": "GROUP_CHAT",
        "client_context": {"client_type": "APP", "os": "ANDROID", "client_version": "1", "locale": "zh-CN"},
        "input_view": "TOKEN_TEXT",
        "messages": [{"message_id": "m001", "role": "sender", "content": CONTENT}],
        **PROMPT,
        "task_sha256": row["task_sha256"],
    }
    assert row["task_sha256"] == sha256_of({name: value for name, value in row.items() if name != "task_sha256"})


def test_input_rows_that_nobody_could_read_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    with pytest.raises(ConfigError, match="Sample id 'a' comes twice"):
        write_inputs(path, [("a", message("x")), ("a", message("y"))], **PROMPT)
    with pytest.raises(ValidationError, match="half a surrogate pair"):
        write_inputs(path, [("a", message("\ud83d"))], **PROMPT)
    with pytest.raises(ValidationError, match="prompt_sha256"):
        write_inputs(path, [("a", message("x"))], prompt_id="p", prompt_sha256="abc")
    assert not path.exists()


def evaluator_row(**changes: Any) -> dict[str, Any]:
    row = {
        "schema_version": "obfuscated-session-generation/v0.2",
        "sample_id": "x7--v000",
        "session_id": "x7",
        "platform": "weibo",
        "risk_type": "benign_control",
        "intent": "open_site",
        "source_session": {
            "messages": [
                {"message_id": "m001", "role": "sender", "text": "请看 {ENTRY}。", "transform": True},
                {"message_id": "m002", "role": "recipient", "text": "好", "transform": False},
            ]
        },
        "gold_reconstruction": {
            "entry_type": "SITE",
            "entry_value": "kab.cd.test",
            "messages": [
                {"message_id": "m001", "text": "请看 kab.cd.test。"},
                {"message_id": "m002", "text": "好"},
            ],
        },
        "temperature": 0.5,
        "unheard_of": [{"a": None}],
        **changes,
    }
    return {"record_sha256": sha256_of(row), **row}


def test_evaluator_rows_give_the_gold_that_scoring_takes(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.jsonl", evaluator_row(), evaluator_row(sample_id="x7--v001"))
    (first_id, gold), (second_id, _) = read_evaluator_rows(path)
    assert (first_id, second_id) == ("x7--v000", "x7--v001")
    assert (gold.entry, gold.intent, gold.platform, gold.topic) == (
        "kab.cd.test", Intent.OPEN_SITE, "weibo", "benign_control",
    )  # fmt: skip
    assert [(m.message_id, m.text) for m in gold.messages] == [("m001", "请看 kab.cd.test。")]
    commit = COMMIT.model_copy(update={"platform": Platform.WEIBO})
    restored = commit.model_copy(update={"reconstructed_messages": gold.messages})
    assert score_restoration(restored, gold).full


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ({**evaluator_row(), "platform": "qq"}, "line 1: record_sha256", "but the row hashes to"),
        (evaluator_row(intent="BUY"), "line 1: intent", "got 'BUY'"),
        (evaluator_row(schema_version="v9"), "line 1: schema_version", "obfuscated-session-generation/v0.1"),
        (
            evaluator_row(gold_reconstruction={"entry_value": "a", "messages": [{"message_id": "m002", "text": ""}]}),
            "line 1",
            "gold_reconstruction.messages: no text for m001",
        ),
        (
            evaluator_row(source_session={"messages": [{"message_id": "m001", "transform": True}] * 2}),
            "line 1",
            "message ids must be unique",
        ),
    ],
)
def test_a_wrong_evaluator_row_is_named_by_line_and_field(tmp_path: Path, row: Any, field: str, problem: str) -> None:
    path = write(tmp_path / "gold.jsonl", row)
    with pytest.raises(InputFileError) as caught:
        list(read_evaluator_rows(path))
    assert (caught.value.path, caught.value.field) == (path, field)
    assert problem in caught.value.problem


@given(
    st.lists(
        st.builds(
            Commit,
            reconstructed_messages=st.tuples(st.builds(RestoredMessage, message_id=st.just("m001"), text=ANY_TEXT)),
            intent=st.sampled_from(Intent),
            platform=st.sampled_from([*Platform, "unknown"]),
            entry_candidates=st.lists(ANY_TEXT, max_size=5).map(
                lambda values: tuple(EntryCandidate(rank=n, value=v) for n, v in enumerate(values, 1))
            ),
            abstain=st.booleans(),
            uncertainties=st.lists(ANY_TEXT.filter(bool), max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(deadline=None)
def test_predictions_read_back_as_the_commits_they_say(
    tmp_path_factory: pytest.TempPathFactory, commits: list[Commit]
) -> None:
    path = tmp_path_factory.mktemp("predictions") / "p.jsonl"
    write_predictions(path, [(f"s{n}", commit) for n, commit in enumerate(commits)], model_id="m", run_id="r")
    rows = list(read_predictions(path))
    for row, commit in zip(rows, commits, strict=True):
        said = row.restoration()
        assert (said.reconstructed_messages, said.intent, said.platform, said.abstain) == (
            commit.reconstructed_messages, commit.intent, commit.platform, commit.abstain,
        )  # fmt: skip
        assert [c.model_dump() for c in said.entry_candidates] == [c.model_dump() for c in commit.entry_candidates]
    assert [row.sample_id for row in rows] == [f"s{n}" for n in range(len(commits))]
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(commits)


def test_predictions_of_others_are_cut_to_what_the_published_harness_keeps(tmp_path: Path) -> None:
    row = PredictionRow.of("s", COMMIT, model_id="m", run_id="r").model_dump(mode="json")
    candidates = [{"rank": rank, "value": f"v{rank}", "confidence": 0.1} for rank in (10, 3, 7, 2, 9, 8)]
    others = {**row, "entry_candidates": candidates, "intent": "visit", "uncertainties": ["x" * 900] * 30}
    (read,) = read_predictions(write(tmp_path / "p.jsonl", others))
    said = read.restoration()
    assert [(c.rank, c.value) for c in said.entry_candidates] == [
        (1, "v2"),
        (2, "v3"),
        (3, "v7"),
        (4, "v8"),
        (5, "v9"),
    ]
    assert said.intent == "visit"
    for wrong, field in (({**row, "abstain": 3}, "line 2: abstain"), (row, "line 2: sample_id")):
        with pytest.raises(InputFileError) as caught:
            list(read_predictions(write(tmp_path / "p.jsonl", row, wrong)))
        assert caught.value.field == field


@pytest.mark.parametrize(
    ("intent", "is_right"), [("", False), ("visit", False), (" \t", False), ("UNKNOWN", True), (" unknown ", True)]
)
def test_only_an_intent_that_says_unknown_agrees_with_it(tmp_path: Path, intent: str, is_right: bool) -> None:
    gold = next(read_evaluator_rows(write(tmp_path / "gold.jsonl", evaluator_row(intent="UNKNOWN"))))[1]
    row = PredictionRow.of("x7--v000", COMMIT, model_id="m", run_id="r").model_dump(mode="json")
    others = {**row, "platform": "weibo", "intent": intent}
    (read,) = read_predictions(write(tmp_path / "p.jsonl", others))
    result = score_restoration(read.restoration(), gold)
    assert (result.message_exact, result.entry_rank) == (True, 1)
    assert (result.intent_correct, result.full) == (is_right, is_right)


def test_long_texts_and_candidates_of_others_are_read_and_scored_whole(tmp_path: Path) -> None:
    long = "长" * 20_000
    answer = {"entry_value": "kab.cd.test", "messages": [{"message_id": "m001", "text": long}]}
    source = {"messages": [{"message_id": "m001", "transform": True}]}
    gold_path = write(tmp_path / "gold.jsonl", evaluator_row(gold_reconstruction=answer, source_session=source))
    ((_, gold),) = read_evaluator_rows(gold_path)
    row = PredictionRow.of("s", COMMIT, model_id="m", run_id="r").model_dump(mode="json")
    texts = ({"message_id": "m001", "text": long}, {"message_id": "m001", "text": f"{long}！"})
    candidate = {"rank": 1, "value": "x" * 5000, "confidence": 0.1}
    rows = ({**row, "sample_id": f"s{n}", "reconstructed_messages": [t]} for n, t in enumerate(texts))
    path = write(tmp_path / "p.jsonl", *({**each, "entry_candidates": [candidate]} for each in rows))
    results = [score_restoration(read.restoration(), gold) for read in read_predictions(path)]
    assert [(r.message_exact, r.edit_distance) for r in results] == [(True, 0), (False, 1)]
    with pytest.raises(ValidationError, match="has 20000 characters, at most 8000 are allowed"):
        Commit(reconstructed_messages=gold.messages)


def test_a_key_that_comes_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    keys = [f"k{n}" for n in range(200_000)]
    row = "{" + ", ".join(f'"{key}": 0' for key in [*keys, "k199999"]) + "}"
    with pytest.raises(InputFileError, match="has the key 'k199999' twice"):
        next(read_inputs(write(tmp_path / "in.jsonl", row)))
