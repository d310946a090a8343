"""The sandbox server answers its registered hosts and nothing else."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.server import HEADERS, MAX_BODY, SandboxServer
from riskchain_gym.sites.session import SiteSession

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as running:
        yield running


@pytest.fixture
def session(server: SandboxServer) -> Iterator[SiteSession]:
    made = SiteSession(compile_site(load_archetype("order-rebate"), KEY, "srv", "s0", gates={"hall": "none"}).site)
    server.register("kabc.test", made)
    yield made
    server.unregister("kabc.test")


class Client:
    def __init__(self, server: SandboxServer) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    def ask(
        self, method: str, path: str, body: bytes | None = None, host: str = "kabc.test", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        self.connection.request(method, path, body, {"Host": host, **headers})
        answer = self.connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


@pytest.fixture
def client(server: SandboxServer) -> Iterator[Client]:
    made = Client(server)
    yield made
    made.connection.close()


def test_a_page_is_html_with_the_safe_headers(client: Client, session: SiteSession) -> None:
    status, headers, body = client.ask("GET", "/")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src" not in headers["Content-Security-Policy"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert session.site.operator in body.decode()
    assert session.state.visits == {"/": 1}


def test_every_answer_has_the_same_headers(client: Client, session: SiteSession) -> None:
    asked = [
        ("GET", "/", None),
        ("GET", "/nope", None),
        ("HEAD", "/", None),
        ("GET", "/favicon.ico", None),
        ("POST", "/nope", b""),
    ]
    for method, path, body in asked:
        _, headers, _ = client.ask(method, path, body, **FORM)
        assert {name: headers[name] for name in HEADERS} == HEADERS, (method, path)
        assert headers["Server"] == "sandbox"
        assert headers["Date"] == "Mon, 15 Jun 2026 00:00:00 GMT"


def test_one_connection_serves_many_requests(client: Client, session: SiteSession) -> None:
    client.ask("GET", "/")
    first = client.connection.sock
    for path in ("/nope", "/favicon.ico", "/"):
        client.ask("GET", path)
    assert client.connection.sock is first


OTHERS = [
    *(
        "other.test",
        "",
        "127.0.0.1",
        "localhost",
        "kabc.test.evil",
        "a.kabc.test",
        "kabc",
        "kabc.test.",
        "kabc.test:80",
    ),
    *(
        "kabc.test:8080",
        "kabc.test/",
        "kabc.test@other.test",
        "x@kabc.test",
        "kabc.test, other.test",
        "http://kabc.test",
    ),
]


@pytest.mark.parametrize("host", OTHERS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_any_other_host_gets_no_answer(client: Client, session: SiteSession, method: str, host: str) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        client.ask(method, "/", host=host)
    assert session.state.visits == {}


def test_the_address_of_the_server_is_no_host(client: Client, server: SandboxServer, session: SiteSession) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        client.ask("GET", "/", host=f"127.0.0.1:{server.port}")


@pytest.mark.parametrize("more", [b"Host: other.test", b"Host: kabc.test", b"X-Forwarded-Host: kabc.test"])
def test_a_request_that_could_mean_two_hosts_gets_no_answer(
    server: SandboxServer, session: SiteSession, more: bytes
) -> None:
    first = b"other.test" if more.startswith(b"X") else b"kabc.test"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: " + first + b"\r\n" + more + b"\r\n\r\n")
        assert connection.recv(65536) == b""
    assert session.state.visits == {}


def test_capitals_name_the_same_host(client: Client, session: SiteSession) -> None:
    assert client.ask("GET", "/", host="KABC.test")[0] == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://other.test"},
        {"Origin": "null"},
        {"Origin": "https://kabc.test"},
        {"Origin": "http://kabc.test:8080"},
        {"Referer": "http://other.test/"},
        {"Referer": "http://kabc.test.evil/"},
        {"Referer": "http://kabc.test@other.test/"},
    ],
)
def test_what_a_page_of_another_host_sends_is_refused(
    client: Client, session: SiteSession, method: str, headers: dict[str, str]
) -> None:
    status, _, body = client.ask(method, "/", b"" if method == "POST" else None, **FORM, **headers)
    assert (status, body) == (403, b"")
    assert session.state.visits == {}


def test_what_its_own_pages_send_is_not(client: Client, session: SiteSession) -> None:
    own = {"Origin": "http://kabc.test", "Referer": "http://kabc.test/x?y"}
    assert client.ask("GET", "/", **own)[0] == 200
    assert client.ask("POST", "/nope", b"", **FORM, **own)[0] == 404


def test_head_changes_nothing(client: Client, session: SiteSession) -> None:
    status, headers, body = client.ask("HEAD", "/")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 1000
    assert session.state.visits == {}


def test_a_form_redirects_with_303_and_shows_the_error(client: Client, session: SiteSession) -> None:
    hall = next(link.to for link in session.site.nav if link.text == "任务大厅")
    client.ask("GET", hall)
    page = session.peek(hall).page
    assert page is not None
    action = next(n.control.action for n in page.controls() if n.kind == "submit" and n.control is not None)
    status, headers, body = client.ask("POST", action, b"x=1", **FORM)
    assert (status, headers["Location"], body) == (303, hall, b"")
    assert "请填写称呼" in client.ask("GET", hall)[2].decode()


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"a%ff=%ff&&&=", FORM, 400),
        (b"\xff\xfe", FORM, 400),
        (b"a=" + b"x" * MAX_BODY, FORM, 413),
        (b"{}", {"Content-Type": "application/json"}, 400),
        (b"a=1", {**FORM, "Content-Length": "-1"}, 400),
        (b"&".join(b"a=1" for _ in range(500)), FORM, 400),
    ],
)
def test_bad_posts_are_refused(
    client: Client, session: SiteSession, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert client.ask("POST", "/nope", body, **headers)[0] == status
    client.connection.close()
    assert client.ask("GET", "/")[0] == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"garbage\r\n\r\n",
        b"GET http://x.test/ HTTP/1.1\r\nHost: kabc.test\r\n\r\n",
        b"PUT / HTTP/1.1\r\nHost: kabc.test\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
def test_odd_requests_get_an_error_without_a_page(server: SandboxServer, session: SiteSession, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(raw)
        answer = connection.recv(65536)
    assert b"<html" not in answer
    assert answer.split(b" ")[1][:1] in (b"4", b"5")


def test_a_download_is_plain_text(client: Client, server: SandboxServer) -> None:
    site = compile_site(load_archetype("mirror-site"), KEY, "dl", "s0").site
    assert site.downloads
    server.register("kdl.test", SiteSession(site))
    status, headers, body = client.ask("GET", next(iter(site.downloads)), host="kdl.test")
    assert status == 200
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Content-Disposition"].startswith("attachment")
    assert len(body) < 1000
    server.unregister("kdl.test")


def test_a_fetched_download_is_remembered_and_redirects_are_answered_hop_by_hop(
    client: Client, server: SandboxServer, tmp_path: Path
) -> None:
    content = tiny(tmp_path)
    for kind in ("download", "redirect"):
        made = compile_site(
            load_archetype("tiny-site", content), KEY, "dl", "s0", content=content, gates={"inner": kind}
        )
        fetching = SiteSession(made.site)
        server.register("kgate.test", fetching)
        inner = next(link.to for link in made.site.nav if link.text == "内页")
        status, headers, _ = client.ask("GET", inner, host="kgate.test")
        assert status == 302
        if kind == "download":
            assert client.ask("HEAD", next(iter(made.site.fetched)), host="kgate.test")[0] == 200
            assert client.ask("GET", inner, host="kgate.test")[0] == 302, "a HEAD fetches nothing"
            client.ask("GET", next(iter(made.site.fetched)), host="kgate.test")
            assert client.ask("GET", inner, host="kgate.test")[0] == 200
        else:
            assert client.ask("GET", headers["Location"], host="kgate.test")[0] == 302
    server.unregister("kgate.test")


def test_two_hosts_keep_apart_states(server: SandboxServer, client: Client, session: SiteSession) -> None:
    other = SiteSession(session.site)
    server.register("kother.test", other)
    client.ask("GET", "/", host="kother.test")
    assert session.state.visits == {}
    assert other.state.visits == {"/": 1}
    server.unregister("kother.test")


def test_many_threads_lose_no_visit(server: SandboxServer, session: SiteSession) -> None:
    def visit(_: int) -> int:
        mine = Client(server)
        status = mine.ask("GET", "/")[0]
        mine.connection.close()
        return status

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(visit, range(40))) == {200}
    assert session.state.visits == {"/": 40}


def test_close_is_idempotent_and_ends_kept_connections() -> None:
    server = SandboxServer()
    server.register("k.test", SiteSession(compile_site(load_archetype("order-rebate"), KEY, "c", "s0").site))
    client = Client(server)
    assert client.ask("GET", "/", host="k.test")[0] == 200
    server.close()
    server.close()
    with pytest.raises(OSError):  # noqa: PT011  (whichever the operating system reports)
        client.ask("GET", "/", host="k.test")
    assert not any(
        thread.name == "sandbox-server" and thread.is_alive()
        for thread in threading.enumerate()
        if thread is server._thread
    )


@pytest.mark.parametrize("length", ["9" * 5000, "１２", "-1", "1_0"])
def test_a_strange_content_length_is_a_bad_request(client: Client, session: SiteSession, length: str) -> None:
    head = f"POST / HTTP/1.1\r\nHost: kabc.test\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection((client.connection.host, client.connection.port), timeout=5) as connection:
        connection.sendall(head.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_a_body_that_ends_too_soon_is_a_bad_request(client: Client, session: SiteSession) -> None:
    with socket.create_connection((client.connection.host, client.connection.port), timeout=5) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: kabc.test\r\nContent-Length: 9\r\n\r\nx=1")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_a_page_that_cannot_be_drawn_is_an_error_of_the_site(server: SandboxServer, session: SiteSession) -> None:
    home = session.site.pages["/"].model_copy(update={"title": "a\ud800"})
    broken = SiteSession(session.site.model_copy(update={"pages": {**session.site.pages, "/": home}}))
    server.register("kbad.test", broken)
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        Client(server).ask("GET", "/", host="kbad.test")
    server.unregister("kbad.test")
    assert broken.failure is not None
    assert str(broken.failure).startswith("site_error: /: UnicodeEncodeError")
