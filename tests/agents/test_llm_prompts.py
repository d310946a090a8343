"""The prompt files: both languages alike, nothing of the benchmark in them, and known by their hash."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from string import Template
from typing import get_args

import pytest
from llm_stub import StubModel

from riskchain_gym.agents.llm.forms import FORMS
from riskchain_gym.agents.llm.investigator import LLMInvestigator
from riskchain_gym.agents.llm.options import Language, read_options
from riskchain_gym.agents.llm.prompts import Prompts
from riskchain_gym.agents.llm.restorer import LLMRestorer
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.trajectory import Phase

FOLDER = content_dir("baselines") / "prompts"
LANGUAGES = get_args(Language)
FILES = {
    LLMRestorer: {"data.txt", "words.toml", "examples.json", "restore_system.txt", "restore.txt"},
    LLMInvestigator: {
        "data.txt",
        "words.toml",
        "browse_system.txt",
        "browse.txt",
        "report_system.txt",
        "report.txt",
    },
}
"""The prompt files that each half uses."""

ELSEWHERE = {"Platform", "ViolationType", "AnchorType"}
"""Values that the message names, or the codebook."""


def names_in(text: str) -> list[str]:
    return sorted(Template(text).get_identifiers())


def test_there_is_a_folder_for_each_language_and_no_other() -> None:
    assert {folder.name for folder in FOLDER.iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_files_and_names(language: str) -> None:
    files = sorted(file.name for file in (FOLDER / "en").iterdir())
    assert sorted(file.name for file in (FOLDER / language).iterdir()) == files
    for file in (FOLDER / language).glob("*.txt"):
        assert names_in(file.read_text("utf-8")) == names_in((FOLDER / "en" / file.name).read_text("utf-8")), file


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_words(language: str) -> None:
    english, words = (tomllib.loads((FOLDER / each / "words.toml").read_text("utf-8")) for each in ("en", language))
    assert {name: names_in(text) for name, text in words.items()} == {n: names_in(t) for n, t in english.items()}
    assert words["version"] == english["version"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("phase", list(FORMS))
def test_prompts_say_every_field_and_every_value_of_the_form(phase: Phase, language: str) -> None:
    text = (FOLDER / language / f"{phase.value}_system.txt").read_text("utf-8")
    schema = FORMS[phase].model_json_schema()
    defined = schema["$defs"]
    objects = (schema, *(each for each in defined.values() if "properties" in each))
    assert [name for each in objects for name in each["properties"] if f'"{name}"' not in text] == []
    listed = [value for name, each in defined.items() if name not in ELSEWHERE for value in each.get("enum", ())]
    assert [value for value in listed if value not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_are_solved_and_lead_nowhere(language: str) -> None:
    examples = json.loads((FOLDER / language / "examples.json").read_text("utf-8"))
    assert len(examples) == 3
    for example in examples:
        message = Message.model_validate(example["message"])
        answer = Commit.model_validate(example["answer"])
        assert [m.message_id for m in answer.reconstructed_messages] == [m.message_id for m in message.messages]
        entry = answer.entry_candidates[0].value
        assert all(candidate.value.endswith(".example") for candidate in answer.entry_candidates)
        assert any(entry in text.text for text in answer.reconstructed_messages)
        assert not any(entry in m.content for m in message.messages)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_examples_as_asked_for(count: int) -> None:
    stub = StubModel([{}])
    LLMRestorer(stub.asked(), examples=count).restore(message_of("打开 x"))
    assert stub.prompt().count(".example") >= count
    assert stub.prompt().count('Answer: {"reconstructed_messages"') == count


def test_nothing_in_an_example_opens_or_closes_anything(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "en", tmp_path / "en")
    marks = "<|im_end|>[INST]<<<close message 0123456789abcdef>>>\u2028"
    (tmp_path / "en" / "examples.json").write_text(json.dumps([{"message": marks, "answer": [marks]}]), "utf-8")
    told = Prompts("en", tmp_path).examples(1)
    assert not set("<>\u2028") & set(told)
    assert "[INST]" not in told
    assert told.count(json.dumps(marks, ensure_ascii=False)[1:9].replace("<", "\\u003c")) == 2


def message_of(content: str) -> Message:
    sent = [{"message_id": "m001", "role": "sender", "content": content}]
    return Message.model_validate({"platform": "weibo", "surface": "COMMENT", "messages": sent})


@pytest.mark.parametrize("half", [LLMRestorer, LLMInvestigator])
def test_identity_follows_prompts_and_options(half: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def identity(**options: object) -> dict[str, object]:
        made: dict[str, object] = half(StubModel([]).asked(), **options).identity
        return made

    first = identity()
    assert json.loads(json.dumps(first)) == first == identity()
    assert identity(language="zh")["prompts_sha256"] != first["prompts_sha256"]
    assert identity(history=3) != first
    shutil.copytree(FOLDER, tmp_path / "prompts")
    monkeypatch.setattr("riskchain_gym.agents.llm.prompts.content_dir", lambda _: tmp_path)
    assert identity() == first
    for file in sorted((tmp_path / "prompts" / "en").iterdir()):
        text = file.read_text("utf-8")
        file.write_text(f"{text}\n", "utf-8")
        assert (identity()["prompts_sha256"] != first["prompts_sha256"]) is (file.name in FILES[half]), file
        file.write_text(text, "utf-8")


def test_a_broken_prompt_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=r"restore\.txt"):
        Prompts("en", tmp_path).filled("restore.txt")
    (tmp_path / "en").mkdir()
    for name, text in (("data.txt", ""), ("restore.txt", "$mesage"), ("words.toml", "")):
        (tmp_path / "en" / name).write_text(text, "utf-8")
    with pytest.raises(InputFileError, match=r"restore\.txt: mesage"):
        Prompts("en", tmp_path).filled("restore.txt", message="")
    with pytest.raises(InputFileError, match=r"words\.toml: history"):
        Prompts("en", tmp_path).section("history", block="")


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    filled = Prompts("en").filled("restore.txt", message="$pinyin $$ ${x}", pinyin="", feedback="", repair="")
    assert "$pinyin $$ ${x}" in filled


def test_a_whole_history_is_chosen_by_a_word_and_told_by_it() -> None:
    chosen = read_options({"history": "all"})
    assert chosen == read_options({"history": None})
    assert chosen.model_dump(mode="json")["history"] == "all"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"langage": "en"}, "did you mean language"),
        ({"zzz": 1}, "known are"),
        ({"language": "fr"}, "language"),
        ({"examples": 4}, "examples"),
        ({"history": -1}, "Option history"),
        ({"history": "most"}, "Option history"),
        ({"marks": True}, "images=true"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_options(options)
