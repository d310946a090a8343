"""The learned restorer: its file, what it has learnt, and messages that nobody writes."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from riskchain_gym.agents.registry import load_restorer
from riskchain_gym.agents.restore.encodings import decoded
from riskchain_gym.agents.restore.learned import LearnedRestorer
from riskchain_gym.agents.restore.learned_model import MODEL, read_model
from riskchain_gym.agents.restore.ngram import model_file
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

FILE = model_file(MODEL)
KEY = key_from_seed(2026)


@pytest.fixture(scope="module")
def restorer() -> LearnedRestorer:
    return LearnedRestorer()


def said(*contents: str) -> Message:
    parts = tuple(ChatMessage(message_id=f"m{i:03d}", content=text) for i, text in enumerate(contents, start=1))
    return Message(platform=Platform.WEIBO, surface=Surface.GROUP_CHAT, messages=parts)


def first(restorer: LearnedRestorer, *contents: str) -> str:
    return restorer.restore(said(*contents)).entry_candidates[0].value


def test_the_file_is_the_one_that_was_trained() -> None:
    network, made = read_model(FILE)
    assert made["weights_sha256"] == "242bcc9d024ad46f3b6a4b4a92b72f0bca57f51a450555551d09464a61f91150"
    assert made["command"].startswith("python -m riskchain_gym.fitting.restorer")
    assert network.parameters <= 5_000_000
    assert FILE.stat().st_size <= 10_000_000


def test_it_reads_what_the_rules_cannot(restorer: LearnedRestorer) -> None:
    assert first(restorer, "今晚的活动页是 k 4 - r p_0 b . q - e . t e s_t 先到先得。") == "k4rp0b.qe.test"
    assert first(restorer, "打开 k4rp0b dot qe dot test 看看。") == "k4rp0b.qe.test"
    assert first(restorer, "打开 %6b4rp0b.%71e.te%73t 看看。") == "k4rp0b.qe.test"
    assert first(restorer, "打开 k4rp0b.qe.test 看看。") == "k4rp0b.qe.test"


def test_the_text_shows_the_entry_that_it_names(restorer: LearnedRestorer) -> None:
    commit = restorer.restore(said("今晚的活动页是 k4rp0b dot qe dot test，先到先得。"))
    assert commit.reconstructed_messages[0].text == "今晚的活动页是 k4rp0b.qe.test，先到先得。"
    assert not commit.abstain


def test_without_an_entry_it_abstains(restorer: LearnedRestorer) -> None:
    commit = restorer.restore(said("明天下午三点开会，记得带上材料。"))
    assert commit.abstain
    assert commit.entry_candidates == ()


def test_candidates_are_ranked_by_belief(restorer: LearnedRestorer) -> None:
    beam = restorer.beam(said("群里说 k4rrp0bb.qe.test 又开了。"), 8)
    scores = [score for _, score in beam]
    assert scores == sorted(scores, reverse=True)
    assert len({entry for entry, _ in beam}) == len(beam) > 1
    assert sum(map(math.exp, scores)) <= 1 + 1e-4
    assert all(entry.endswith(".test") for entry, _ in beam)


def test_one_message_has_one_restoration(restorer: LearnedRestorer) -> None:
    message = session_of("dev", KEY, 3).variants["v000"]
    assert restorer.restore(message) == LearnedRestorer().restore(message) == load_restorer("learned").restore(message)


@pytest.mark.parametrize(
    "contents",
    [
        ("",),
        ("", ""),
        ("\ud800k4rp0b\udfff.qe.test",),
        ("\0\0",),
        ("长" * 1500 + " k4rp0b.qe.test",),
        ("%ff%fe\\ud800&#0;&#x110000;",),
    ],
    ids=["empty", "two empty", "half surrogates", "null", "very long", "broken escapes"],
)
def test_odd_messages_are_restored(restorer: LearnedRestorer, contents: tuple[str, ...]) -> None:
    commit = restorer.restore(said(*contents))
    assert len(commit.reconstructed_messages) == len(contents)
    commit.model_dump_json().encode()


def test_of_a_long_message_the_stretch_with_the_entry_is_read(restorer: LearnedRestorer) -> None:
    assert first(restorer, "长" * 900 + " k4rp0b.qe.test " + "长" * 900) == "k4rp0b.qe.test"


@given(st.text(max_size=60), st.sampled_from(list(Platform)))
@settings(max_examples=25, deadline=None)
def test_any_text_gives_a_commit(text: str, platform: Platform) -> None:
    message = said(text).model_copy(update={"platform": platform})
    commit = LearnedRestorer(beams=2).restore(message)
    assert commit.abstain == (not commit.entry_candidates)


@given(st.sampled_from(["train", "dev", "hard", "ood", "no_entry", "clean"]), st.integers(0, 119))
@settings(max_examples=15, deadline=None)
def test_any_session_gives_a_commit(split: str, index: int) -> None:
    message = session_of(split, KEY, index).variants["v000"]
    commit = LearnedRestorer().restore(message)
    assert [m.message_id for m in commit.reconstructed_messages] == [m.message_id for m in message.messages]
    assert commit.platform == message.platform


@pytest.mark.parametrize(
    ("encoded", "plain"),
    [
        ("%61%2E%62", "a.b"),
        ("\\u0061&#46;&#x62;", "a.b"),
        ("hex:612e62", "a.b"),
        ("b64:YS5i", "a.b"),
        ("b32:mexge", "a.b"),
        ("xn--e1afmkfd", "пример"),
        ("%2561", "a"),
        ("%ff", "%ff"),
        ("50%", "50%"),
        ("hex:6", "hex:6"),
    ],
)
def test_encodings_of_the_web_are_undone(encoded: str, plain: str) -> None:
    assert decoded(encoded) == plain


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(FILE.read_bytes()[:-100])
    with pytest.raises(InputFileError, match="cannot be read"):
        read_model(cut)
    with pytest.raises(InputFileError, match="cannot be read"):
        read_model(tmp_path / "missing.safetensors")
    data = bytearray(FILE.read_bytes())
    data[-1000] ^= 1
    cut.write_bytes(data)
    with pytest.raises(InputFileError, match="not those that were written"):
        read_model(cut)
    save_file(load_file(FILE), cut)
    with pytest.raises(InputFileError, match="riskchain-restorer/v1"):
        read_model(cut)


@pytest.mark.parametrize("beams", [0, 65, "5", None, 1.5, True])
def test_beams_out_of_bounds_are_refused(beams: Any) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"{beams!r} strings: give a whole number from 1 to 64")):
        LearnedRestorer(beams=beams)


@pytest.mark.parametrize("trust", [-1, math.nan, math.inf, "x", None, True])
def test_trust_out_of_bounds_is_refused(trust: Any) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"rules is {trust!r}: give a number of nats, 0 or more")):
        LearnedRestorer(trust=trust)


def test_numbers_of_numpy_are_numbers() -> None:
    message = said("k4rp0b.qe.test")
    assert LearnedRestorer(beams=np.int64(2), trust=np.float32(1)).restore(message).entry_candidates
