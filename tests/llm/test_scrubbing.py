"""The key never comes out of what a server says, however it is spelled; nor does what a terminal obeys."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_calls import Colour, asking

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.exchange import Exchange
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.scrubbing import MAX_DETAIL, MAX_NAME, scrubber
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.trajectory import Phase

KEYS = ("sk-plant-42", 'a/b\\c"d/', "u005cu005csecret", "???surrogates???")


class Why(Frozen):
    """A form whose answer is free text."""

    why: str


class Says:
    """A transport that says one thing, as hostile as a body can be, and scrubs nothing itself."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange

    def send(self, payload: dict[str, Any]) -> Exchange:
        return self.exchange

    def close(self) -> None:
        """Nothing is held."""


def client(exchange: Exchange, key: str, cache: Path | None = None) -> ModelClient:
    asked = ModelSettings(base_url="http://127.0.0.1:9/v1", model="m", attempts=1)
    kept = ReplyCache(cache) if cache else None
    return ModelClient(asked, api_key=key, transport=Says(exchange), cache=kept)


def body(content: str, **others: Any) -> str:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    return json.dumps({"model": "m", "choices": [choice], **others})


@st.composite
def spelled(draw: st.DrawFn, key: str) -> str:
    """Return a JSON string in whose innermost JSON string the key stands, up to 3 decodings deep."""
    text, chance = key, random.Random(draw(st.integers(0, 10**6)))
    for _ in range(draw(st.integers(0, 3))):
        escaped = []
        for char in text:
            ways = [f"\\u{ord(char):04x}", f"\\u{ord(char):04X}"]
            ways += [char] if char not in '"\\' else [f"\\{char}"]
            ways += ["\\/"] if char == "/" else []
            escaped.append(chance.choice(ways))
        text = "".join(escaped)
    return text


def decodings(text: str) -> list[str]:
    """Return a text and what it becomes when it is read as a string of JSON, again and again."""
    found = [text]
    for _ in range(6):
        try:
            found.append(json.loads(f'"{found[-1]}"', strict=False))
        except ValueError:
            break
    return found


@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=st.data())
def test_a_key_escaped_in_any_mixture_is_found_at_any_depth(data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(KEYS[:3]))
    around = data.draw(st.sampled_from(["", "\\\\", "\\u005c\\u005c", "k", "s"]))
    text = scrubber(key)(around + data.draw(spelled(key)) + around)
    assert "[key]" in text
    assert all(key not in read for read in decodings(text))


@settings(derandomize=True, max_examples=40, deadline=None)
@given(data=st.data())
def test_a_key_never_comes_out_of_a_reply_a_cache_or_a_record(data: st.DataObject, tmp_path_factory: Any) -> None:
    key = data.draw(st.sampled_from(KEYS[:3]))
    hidden = data.draw(spelled(key))
    raw = body("KEY", model="KEY").replace("KEY", data.draw(st.sampled_from(['{\\"why\\": \\"KEY\\"}', "KEY"])))
    raw = raw.replace("KEY", hidden)
    folder = tmp_path_factory.mktemp("cache")
    exchange = Exchange(status=data.draw(st.sampled_from([200, 400, 500])), body=raw)
    with client(exchange, key, folder) as asked:
        model = AskedModel(asked)
        for _ in range(2):  # the second comes from the cache, where there is one
            try:
                reply = model.ask(asking(form=Why), phase=Phase.RESTORE)
            except InfrastructureError:
                assert key not in str(model.lost)
                continue
            shown = [reply.text, reply.raw, reply.detail, reply.model, json.dumps(reply.parsed)]
            assert all(key not in read for text in shown for read in decodings(text))
    assert all(key not in record.model_dump_json() for record in model.calls)
    for file in folder.rglob("*.json"):
        assert all(key not in read for read in decodings(json.loads(file.read_text())["body"]))


def test_a_key_that_appears_only_when_a_body_is_read_is_taken_out() -> None:
    raw = body(r'{"why": "SPLIT"}').replace("SPLIT", "???surrogates??") + " "
    raw = raw.replace("surrogates??", "surrogates" + r"\\ud800" * 3)
    with client(Exchange(status=200, body=raw), KEYS[3]) as asked:
        reply = asked.complete(asking(form=Why))
    assert reply.parsed == {"why": "[key]"}


def test_a_key_in_pieces_is_not_put_together_by_what_cleans_a_sentence() -> None:
    split = f"{KEYS[0][:5]}\u202e{KEYS[0][5:]}"
    long = "x" * (MAX_DETAIL - 20) + KEYS[0]
    for said in (split, long):
        with client(Exchange(status=400, body=said), KEYS[0]) as asked:
            detail = asked.complete(asking()).detail
        assert KEYS[0] not in detail
        assert KEYS[0][:9] not in detail


def test_an_answer_around_a_key_stays_an_answer() -> None:
    hidden = "".join(f"\\\\u{ord(char):04x}" for char in KEYS[0])
    with client(
        Exchange(status=200, body=body("WORDS").replace("WORDS", f'{{\\"why\\": \\"a {hidden} b\\"}}')), KEYS[0]
    ) as asked:
        reply = asked.complete(asking(form=Why))
    assert (reply.failure, reply.parsed) == (None, {"why": "a [key] b"})


@pytest.mark.parametrize("text", ["\\" * 300_000, r"\u005c" * 60_000, "s\\" * 150_000, r"sk\u005c" * 40_000])
def test_runs_of_backslashes_cost_no_more_than_their_length(text: str) -> None:
    assert scrubber(KEYS[0])(text) == text
    assert scrubber("sk\\\\\\x-12345")(text) == text


def test_what_a_server_says_is_short_and_can_be_shown() -> None:
    raw = body("x", model="evil\x1b[31m\x00\u202e" + "M" * 3_000_000)
    with client(Exchange(status=200, body=raw), KEYS[0]) as asked:
        reply = asked.complete(asking())
    assert reply.model.startswith("evil [31m M")
    assert len(reply.model) == MAX_NAME
    assert reply.model.isprintable()
    for exchange in (
        Exchange(status=500, body="\x1b[2J\x07" + "y" * 60_000),
        Exchange(status=200, body=body(json.dumps({"K" * 100_000 + "\x1b": 1}))),
        Exchange(fault=CallFailure.TRANSPORT, detail="\x1b]0;title\x07" + "z" * 1000),
    ):
        with client(exchange, KEYS[0]) as asked:
            detail = asked.complete(asking(form=Colour)).detail
        assert detail.isprintable()
        assert 0 < len(detail) <= MAX_DETAIL
