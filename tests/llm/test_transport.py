"""Where requests go and with what, and that an attempt ends whatever the server does."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from llm_calls import asking, calling

from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import Drip, Fail, Hang, Raw, Say, say_json
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.llm.transport import MAX_ERROR

pytest.importorskip("openai")

GREEN = say_json({"colour": "green"})
KEY = "sk-planted/0123456789+abcdef"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with FakeEndpoint([GREEN]) as other:
        elsewhere = Fail(status, headers={"Location": f"{other.base_url}/chat/completions"})
        with calling([elsewhere, GREEN]) as (client, endpoint, _):
            reply = client.complete(asking())
        assert (reply.failure, len(endpoint.requests)) == (CallFailure.BAD_RESPONSE, 1)
        assert f"HTTP {status}" in reply.detail
        assert other.requests == []


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_this_machine_is_reached_without_a_proxy(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with FakeEndpoint([GREEN]) as proxy:
        monkeypatch.setenv(variable, proxy.base_url.removesuffix("/v1"))
        with calling([GREEN]) as (client, endpoint, _):
            assert client.complete(asking()).failure is None
            assert len(endpoint.requests) == 1
        asked = ModelSettings(base_url="http://model.invalid/v1", model="m", attempts=1)
        with ModelClient(asked) as client:
            assert "no such path" in client.complete(asking()).raw, "another machine is reached by the proxy"


def test_what_the_environment_says_of_another_service_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEndpoint([GREEN]) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-another")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-another")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer key-of-another\nX-Of-Another: 1")
        with calling([GREEN], KEY, api_key=KEY) as (client, endpoint, _):
            assert client.complete(asking()).failure is None
        assert other.requests == []
    named = {name.lower() for name in endpoint.requests[0].headers}
    assert {"authorization", "content-type"} <= named
    assert not named & {"openai-organization", "openai-project", "x-of-another", "x-stainless-os"}


@pytest.mark.parametrize("reply", [Drip(), Drip(500), Drip(401), Drip(302), Drip(head=True)], ids=str)
def test_a_reply_that_drips_is_left_at_the_timeout(reply: Drip) -> None:
    with calling([reply], timeout=0.5, attempts=2) as (client, endpoint, _):
        found = client.complete(asking())
    assert (found.failure, found.raw, len(endpoint.requests)) == (CallFailure.TIMEOUT, "", 2)


def test_closing_a_client_ends_its_calls_and_their_attempts() -> None:
    asked = threading.Event()

    def script(_: object) -> Hang:
        asked.set()
        return Hang()

    with calling(script, timeout=300) as (client, endpoint, waits):
        replies: list[Reply] = []
        thread = threading.Thread(target=lambda: replies.append(client.complete(asking())))
        thread.start()
        assert asked.wait(20)
        client.close()
        thread.join(20)
        assert not thread.is_alive()
        again = client.complete(asking())
    assert [reply.failure for reply in (*replies, again)] == [CallFailure.TRANSPORT] * 2
    assert (len(endpoint.requests), waits) == (1, [])


def test_closing_a_client_ends_its_waits() -> None:
    waiting = threading.Event()

    def jitter() -> float:
        waiting.set()
        return 1000.0

    with FakeEndpoint([Fail(503)]) as endpoint:
        client = ModelClient(ModelSettings(base_url=endpoint.base_url, model="m"), jitter=jitter)
        replies: list[Reply] = []
        thread = threading.Thread(target=lambda: replies.append(client.complete(asking())))
        thread.start()
        assert waiting.wait(20)
        client.close()
        thread.join(20)
        assert not thread.is_alive()
    assert (replies[0].failure, len(endpoint.requests)) == (CallFailure.TRANSPORT, 1)


def test_the_body_of_an_error_is_not_read_without_end() -> None:
    with calling([Fail(400, "x" * MAX_ERROR), Fail(400, "x" * 100)]) as (client, _, _):
        replies = [client.complete(asking()) for _ in range(2)]
    assert [reply.failure for reply in replies] == [CallFailure.BAD_REQUEST] * 2
    assert replies[0].detail == "HTTP 400:"
    assert "x" * 100 in replies[1].raw


@pytest.mark.parametrize("status", [200, 400])
def test_the_key_is_found_where_json_spells_it_otherwise(status: int) -> None:
    spelled = [KEY, KEY.replace("/", r"\/"), KEY.replace("+", r"\u002B"), "".join(f"\\u{ord(c):04x}" for c in KEY)]
    for key in spelled:
        body = json.dumps(Say("the key is KEY", model="KEY").body("m")).replace("KEY", key)
        raw = Raw(body.encode()) if status == 200 else Fail(status, body)
        with calling([raw], KEY) as (client, _, _):
            reply = client.complete(asking())
        if status == 200:
            assert (reply.text, reply.model) == ("the key is [key]", "[key]")
        assert KEY not in reply.model_dump_json()
        assert key not in reply.raw


def test_the_key_is_found_in_what_the_http_library_says() -> None:
    with answering(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n".encode()) as address:
        asked = ModelSettings(base_url=address, model="m", attempts=1)
        with ModelClient(asked, api_key=KEY) as client:
            reply = client.complete(asking())
    assert reply.failure is CallFailure.TRANSPORT
    assert "[key]" in reply.detail
    assert KEY not in reply.detail


def test_an_address_of_version_six_will_do() -> None:
    body = json.dumps(GREEN.body("m"))
    answer = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    with answering(answer, "::1") as address, ModelClient(ModelSettings(base_url=address, model="m")) as client:
        assert client.complete(asking()).failure is None


@contextmanager
def answering(answer: bytes, host: str = "127.0.0.1") -> Iterator[str]:
    """Yield the address of a server that gives one answer, byte for byte; skip where the machine lacks the address."""
    version6 = ":" in host
    with socket.socket(socket.AF_INET6 if version6 else socket.AF_INET) as server:
        try:
            server.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no address {host}")
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                while not connection.recv(65_536).endswith(b"}"):
                    pass
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://{f'[{host}]' if version6 else host}:{server.getsockname()[1]}/v1"
        thread.join()
