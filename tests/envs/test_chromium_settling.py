"""When a page with scripts has come to rest: what it asked for has been answered, and what came of it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from chromium_stub import StubSession, act, show, texts
from egress_site import Served, TableServer

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.in_flight import Requests
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.watch import LoadWatch

HTML = {"Content-Type": "text/html; charset=utf-8"}
HELD_S = 0.3
ASK = "const ask = async (path) => (await fetch(path)).text();"


def _page(script: str, body: str = "<button id='go' onclick='go()'>go</button>") -> tuple[int, dict[str, str], str]:
    return 200, HTML, f"<!doctype html><meta charset=utf-8><script>{ASK}{script}</script>{body}<p id='said'>-</p>"


class SlowServer(TableServer):
    """Holds every answer below ``/slow`` for a while, and those below ``/never`` until it is closed."""

    def __init__(self, table: Served) -> None:
        self._over = threading.Event()
        super().__init__(table)

    def close(self) -> None:
        self._over.set()
        super().close()

    def _handler(self) -> type[Any]:
        server = self
        base: Any = super()._handler()

        class Handler(base):  # type: ignore[misc]
            def do_GET(self) -> None:  # noqa: N802
                if self.path.startswith("/never"):
                    server._over.wait()
                elif self.path.startswith("/slow"):
                    server._over.wait(HELD_S)
                super().do_GET()

            def handle(self) -> None:
                with suppress(ConnectionError):
                    super().handle()

        return Handler


def _scripted(site: Any) -> StubSession:
    return StubSession(site, has_scripts=True)


@contextmanager
def _backend(table: Served, session: Callable[[Any], Any] = _scripted, **settings: Any) -> Iterator[ChromiumBackend]:
    made: dict[str, Any] = {"session": session, "server": lambda: SlowServer(table), "modalities": frozenset()}
    backend = ChromiumBackend(BrowserSettings(**settings), **made)
    try:
        yield backend
    finally:
        backend.close()


ANSWERS: dict[str, tuple[int, dict[str, str], str]] = {
    "/slow/one": (200, {}, "one"),
    "/slow/two": (200, {}, "two"),
    "/slow/on": (302, {"Location": "/slow/two"}, ""),
    "/slow/out": (302, {"Location": "http://elsewhere.test/"}, ""),
    "/slow/gone": (404, {}, "gone"),
}
SCRIPTS = {
    "one answer": ("said.textContent = await ask('/slow/one');", "one"),
    "one after the other": ("said.textContent = await ask('/slow/one') + ' ' + await ask('/slow/two');", "one two"),
    "a redirect": ("said.textContent = await ask('/slow/on');", "two"),
    "a redirect that leads out": ("await ask('/slow/out').catch(() => { said.textContent = 'refused'; });", "refused"),
    "what leads out": ("await ask('http://elsewhere.test/').catch(() => { said.textContent = 'held'; });", "held"),
    "an error of the server": ("said.textContent = await ask('/slow/gone');", "gone"),
    "the older way": (
        """const x = new XMLHttpRequest(); x.onload = () => { said.textContent = x.responseText; };
        x.open('GET', '/slow/one'); x.send();""",
        "one",
    ),
    "another page, which asks at once": ("location.href = '/asks';", "two"),
}


@pytest.fixture(scope="module")
def backend() -> Iterator[ChromiumBackend]:
    pages = {f"/{i}": _page(f"async function go() {{ {script} }}") for i, (script, _) in enumerate(SCRIPTS.values())}
    asks = _page("onload = async () => { said.textContent = await ask('/slow/two'); };", "")
    with _backend({**ANSWERS, **pages, "/asks": asks}, quiet_cap_ms=20_000) as made:
        yield made


@pytest.mark.browser
@pytest.mark.parametrize(("i", "shown"), [(i, shown) for i, (_, shown) in enumerate(SCRIPTS.values())], ids=SCRIPTS)
def test_what_a_slow_answer_writes_is_seen(backend, i, shown):
    show(backend, f"/{i}")
    result = act(backend, "click", "go")
    assert (result.error, texts(result.page)[-1]) == (None, shown)


@pytest.mark.browser
def test_a_landing_page_that_asks_at_once_is_seen_with_the_answer(backend):
    assert texts(show(backend, "/asks")) == ["two"]


@pytest.mark.browser
def test_a_page_whose_answer_never_comes_is_taken_as_it_is(monkeypatch):
    given_up: list[bool] = []
    give_up = Requests.give_up

    def noted(requests: Requests) -> None:
        given_up.append(requests.in_flight)
        give_up(requests)

    monkeypatch.setattr(Requests, "give_up", noted)
    script = "async function go() { said.textContent = 'asked'; said.textContent = await ask('/never'); }"
    with _backend({"/": _page(script)}, quiet_cap_ms=200) as backend:
        show(backend)
        result = act(backend, "click", "go")
        assert (result.error, texts(result.page)[-1]) == (None, "asked")
        assert act(backend, "noop").page == result.page
    assert given_up == [True]


@pytest.mark.browser
@pytest.mark.parametrize(
    "script",
    [
        "new EventSource('/never')",
        "navigator.sendBeacon('/never')",
        "new WebSocket(`ws://${location.host}/never`)",
    ],
)
def test_what_stays_open_is_not_waited_for(monkeypatch, script):
    given_up: list[Requests] = []
    monkeypatch.setattr(Requests, "give_up", given_up.append)
    table = {"/": _page(f"function go() {{ {script}; said.textContent = 'begun'; }}")}
    with _backend(table, quiet_cap_ms=30_000) as backend:
        show(backend)
        assert texts(act(backend, "click", "go").page)[-1] == "begun"
    assert not given_up


@pytest.mark.browser
def test_an_answer_that_comes_while_the_page_is_looked_at_is_not_taken_for_the_last(backend, monkeypatch):
    monkeypatch.setattr(f"{__name__}.HELD_S", 0.02)
    for _ in range(10):
        show(backend, "/1")
        assert texts(act(backend, "click", "go").page)[-1] == "one two"


class Session:
    """A protocol session that keeps what it is asked, and has events when told to."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self._handlers: dict[str, list[Callable[[dict[str, Any]], None]]] = {}

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers.setdefault(event, []).append(handler)

    def send(self, method: str) -> None:
        self.sent.append(method)

    def say(self, event: str, **params: Any) -> None:
        for handler in self._handlers[event]:
            handler(params)

    def ask(self, kind: str, frame: str = "main") -> None:
        self.say("Network.requestWillBeSent", requestId="1", type=kind, frameId=frame)


def test_the_requests_of_a_site_without_scripts_are_not_followed() -> None:
    session: Any = Session()
    watch = LoadWatch(None, session, "main", None)  # type: ignore[arg-type]
    assert session.sent == []
    watch.follow_requests()
    assert session.sent == ["Network.enable"]


@pytest.mark.parametrize("end", ["Network.loadingFinished", "Network.loadingFailed"])
def test_a_request_is_in_flight_until_it_ends(end):
    session: Any = Session()
    requests = Requests(session, "main")
    session.ask("Fetch")
    assert requests.in_flight
    session.say(end, requestId="1")
    assert not requests.in_flight


def test_a_new_document_ends_it_too() -> None:
    session: Any = Session()
    requests = Requests(session, "main")
    session.ask("XHR")
    session.say("Page.frameNavigated", frame={"id": "inner"})
    assert requests.in_flight
    session.say("Page.frameNavigated", frame={"id": "main"})
    assert not requests.in_flight


@pytest.mark.parametrize(("kind", "frame", "waits"), [("Document", "main", False), ("Document", "inner", True)])
def test_the_document_itself_is_left_to_its_loading(kind, frame, waits):
    session: Any = Session()
    requests = Requests(session, "main")
    session.ask(kind, frame=frame)
    assert requests.in_flight is waits
