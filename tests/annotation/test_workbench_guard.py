"""The door of the workbench, knocked at with raw bytes: nothing gets in that the page itself did not send."""

from __future__ import annotations

import json
import logging
import socket
import threading

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from hypothesis import given, settings
from hypothesis import strategies as st
from workbench_kit import ALONE, Client, make_project, served

from riskchain_gym.annotation import guard, serving
from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.guard import BODY_LIMIT, HEADERS
from riskchain_gym.annotation.serving import WorkbenchServer
from riskchain_gym.benchmark.labels.project import Project

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded") / "p"
    make_project(folder, sites=1, workers=ALONE)
    with served(folder) as client:
        yield client


def raw(client, request: bytes) -> bytes:
    """Send bytes and return all that comes back."""
    host, port = client.host.split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def asked(client, target: bytes, method: bytes = b"GET", headers: bytes = b"") -> tuple[int, bytes, bytes]:
    """Ask for a target as it stands; return status, head and body, status 0 where nothing is answered."""
    host = b"" if headers.startswith(b"Host:") else b"Host: %s\r\n" % client.host.encode()
    answer = raw(client, b"%s %s HTTP/1.1\r\n%s%sConnection: close\r\n\r\n" % (method, target, host, headers))
    head, _, body = answer.partition(b"\r\n\r\n")
    return (int(head.split(b" ")[1]) if head else 0), head, body


def assert_guarded(head: bytes) -> None:
    """Check that an answer carries every header that all have."""
    sent = [line.partition(b": ")[::2] for line in head.split(b"\r\n")[1:]]
    for header in HEADERS:
        assert sent.count(header) == 1, header


def test_the_page_and_its_own_requests_get_in(bench):
    for headers in (
        b"",
        b"Sec-Fetch-Site: none\r\n",
        b"Sec-Fetch-Site: same-origin\r\n",
        b"Origin: http://%s\r\n" % bench.host.encode(),
        b"Host: localhost:%s\r\n" % bench.host.split(":")[1].encode(),
    ):
        for path in ("", "api/state", "api/codebook", "static/index.html"):
            status, head, body = asked(bench, (bench.path + path).encode(), headers=headers)
            assert (status, bool(body)) == (200, True), (headers, path)
            assert_guarded(head)
            assert b"server:" not in head.lower()


def test_a_wrong_token_is_an_empty_404(bench):
    token = bench.path.strip("/")
    wrong = [token[:-1], token + "a", token.upper(), token.lower(), token[::-1], "", "x", "api", "A" * 5000]
    for each in wrong:
        for path in ("", "api/state", "static/index.html"):
            status, head, body = asked(bench, f"/{each}/{path}".encode())
            assert (status, body) == (404, b""), each
            assert_guarded(head)
    status, _, body = asked(bench, f"/{token}".encode())
    assert (status, body) == (404, b""), "the page's own links need the slash"


@pytest.mark.parametrize(
    "path",
    [
        "/TOKEN//api/state",
        "//TOKEN/api/state",
        "/TOKEN/api//state",
        "/TOKEN/./api/state",
        "/TOKEN/api/../api/state",
        "/x/../TOKEN/api/state",
        "/TOKEN/../TOKEN/api/state",
        "/TOKEN/%2e%2e/TOKEN/api/state",
        "/TOKEN/api%2fstate",
        "/TOKEN/api%2Fstate",
        "/TOKEN%2fapi/state",
        "/TOKEN/%61pi/state",
        "/TOKEN/api/state%00",
        "/TOKEN/api/state%0d%0aX:1",
        "/TOKEN/api\\state",
        "/TOKEN\\api/state",
        "/TOKEN/API/state",
        "/TOKEN/api/State",
        "/TOKEN/api/state/",
        "/TOKEN/api/state;x",
        "/TOKEN/api",
        "/TOKEN/api/",
        "/TOKEN/static/",
        "/TOKEN/static",
        "/TOKEN/static/../desk.py",
        "/TOKEN/static/..%2fdesk.py",
        "/TOKEN/static/%2e%2e/desk.py",
        "/TOKEN/static/....//desk.py",
        "/TOKEN/static/desk.py",
        "/TOKEN/static/.hidden",
        "/TOKEN/static//etc/passwd",
        "/TOKEN/static/C:/x",
        "/TOKEN/plan.json",
        "/TOKEN/logs/ann.jsonl",
        "/TOKEN/api/thumbnail/../../plan.json",
        "/TOKEN/api/thumbnail/plan.json",
        "/TOKEN/api/picture/..%2f..%2fplan.json/0",
        "/TOKEN/api/picture/x/-1",
        "http://HOST/TOKEN/api/state",
        "http://evil.test/TOKEN/api/state",
        "HTTP://HOST/TOKEN/",
        "*",
        "TOKEN/api/state",
        "?/TOKEN/api/state",
    ],
)
def test_path_tricks_end_at_the_door(bench, path):
    target = path.replace("TOKEN", bench.path.strip("/")).replace("HOST", bench.host)
    status, head, body = asked(bench, target.encode())
    assert status in (403, 404, 410), (status, body)
    assert status != 410 or "picture" in path
    assert_guarded(head)
    assert b"task_id" not in body
    assert b"root:" not in body


def test_what_is_no_http_gets_no_answer(bench):
    token = bench.path.encode()
    for request in (
        b"\0\0\0\0",
        b"GET %sapi/state\0 HTTP/1.1\r\nHost: x\r\n\r\n" % token,
        b"GET %s\xff HTTP/1.1\r\nHost: x\r\n\r\n" % token,
    ):
        assert raw(bench, request) == b""
    host = bench.host.encode()
    twice = b"GET %sapi/state HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n" % (token, host, host)
    assert raw(bench, twice) == b""


@pytest.mark.parametrize(
    "headers",
    [
        b"Host: evil.test\r\n",
        b"Host: 127.0.0.1\r\n",
        b"Host: 127.0.0.1:1\r\n",
        b"Host: evil.test:PORT\r\n",
        b"Host: 127.0.0.1.evil.test:PORT\r\n",
        b"Host: 127.1:PORT\r\n",
        b"Host: [::1]:PORT\r\n",
        b"Host: LOCALHOST:PORT\r\n",
        b"Host:\r\n",
        b"Origin: http://evil.test\r\n",
        b"Origin: null\r\n",
        b"Origin: https://127.0.0.1:PORT\r\n",
        b"Origin: http://localhost:PORT\r\n",
        b"Origin: http://127.0.0.1:1\r\n",
        b"Origin:\r\n",
        b"Sec-Fetch-Site: cross-site\r\n",
        b"Sec-Fetch-Site: same-site\r\n",
        b"Sec-Fetch-Site: \r\n",
        b"Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n",
        b"Origin: http://127.0.0.1:PORT\r\nOrigin: http://evil.test\r\n",
    ],
)
def test_another_host_or_origin_is_403(bench, headers):
    headers = headers.replace(b"PORT", bench.host.split(":")[1].encode())
    for method, path in ((b"GET", ""), (b"GET", "api/state"), (b"POST", "api/undo")):
        status, head, body = asked(bench, (bench.path + path).encode(), method, headers)
        assert status == 403, headers
        assert_guarded(head)
        assert b"task_id" not in body


@pytest.mark.parametrize("method", [b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT", b"BREW"])
def test_other_methods_are_405(bench, method):
    status, head, _ = asked(bench, f"{bench.path}api/state".encode(), method)
    assert status == 405
    assert b"allow:" in head.lower()
    assert_guarded(head)


def test_the_wrong_one_of_the_two_methods_is_405(bench):
    for path in ("api/draft", "api/submit", "api/undo", "api/visit/act", "api/visit/restart", "api/pin"):
        answer = bench.get(path)
        assert (answer.status, answer.headers["content-security-policy"][:18]) == (405, "default-src 'none'")
    for path in ("", "api/state", "api/codebook", "api/visit", "static/index.html"):
        assert bench.post(path, {}).status == 405


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"]
)
def test_a_form_that_any_page_could_send_is_415(bench, kind):
    headers = {} if kind is None else {"Content-Type": kind}
    answer = bench.ask("POST", f"{bench.path}api/undo", b"{}", headers)
    assert answer.status == 415
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_long_body_is_413_whether_announced_or_not(bench):
    long, path = b" " * (BODY_LIMIT + 1), f"{bench.path}api/undo"
    assert bench.ask("POST", path, b"{" + b" " * (BODY_LIMIT - 2) + b"}", JSON).status == 409, "as long as may be"
    kind = b"Content-Type: application/json\r\nConnection: close\r\n"
    head = b"POST %s HTTP/1.1\r\nHost: %s\r\n%s" % (path.encode(), bench.host.encode(), kind)
    for request in (
        head + b"Content-Length: %d\r\n\r\n" % len(long),
        head + b"Content-Length: 99999999999999999999\r\n\r\n",
        head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(long), long),
    ):
        answer = raw(bench, request)
        assert answer.startswith(b"HTTP/1.1 413 "), request[:200]
        assert_guarded(answer.partition(b"\r\n\r\n")[0])


def test_a_body_that_does_not_come_is_408(bench, monkeypatch):
    monkeypatch.setattr(guard, "BODY_S", 0.05)
    kind = b"Content-Type: application/json\r\nContent-Length: 9\r\n"
    head = b"POST %sapi/undo HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (bench.path.encode(), bench.host.encode(), kind)
    answer = raw(bench, head + b"{")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert_guarded(answer.partition(b"\r\n\r\n")[0])


def test_small_answers_are_sent_at_once(bench, monkeypatch):
    found = []

    def connected(protocol, transport):
        found.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        super(serving._Silent, protocol).connection_made(transport)

    monkeypatch.setattr(serving._Silent, "connection_made", connected, raising=False)
    assert bench.get("api/state").status == 200
    assert [bool(each) for each in found] == [True], "or every answer waits for the client's delayed acknowledgement"


def test_who_waits_when_the_server_ends_is_told_and_nothing_is_dumped(tmp_path, monkeypatch, caplog, capfd):
    entered, release = threading.Event(), threading.Event()

    def slow(desk):
        entered.set()
        assert release.wait(30)
        return {}

    make_project(tmp_path / "p", sites=1, workers=ALONE)
    monkeypatch.setattr(serving, "_GRACE_S", 0.01)
    monkeypatch.setattr(Desk, "_state", slow)
    with Desk(Project.open(tmp_path / "p"), "ann") as desk:
        server = WorkbenchServer(desk)
        client, answers = Client(server.address), []
        serves = threading.Thread(target=server.run)
        asks = threading.Thread(target=lambda: answers.append(client.get("api/state")))
        serves.start()
        asks.start()
        assert entered.wait(30)
        server.stop()
        asks.join(30)
        release.set()
        serves.join(30)
        assert not asks.is_alive()
        assert not serves.is_alive()
    assert answers[0].status == 503
    assert "ended" in answers[0].json["message"]
    said = caplog.text + "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert "CancelledError" not in said


def test_a_websocket_is_not_taken_up(bench):
    upgrade = (
        b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YQ==\r\n"
    )
    request = b"GET %sapi/visit/act HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (
        bench.path.encode(),
        bench.host.encode(),
        upgrade,
    )
    assert raw(bench, request).startswith(b"HTTP/1.1 405 ")


def test_nothing_unforeseen_shows_the_token_or_the_code(bench, monkeypatch, caplog, capfd):
    token = bench.path.strip("/")

    def broken(desk):
        raise RuntimeError(f"broken at {bench.path}")

    monkeypatch.setattr(Desk, "_state", broken)
    with caplog.at_level(logging.DEBUG):
        answer = bench.get("api/state")
    monkeypatch.undo()
    assert answer.status == 500
    assert set(answer.json) == {"message"}
    assert "broken" not in answer.json["message"]
    assert "RuntimeError: broken at /…/" in caplog.text, "whoever runs it reads what broke"
    said = "".join(capfd.readouterr())
    assert token not in caplog.text + said
    assert bench.get("api/state").status == 200, "the server goes on"


def test_no_request_is_logged(bench, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        bench.get("api/state")
        asked(bench, b"/wrong/api/state")
    assert "state" not in caplog.text + "".join(capfd.readouterr())


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            ["TOKEN", "api", "state", "static", "..", ".", "", "%2e", "%2f", "\\", "index.html", "a;b", "~"]
        )
    )
)
def test_only_listed_paths_are_ever_200(bench, segments):
    path = "/" + "/".join(segments).replace("TOKEN", bench.path.strip("/"))
    status, head, _ = asked(bench, path.encode())
    listed = {bench.path, f"{bench.path}api/state", f"{bench.path}static/index.html"}
    assert (status == 200) == (path in listed)
    assert status in (200, 404, 405)
    assert_guarded(head)


def test_answers_are_json_that_is_not_sniffed(bench):
    for path in ("api/state", "api/codebook", "api/visit", "api/nothing"):
        answer = bench.get(path)
        assert answer.headers["content-type"] == "application/json"
        json.loads(answer.body)
