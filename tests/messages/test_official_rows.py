"""Official rows: full and short inputs in, schema-valid prediction rows out, errors by file, line and field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from riskchain_gym.messages.official import (
    ClientContext,
    PredictionRow,
    check_ids,
    read_evaluator_rows,
    read_inputs,
    read_predictions,
    write_inputs,
    write_predictions,
)
from riskchain_gym.messages.pairs import import_pairs
from riskchain_gym.messages.rows import InputRow
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.scoring.restoration import score_restoration

CONTENT = "请看 κab，cd.test　。\u2028第二行\n0️⃣"
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


def _half_pair(row: Any) -> bool:
    """Whether UTF-8 cannot hold the row as it is, so that it must be written with escapes."""
    return any("\ud800" <= character <= "\udfff" for character in json.dumps(row, ensure_ascii=False))


def write(path: Path, *rows: Any) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=_half_pair(row)) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


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


COMMIT = Commit(
    reconstructed_messages=(RestoredMessage(message_id="m001", text="请看 kab.cd.test。"),),
    intent=Intent.OPEN_SITE,
    platform=Platform.QQ,
    entry_candidates=(EntryCandidate(rank=1, value="kab.cd.test", confidence=0.9),),
    uncertainties=("点的位置不明",),
)


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


def test_a_prediction_row_refuses_twin_ranks_and_odd_ids() -> None:
    row = PredictionRow.of("s", COMMIT, model_id="m", run_id="r").model_dump()
    with pytest.raises(ValidationError, match="ranks must be unique"):
        PredictionRow.model_validate({**row, "entry_candidates": row["entry_candidates"] * 2})
    with pytest.raises(ValidationError, match="message ids must be unique"):
        PredictionRow.model_validate({**row, "reconstructed_messages": row["reconstructed_messages"] * 2})
    with pytest.raises(ValidationError, match="sample_id"):
        PredictionRow.model_validate({**row, "sample_id": "with space"})


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
