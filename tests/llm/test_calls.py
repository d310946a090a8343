"""Every way that a call can end, through the real SDK against a scripted endpoint."""

from __future__ import annotations

import hashlib
import json
import threading

import pytest
from llm_calls import Colour, asking, calling, png

from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import (
    EMPTY,
    NO_IMAGES,
    REFUSES_CHINESE,
    REFUSES_ENGLISH,
    TOO_LONG,
    Fail,
    Hang,
    Raw,
    Say,
    broken_json,
    cut,
    rate_limited,
    say_json,
)
from riskchain_gym.llm.prices import Price, PriceTable
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen

pytest.importorskip("openai")

GREEN = say_json({"colour": "green"})

FINAL = {
    "unauthorised": (Fail(401, "no"), CallFailure.AUTH),
    "forbidden": (Fail(403, "no"), CallFailure.AUTH),
    "no such model": (Fail(404, "no such model"), CallFailure.MODEL_NOT_FOUND),
    "no pictures, and none was sent": (NO_IMAGES, CallFailure.BAD_REQUEST),
    "too long": (TOO_LONG, CallFailure.CONTEXT_TOO_LONG),
    "too large a request": (Fail(413, "entity too large"), CallFailure.BAD_REQUEST),
    "bad request": (Fail(400, "unknown field 'seed'"), CallFailure.BAD_REQUEST),
    "conflict": (Fail(409, "conflict"), CallFailure.BAD_REQUEST),
    "not implemented": (Fail(501, "no image support"), CallFailure.BAD_RESPONSE),
    "accepted": (Fail(202, "later"), CallFailure.BAD_RESPONSE),
    "half a body": (broken_json(), CallFailure.BAD_RESPONSE),
    "no choices": (Raw(b'{"choices": []}'), CallFailure.BAD_RESPONSE),
    "a page": (Raw(b"<html>welcome</html>"), CallFailure.BAD_RESPONSE),
    "ten megabytes": (Say("x" * 10_000_000), CallFailure.TOO_LARGE),
    "refusal in English": (REFUSES_ENGLISH, CallFailure.REFUSED),
    "refusal in Chinese": (REFUSES_CHINESE, CallFailure.REFUSED),
    "refusal of the wire": (Say("", refusal="I will not."), CallFailure.REFUSED),
    "filtered": (Say("", finish_reason="content_filter"), CallFailure.REFUSED),
    "cut at the limit": (Say('{"colour": "gr', finish_reason="length"), CallFailure.TRUNCATED),
    "prose": (Say("It is green."), CallFailure.INVALID_JSON),
    "prose around it": (Say('Sure! {"colour": "green"} Anything else?'), CallFailure.INVALID_JSON),
    "half an object": (Say('{"colour": "gre'), CallFailure.INVALID_JSON),
    "two answers": (Say('{"colour": "green", "colour": "red"}'), CallFailure.INVALID_JSON),
    "not a number": (Say('{"colour": NaN}'), CallFailure.INVALID_JSON),
    "another value": (say_json({"colour": "blue"}), CallFailure.SCHEMA),
    "one field more": (say_json({"colour": "green", "why": "so"}), CallFailure.SCHEMA),
    "no object": (say_json(["green"]), CallFailure.SCHEMA),
}

RETRIED = {
    "rate limited": (Fail(429, "slow down"), CallFailure.RATE_LIMITED),
    "timed out there": (Fail(408, "late"), CallFailure.TRANSPORT),
    "too early": (Fail(425, "early"), CallFailure.TRANSPORT),
    "broken": (Fail(500, "broken"), CallFailure.TRANSPORT),
    "bad gateway": (Fail(502, "broken"), CallFailure.TRANSPORT),
    "unavailable": (Fail(503, "broken"), CallFailure.TRANSPORT),
    "gateway late": (Fail(504, "broken"), CallFailure.TRANSPORT),
    "empty": (EMPTY, CallFailure.EMPTY),
    "connection cut": (cut(), CallFailure.TRANSPORT),
}


@pytest.mark.parametrize("name", FINAL)
def test_a_final_failure_is_named_and_not_tried_again(name: str) -> None:
    reply_of, failure = FINAL[name]
    with calling([reply_of, GREEN]) as (client, endpoint, waits):
        reply = client.complete(asking(form=Colour))
    assert (reply.failure, reply.parsed, reply.attempts) == (failure, None, 1)
    assert reply.detail
    assert len(endpoint.requests) == 1
    assert waits == []


def test_a_server_that_takes_no_pictures_is_named_only_where_one_was_sent() -> None:
    with calling([NO_IMAGES]) as (client, _, _):
        assert client.complete(asking(images=(png(5),))).failure is CallFailure.IMAGES_UNSUPPORTED
        assert client.complete(asking()).failure is CallFailure.BAD_REQUEST


@pytest.mark.parametrize("field", ["model", "messages", "max_tokens", "response_format", "stream"])
def test_what_is_sent_anyway_is_no_field_that_only_this_server_knows(field: str) -> None:
    with pytest.raises(ConfigError, match=f"extra: '{field}' is sent already"):
        ModelSettings.of(base_url="http://127.0.0.1:9/v1", model="m", extra={field: 1})


@pytest.mark.parametrize("name", RETRIED)
def test_a_passing_failure_is_tried_again_and_then_named(name: str) -> None:
    reply_of, failure = RETRIED[name]
    with calling([reply_of, reply_of, GREEN]) as (client, _, waits):
        reply = client.complete(asking(form=Colour))
    assert (reply.failure, reply.parsed, reply.attempts) == (None, {"colour": "green"}, 3)
    assert waits == [2.0, 5.0]
    with calling([reply_of]) as (client, endpoint, _):
        reply = client.complete(asking(form=Colour))
    assert (reply.failure, reply.parsed, reply.attempts) == (failure, None, 3)
    assert len(endpoint.requests) == 3


def test_a_server_that_hangs_is_left_at_the_timeout() -> None:
    with calling([Hang()], timeout=0.5, attempts=2) as (client, endpoint, _):
        reply = client.complete(asking())
    assert (reply.failure, reply.attempts, len(endpoint.requests)) == (CallFailure.TIMEOUT, 2, 2)


def test_half_a_character_of_a_page_is_sent_as_a_replacement() -> None:
    with calling([GREEN]) as (client, endpoint, _):
        assert client.complete(asking("\ud83d!", form=Colour)).failure is None
    assert endpoint.requests[0].texts == ("?!",)


def test_nobody_at_the_address_is_a_transport_failure() -> None:
    with FakeEndpoint([GREEN]) as endpoint:
        address = endpoint.base_url
    waits: list[float] = []
    with ModelClient(ModelSettings(base_url=address, model="m"), sleep=waits.append) as client:
        reply = client.complete(asking())
    assert (reply.failure, reply.raw, reply.usage, reply.cost) == (CallFailure.TRANSPORT, "", None, None)
    assert [2.0 <= waits[0] <= 3.0, 5.0 <= waits[1] <= 7.5] == [True, True]


@pytest.mark.parametrize(("header", "wait"), [("7", 7.0), ("900", 120.0), ("0", 0.0), ("soon", 2.0), ("-3", 2.0)])
def test_retry_after_is_followed_for_two_minutes_at_most(header: str, wait: float) -> None:
    with calling([rate_limited(header), GREEN]) as (client, _, waits):
        assert client.complete(asking(form=Colour)).failure is None
    assert waits == [wait]


def test_the_scripted_endpoint_asks_for_its_key_and_knows_its_models() -> None:
    with calling([GREEN], api_key="another key") as (client, _, _):
        assert client.complete(asking()).failure is CallFailure.AUTH
    with calling([GREEN], models=("other",)) as (client, _, _):
        assert client.complete(asking()).failure is CallFailure.MODEL_NOT_FOUND
    with pytest.raises(ConfigError, match="loopback"):
        FakeEndpoint([GREEN], host="0.0.0.0")


def test_an_answer_comes_with_everything_that_is_known_of_it() -> None:
    said = say_json({"colour": "red"}, usage=(1000, 400, 20), model="scripted-2026")
    with calling([said]) as (client, _, _):
        reply = client.complete(asking(form=Colour))
    assert reply.parsed == {"colour": "red"}
    assert (reply.text, reply.model, reply.finish_reason) == ('{"colour": "red"}', "scripted-2026", "stop")
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.cached_input_tokens, reply.usage.output_tokens) == (1000, 400, 20)
    assert reply.cost is None, "a model without a price has no cost"
    assert (reply.attempts, reply.cached) == (1, False)
    assert json.loads(reply.raw)["model"] == "scripted-2026"


def test_no_usage_is_unknown_and_one_code_fence_is_let_pass() -> None:
    with calling([Say('```json\n{"colour": "red"}\n```', usage=None)]) as (client, _, _):
        reply = client.complete(asking(form=Colour))
    assert (reply.failure, reply.parsed, reply.usage, reply.cost) == (None, {"colour": "red"}, None, None)


@pytest.mark.parametrize("tokens", [10**400, True, "12", 1.0, -1, 0, None])
def test_a_count_of_tokens_that_cannot_be_is_unknown(tokens: object) -> None:
    body = Say("hi").body("m") | {"usage": {"prompt_tokens": tokens, "completion_tokens": 1}}
    prices = PriceTable(as_of="2026-01-01", source="this test", models={"scripted": Price(input=1, output=1)})
    with calling([Raw(json.dumps(body).encode())], prices=prices) as (client, _, _):
        reply = client.complete(asking())
    assert (reply.failure, reply.usage, reply.cost) == (None, None, None)


def test_half_a_character_of_a_model_can_be_written_down() -> None:
    class Why(Frozen):
        why: str

    said = Say(r'{"why": "\ud800!"}')
    with calling([said, Raw(json.dumps(Say("\ud800!").body("m")).encode())]) as (client, _, _):
        replies = [client.complete(asking(form=Why)), client.complete(asking())]
    assert (replies[0].parsed, replies[1].text) == ({"why": "?!"}, "?!")
    assert all(reply.model_dump_json().encode() for reply in replies)


def test_an_answer_that_quotes_a_refusal_is_an_answer() -> None:
    with calling([Say("The page says: 抱歉，我们已停止服务. It is closed.")]) as (client, _, _):
        assert client.complete(asking()).failure is None


@pytest.mark.parametrize("structure", ["json_schema", "json_object", "prompt"])
def test_the_shape_is_asked_for_as_the_server_knows_it(structure: str) -> None:
    with calling([GREEN], structure=structure, seed=7, extra={"top_k": 1}) as (client, endpoint, _):
        assert client.complete(asking(form=Colour)).parsed == {"colour": "green"}
    body = endpoint.requests[0].body
    assert (body["temperature"], body["seed"], body["max_tokens"], body["top_k"]) == (0.0, 7, 1024, 1)
    shape = body.get("response_format")
    if structure == "json_schema":
        assert shape["json_schema"]["strict"] is True
        assert shape["json_schema"]["schema"]["additionalProperties"] is False
    else:
        assert shape == ({"type": "json_object"} if structure == "json_object" else None)


def test_pictures_arrive_byte_for_byte() -> None:
    picture = png(5)
    with calling([GREEN]) as (client, endpoint, _):
        client.complete(asking("看图", images=(picture, picture)))
        with pytest.raises(ValueError, match="PNG, WebP or JPEG"):
            client.complete(asking(images=(b"GIF89a",)))
    sent = endpoint.requests[0]
    expected = ("image/png", hashlib.sha256(picture).hexdigest(), len(picture))
    assert [(i.media_type, i.sha256, i.size) for i in sent.images] == [expected] * 2
    assert sent.texts == ("看图",)


def test_no_more_calls_are_in_flight_than_allowed() -> None:
    lock, together = threading.Lock(), threading.Barrier(2, timeout=20)
    inside, most = 0, 0

    def script(_: object) -> Say:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        together.wait()  # two at a time: with fewer it would break, and with more most would say so
        with lock:
            inside -= 1
        return GREEN

    with calling(script, concurrency=2) as (client, endpoint, _):
        threads = [threading.Thread(target=client.complete, args=(asking(f"{i}"),)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(endpoint.requests), most) == (6, 2)
