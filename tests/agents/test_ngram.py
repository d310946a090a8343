"""The trigram model: its probabilities, its table, and what it changes in a restoration."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from riskchain_gym.agents.registry import load_agent, load_restorer
from riskchain_gym.agents.restore import ngram
from riskchain_gym.agents.restore.lattice import EAGER, cut_run, read_run
from riskchain_gym.agents.restore.ngram import HEADER, START, TrigramModel, Words, model_file, read_counts, write_counts
from riskchain_gym.agents.restore.rules_lm import MODEL, RulesLMRestorer
from riskchain_gym.cli import app
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

WORDS = ("甲", "乙", "丙", "丁")
RUNS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=12)


def counted(runs: list[list[str]]) -> Counter[Words]:
    counts: Counter[Words] = Counter()
    for run in runs:
        padded = [START, START, *run]
        counts.update(zip(padded, padded[1:], padded[2:], strict=False))
    return counts


@settings(derandomize=True, deadline=None)
@given(RUNS, st.lists(st.sampled_from((*WORDS, "戊")), max_size=3))
def test_the_probabilities_after_any_words_sum_to_one(runs: list[list[str]], previous: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram, "word_cost", lambda _: math.log(len(WORDS)))
        model = TrigramModel(counted(runs))
        total = sum(math.exp(model.word(tuple(previous), word)) for word in WORDS)
    assert total == pytest.approx(1.0)


def test_what_stood_after_a_word_is_likelier_there_than_elsewhere() -> None:
    model = TrigramModel(counted([["甲", "乙", "丙"], ["丁", "乙", "丁"], ["甲", "丁"], ["乙", "甲", "乙"]]))
    assert model.word(("甲", "乙"), "丙") > model.word(("丁", "乙"), "丙") > model.word(("乙", "甲"), "丙")
    assert model.word((), "甲") > model.word((), "丙")
    assert model.word(("戊", "己"), "庚") > -math.inf


def test_only_the_last_two_words_count() -> None:
    model = TrigramModel(counted([["甲", "乙", "丙", "丁"], ["丙", "丁"]]))
    assert model.word(("乙", "甲", "乙"), "丙") == model.word(("丁", "甲", "乙"), "丙")


@settings(derandomize=True, deadline=None)
@given(RUNS)
def test_a_table_is_read_as_it_was_counted(runs: list[list[str]]) -> None:
    counts = counted(runs)
    table = write_counts(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_text", lambda *_, **__: table)
        assert read_counts(Path("table.txt")) == counts
    assert write_counts(dict(reversed(counts.items()))) == table


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"", HEADER),
        (b"something else\n", HEADER),
        (f"{HEADER}\n^ ^ 甲\n甲\n".encode(), "line 3"),
        (f"{HEADER}\n^ ^ 甲:x\n".encode(), "line 2"),
    ],
)
def test_a_file_that_is_no_table_is_named_with_what_to_do(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "table.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputFileError, match=said) as caught:
        read_counts(file)
    assert str(file) in str(caught.value)
    assert "again" in str(caught.value)


@pytest.mark.parametrize(("wanted", "other"), [("教室", "教师"), ("教师", "教室")])
def test_the_words_around_decide_between_words_that_sound_alike(wanted: str, other: str) -> None:
    run = [*cut_run("新来的"), wanted]
    model = TrigramModel(counted([run] * 9 + [[other]] * 3))
    assert read_run("新来的教石", EAGER, {}, scorer=model) == f"新来的{wanted}"


def restored(content: str) -> str:
    chat = ChatMessage(message_id="m001", content=content)
    message = Message(platform=Platform.WEIBO, surface=Surface.COMMENT, messages=(chat,))
    return RulesLMRestorer().restore(message).reconstructed_messages[0].text


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        (
            "书法班报名从[dog] mint4.ro.test 进入，学员名单[dog]贴在门口。",
            "书法班报名从 mint4.ro.test 进入，学员名单贴在门口。",
        ),
        ("活动规[dog]责在 mint4.ro.test 查看[dog]。", "活动规则在 mint4.ro.test 查看。"),
    ],
)
def test_the_registered_model_reads_a_disguised_message(content: str, meant: str) -> None:
    assert restored(content) == meant


@pytest.mark.parametrize(
    "text",
    [
        "今天下雨，体育馆的羽毛球课改到周四晚上。",
        "她把旧书捐给了山里的小学，孩子们回了一封信。",
        "麦子熟了，村口的晒谷场铺得满满的。",
        "历史老师说，这座桥修了二十年。",
    ],
)
def test_clean_text_stays_as_it_is(text: str) -> None:
    assert restored(text) == text


def test_it_is_registered_and_combines_with_an_investigator() -> None:
    assert isinstance(load_restorer("rules+lm"), RulesLMRestorer)
    assert load_agent("rules+lm+explorer").spec.restorer == "rules+lm"


def test_a_file_of_messages_is_restored_under_an_id_that_the_published_rows_allow(tmp_path: Path) -> None:
    inputs, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    row = {"session": "mine-01", "variant": 0, "platform": "weibo", "surface": "COMMENT", "content": "明天[dog]见。"}
    inputs.write_text(json.dumps(row), "utf-8")
    done = CliRunner().invoke(app, ["restore", str(inputs), "--agent", "rules+lm", "--out", str(out)])
    assert done.exit_code == 0, done.output
    made = json.loads(out.read_text("utf-8"))
    assert made["model_id"] == "rules-lm"
    assert made["reconstructed_messages"][0]["text"] == "明天见。"


@pytest.mark.parametrize("weight", [0.0, -1.0, 1.5, float("nan")])
def test_a_weight_out_of_bounds_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match="above 0 and at most 1"):
        RulesLMRestorer(weight)


def test_the_model_is_small_and_holds_chinese_words_alone() -> None:
    assert model_file(MODEL).stat().st_size <= 2_000_000
    words = {word for trigram in read_counts(model_file(MODEL)) for word in trigram} - {START}
    assert all("\u3400" <= char <= "\u9fff" for word in words for char in word)


def test_nothing_is_read_when_the_module_is_imported() -> None:
    code = (
        "import riskchain_gym.agents.restore.rules_lm, riskchain_gym.agents.restore.ngram as ngram;"
        "print(ngram.load_model.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]
