"""Nothing but the episode's own site answers, whatever a page tries."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from chromium_stub import PAGES, act, show, stub_backend

from riskchain_gym.envs.backends.worker import OwnerThread
from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.flags import wants_sandbox

pytestmark = pytest.mark.browser

TRIES = """<script>
const other = 'http://{address}';
const all = [];
const tag = (name, attributes) => all.push(new Promise((done) => {{
  const element = Object.assign(document.createElement(name), attributes);
  element.onload = element.onerror = () => done(name);
  document.head.append(element);
}}));
all.push(fetch(other + '/fetch', {{ mode: 'no-cors' }}).catch(() => 0));
tag('img', {{ src: other + '/img' }});
tag('script', {{ src: other + '/script' }});
tag('link', {{ rel: 'stylesheet', href: other + '/style' }});
tag('iframe', {{ src: other + '/frame' }});
all.push(new Promise((done) => {{
  const socket = new WebSocket(other.replace('http', 'ws') + '/socket');
  socket.onopen = socket.onerror = done;
}}));
Promise.all(all).then(() => {{ document.title = 'all tried'; }});
</script><p>试</p>"""


class Listener:
    """Notes every request on a port of this machine."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listener.heard.append(self.path)
                self.send_error(404)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02}).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()


@pytest.fixture(params=["address", "name", "loopback name"])
def target(request, listener, monkeypatch):
    port = listener.server.server_port
    host = {"address": "127.0.0.1", "name": "example.com", "loopback name": "localhost"}[request.param]
    monkeypatch.setitem(PAGES, "/tries", TRIES.format(address=f"{host}:{port}"))
    return host


def test_a_page_reaches_no_other_listener(listener, target):
    backend = stub_backend()
    try:
        page = show(backend, "/tries")
        for _ in range(100):
            if page.title == "all tried":
                break
            page = act(backend, "scroll_up").page
        assert page.title == "all tried"
    finally:
        backend.close()
    assert listener.heard == []


def test_the_same_page_in_an_open_browser_does_reach_it(listener, monkeypatch):
    """The positive control: the page's tries are real."""
    html = TRIES.format(address=f"127.0.0.1:{listener.server.server_port}")

    def browse() -> None:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=wants_sandbox())
            page = browser.new_page()
            page.set_content(html)
            page.wait_for_function("document.title === 'all tried'")
            browser.close()

    thread = OwnerThread("open-browser")
    thread.call(browse, 60)
    thread.stop(10)
    assert {"/fetch", "/img", "/script", "/style", "/frame", "/socket"} <= set(listener.heard)
