"""Official rows: full and short inputs in, schema-valid prediction rows out, errors by file, line and field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from official_cases import COMMIT, CONTENT, write
from pydantic import ValidationError

from riskchain_gym.messages.official import (
    PredictionRow,
    check_ids,
    read_inputs,
    write_predictions,
)
from riskchain_gym.messages.pairs import import_pairs
from riskchain_gym.messages.rows import InputRow
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.model import sha256_of

SHORT = {"session": "s-01", "variant": 3, "platform": "qq", "surface": "COMMENT", "content": CONTENT}


def full_row(**changes: Any) -> dict[str, Any]:
    row = {
        "schema_version": "obfuscated-reconstruction-task/v0.1",
        "sample_id": "x7--v000",
        "platform": "weibo",
        "surface": "LIVE_CHAT",
        "client_context": {"client_type": "APP", "os": "ANDROID", "client_version": "1", "locale": "zh-CN"},
        "input_view": "TOKEN_TEXT",
        "messages": [{"message_id": "m001", "role": "sender", "content": CONTENT}],
        "prompt_id": "p",
        "prompt_sha256": "0" * 64,
        **changes,
    }
    return {"task_sha256": sha256_of(row), **row}


def open_row(**changes: Any) -> dict[str, Any]:
    row = {
        "schema_version": "riskchain-message-task/v1",
        "sample_id": "y8--v000",
        "platform": "douyin",
        "surface": "PRIVATE_MESSAGE",
        "input_view": "TOKEN_TEXT",
        "messages": [
            {"message_id": "m001", "role": "sender", "content": CONTENT},
            {"message_id": "m002", "role": "recipient", "content": "好"},
        ],
        **changes,
    }
    return {"task_sha256": sha256_of(row), **row}


def test_full_and_short_rows_give_messages_code_point_by_code_point(tmp_path: Path) -> None:
    (full_id, full), (short_id, short) = read_inputs(write(tmp_path / "in.jsonl", full_row(), "", SHORT))
    assert (full_id, short_id) == ("x7--v000", "s-01--v003")
    assert full.messages[0].content == short.messages[0].content == CONTENT
    assert (full.platform, full.surface, short.platform) == ("weibo", "LIVE_CHAT", "qq")
    assert "x7" not in full.model_dump_json()


@pytest.mark.parametrize(
    ("row", "field", "problem"),
    [
        ("{", "line 2", "is not JSON"),
        ('{"variant": ' + "9" * 5000 + "}", "line 2", "a number of too many digits"),
        ("[" * 100_000, "line 2", "is nested too deeply"),
        ({**SHORT, "\ud800": 1}, "line 2", "valid string"),
        ({**SHORT, "content": "a\ud83d"}, "line 2: content", "half a surrogate pair"),
        (
            full_row(messages=[{"message_id": "m001", "role": "sender", "content": "\udc00"}]),
            "line 2: messages",
            "half a surrogate pair",
        ),
        ("[1]", "line 2", "holds a list, write one JSON object a line"),
        ('{"session": "a", "session": "b"}', "line 2", "has the key 'session' twice"),
        ('{"variant": NaN}', "line 2", "holds NaN, which is no JSON number"),
        ('{"variant": 1e999}', "line 2", "holds 1e999, which is too large a number"),
        ({**SHORT, "platform": "icq"}, "line 2: platform", "got 'icq'"),
        ({**SHORT, "variant": "3"}, "line 2: variant", "valid integer"),
        ({**SHORT, "session": "s 1"}, "line 2: session", "got 's 1'"),
        ({**SHORT, "session": "s" * 127}, "line 2: session", "String should match pattern"),
        ({**SHORT, "gold": "no"}, "line 2: gold", "Extra inputs are not permitted"),
        ({k: v for k, v in SHORT.items() if k != "content"}, "line 2: content", "Field required"),
        ({**full_row(), "surface": "COMMENT"}, "line 2: task_sha256", "but the row hashes to"),
        (full_row(messages=[]), "line 2: messages", "at least 1 item"),
        (
            full_row(messages=[{"message_id": "m001", "role": "sender", "content": "a"}] * 2),
            "line 2: messages",
            "message ids must be unique",
        ),
        (full_row(sample_id="s-01--v001"), "line 2: sample_id", "stands on line 1, drop one"),
        ({"text": "?"}, "line 2: schema_version", "is missing, write 'obfuscated-reconstruction-task/v0.1' or"),
        (full_row(schema_version="v9"), "line 2: schema_version", "or 'riskchain-message-task/v1', got 'v9'"),
        (full_row(schema_version=[1]), "line 2: schema_version", "got [1]"),
        (
            full_row(schema_version="riskchain-message-gold/v1"),
            "line 2: schema_version",
            "which holds answers: give the file of inputs beside it",
        ),
        ({**open_row(), "surface": "COMMENT"}, "line 2: task_sha256", "but the row hashes to"),
        (open_row(entry="kab.cd.test"), "line 2: entry", "Extra inputs are not permitted"),
        (
            open_row(messages=[{"message_id": "m001", "role": "sender", "content": "a"}] * 2),
            "line 2: messages",
            "message ids must be unique",
        ),
        (
            open_row(messages=[{"message_id": "m001", "role": "sender", "content": "\udc00"}]),
            "line 2: messages",
            "half a surrogate pair",
        ),
        (open_row(sample_id="s-01--v001"), "line 2: sample_id", "stands on line 1, drop one"),
    ],
)
def test_a_wrong_row_is_named_by_line_and_field(tmp_path: Path, row: Any, field: str, problem: str) -> None:
    path = write(tmp_path / "in.jsonl", {**SHORT, "variant": 1}, row)
    rows = read_inputs(path)
    assert next(rows)[0] == "s-01--v001"
    with pytest.raises(InputFileError) as caught:
        next(rows)
    assert (caught.value.path, caught.value.field) == (path, field)
    assert problem in caught.value.problem


def test_rows_of_a_build_and_of_an_import_are_read_as_they_were_written(tmp_path: Path) -> None:
    session = session_of("hard", key_from_seed(2026), 3)
    rows = [InputRow.of(f"x--{variant}", message) for variant, message in session.variants.items()]
    built = write(tmp_path / "built.jsonl", *(row.model_dump_json() for row in rows), open_row())
    *found, (last_id, last) = read_inputs(built)
    assert found == [(row.sample_id, row.message()) for row in rows]
    assert (last_id, [m.role for m in last.messages]) == ("y8--v000", ["sender", "recipient"])
    write(tmp_path / "a.jsonl", {"o": "看 κab", "p": "看 kab"}, {"o": "b", "p": "b"})
    import_pairs(tmp_path / "a.jsonl", tmp_path / "set", obfuscated="o", plain="p", licence="CC0")
    assert {m.messages[0].content for _, m in read_inputs(tmp_path / "set" / "inputs.jsonl")} == {"看 κab", "b"}
    with pytest.raises(InputFileError, match="which holds answers"):
        list(read_inputs(tmp_path / "set" / "gold.jsonl"))


def test_missing_empty_and_binary_files_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="cannot be read"):
        list(read_inputs(tmp_path / "nowhere.jsonl"))
    with pytest.raises(InputFileError, match="holds no rows"):
        list(read_inputs(write(tmp_path / "empty.jsonl")))
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputFileError, match="is not UTF-8"):
        list(read_inputs(tmp_path / "binary.jsonl"))


def test_prediction_rows_hold_the_published_fields(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    assert write_predictions(out, [("a--v000", COMMIT), ("a--v001", EMPTY_COMMIT)], model_id="rules", run_id="r1") == 2
    first, second = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert first == {
        "schema_version": "obfuscated-reconstruction-prediction/v0.1",
        "sample_id": "a--v000",
        "model_id": "rules",
        "run_id": "r1",
        "input_view": "TOKEN_TEXT",
        "reconstructed_messages": [{"message_id": "m001", "text": "请看 kab.cd.test。"}],
        "intent": "OPEN_SITE",
        "platform": "qq",
        "entry_candidates": [{"rank": 1, "value": "kab.cd.test", "confidence": 0.9}],
        "abstain": False,
        "uncertainties": ["点的位置不明"],
    }
    assert (second["abstain"], second["entry_candidates"], second["platform"]) == (True, [], "unknown")
    assert list(tmp_path.iterdir()) == [out]


def test_a_failing_agent_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    out.write_text("old", encoding="utf-8")

    def commits() -> Iterator[tuple[str, Commit]]:
        yield "a--v000", COMMIT
        raise ConnectionError("the model endpoint is gone")

    with pytest.raises(ConnectionError, match="endpoint"):
        write_predictions(out, commits(), model_id="m", run_id="r")
    assert out.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_an_unwritable_place_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for place in (tmp_path / "folder", tmp_path / "file" / "p.jsonl"):
        with pytest.raises(InputFileError, match="cannot be written"):
            write_predictions(place, [("a", COMMIT)], model_id="m", run_id="r")
    assert {p.name for p in tmp_path.iterdir()} == {"folder", "file"}


@pytest.mark.parametrize("given_id", ["a b", "", "-x", "x" * 129, "é", "a\n"])
def test_an_id_that_no_row_may_carry_is_refused_by_name(given_id: str) -> None:
    check_ids(model_id="rules", run_id="r-1")
    with pytest.raises(ConfigError, match=r"^run_id: "):
        check_ids(model_id="rules", run_id=given_id)
    with pytest.raises(ConfigError, match=r"^model_id: "):
        check_ids(model_id=given_id, run_id="r-1")


def test_a_whole_surrogate_pair_is_one_character(tmp_path: Path) -> None:
    row = json.dumps({**SHORT, "content": "\U0001f600"}, ensure_ascii=True)
    assert "\\ud83d" in row
    ((_, message),) = read_inputs(write(tmp_path / "in.jsonl", row))
    assert message.messages[0].content == "\U0001f600"


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=3),
    ranks=st.lists(st.integers(1, 5), unique=True, max_size=5),
    abstain=st.booleans(),
)
@settings(deadline=None)
def test_any_commit_makes_a_row_that_reads_back_equal(texts: list[str], ranks: list[int], abstain: bool) -> None:
    commit = Commit(
        reconstructed_messages=tuple(RestoredMessage(message_id=f"m{i}", text=t) for i, t in enumerate(texts)),
        entry_candidates=tuple(EntryCandidate(rank=r, value=str(r), confidence=1 / r) for r in ranks),
        abstain=abstain,
    )
    row = PredictionRow.of("s", commit, model_id="m", run_id="r")
    line = row.model_dump_json()
    assert "\n" not in line
    assert PredictionRow.model_validate_json(line) == row


@pytest.mark.parametrize(
    "change",
    [{"abstain": "true"}, {"abstain": 1}, {"entry_candidates": [{"rank": True, "value": "a.b.test", "confidence": 1}]}],
)
def test_a_prediction_row_takes_no_other_value_for_a_truth_value_or_a_rank(change: dict[str, object]) -> None:
    row = PredictionRow.of("s--v000", Commit(), model_id="m", run_id="r").model_dump(mode="json")
    with pytest.raises(ValidationError, match=r"valid (boolean|integer)"):
        PredictionRow.model_validate(row | change)


def test_a_prediction_row_refuses_twin_ranks_and_odd_ids() -> None:
    row = PredictionRow.of("s", COMMIT, model_id="m", run_id="r").model_dump()
    with pytest.raises(ValidationError, match="ranks must be unique"):
        PredictionRow.model_validate({**row, "entry_candidates": row["entry_candidates"] * 2})
    with pytest.raises(ValidationError, match="message ids must be unique"):
        PredictionRow.model_validate({**row, "reconstructed_messages": row["reconstructed_messages"] * 2})
    with pytest.raises(ValidationError, match="sample_id"):
        PredictionRow.model_validate({**row, "sample_id": "with space"})
