"""An episode finds nothing of another: not in the browser, not on the server, not on this machine."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from chromium_stub import act, show, texts
from egress_listener import Listener
from egress_site import TableServer, table_backend
from two_browsers import FULL, SHELL, binary_of, opened

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.host_name import opaque_host
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionErrorKind as Kind
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.server import SandboxServer

pytestmark = pytest.mark.browser

HTML = {"Content-Type": "text/html; charset=utf-8"}
KEPT = {"Content-Type": "text/javascript", "Cache-Control": "max-age=3600"}

LEAVE = """<p id="said">begun</p><script>(async () => {
  document.cookie = 'plain=1; max-age=3600';
  document.cookie = `wide=1; max-age=3600; domain=${location.hostname}`;
  document.cookie = 'widest=1; max-age=3600; domain=test';
  localStorage.setItem('k', '1');
  sessionStorage.setItem('k', '1');
  window.name = 'k';
  history.pushState(0, '', '#1');
  await new Promise((done) => { indexedDB.open('k').onsuccess = done; });
  if (window.caches) await (await caches.open('k')).put('/k', new Response('1'));
  if (navigator.serviceWorker) await navigator.serviceWorker.register('/service.js').catch(() => 0);
  for (const _ of [1, 2]) await fetch('/kept.js');
  said.textContent = 'done';
})();</script>"""

LOOK = """<p id="said">begun</p><script>(async () => {
  await fetch('/kept.js');
  const found = {
    cookies: document.cookie.split('; ').filter(Boolean).sort().join(),
    local: localStorage.length,
    session: sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    caches: window.caches ? (await caches.keys()).length : 0,
    workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length,
    name: window.name,
    history: history.length,
    referrer: document.referrer,
  };
  said.textContent = JSON.stringify(found);
})();</script>"""

TABLE = {
    "/leave": (200, HTML, LEAVE),
    "/look": (200, HTML, LOOK),
    "/kept.js": (200, KEPT, ""),
    "/service.js": (200, KEPT, "onfetch = () => {};"),
}
NOTHING = {
    "cookies": "",
    "local": 0,
    "session": 0,
    "databases": 0,
    "caches": 0,
    "workers": 0,
    "name": "",
    "referrer": "",
}

BOTH = [SHELL, pytest.param(FULL, marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=BOTH)
def name(request):
    return request.param


def said(backend):
    """Return what the page says once it has come to say it."""
    for _ in range(200):
        words = texts(act(backend, "noop").page)[0]
        if words != "begun":
            return words
    raise AssertionError("the page has not said anything")


def test_an_episode_finds_nothing_of_the_one_before(name):
    backend, servers = table_backend(TABLE, executable=binary_of(name))
    try:
        show(backend, "/look")
        virgin = said(backend)
        assert NOTHING.items() <= json.loads(virgin).items()
        show(backend, "/leave")
        assert said(backend) == "done"
        show(backend, "/look")
        assert said(backend) == virgin
        assert act(backend, "back").error is Kind.NO_HISTORY
    finally:
        backend.close()
    asked = Counter(host for _, host, path in servers[0].asked if path == "/kept.js")
    assert list(asked.values()) == [1, 1, 1], "kept within an episode, asked for anew in the next"
    assert not any("Cookie" in headers for headers in servers[0].headers if headers["Host"] == list(asked)[-1])


@pytest.mark.slow
def test_the_same_pages_on_one_host_of_an_open_browser_find_all(name):
    """The positive control."""
    server = TableServer(TABLE)

    def visit(browser):
        page = browser.new_page()
        for path in ("/leave", "/look"):
            page.goto(f"http://127.0.0.1:{server.port}{path}")
            page.wait_for_function("said.textContent !== 'begun'")
        return json.loads(page.inner_text("#said"))

    with opened(name) as browser:
        found = browser.call(visit)
    server.close()
    assert found.pop("history") > 1
    left = {
        "cookies": "plain=1,wide=1",
        "local": 1,
        "session": 1,
        "databases": 1,
        "caches": 1,
        "workers": 1,
        "name": "k",
    }
    assert found == NOTHING | left
    assert [path for _, _, path in server.asked].count("/kept.js") == 1


TALK = """<p id="said">begun</p><script>
const channel = new BroadcastChannel('k');
const worker = new SharedWorker('/shared.js');
const seen = new Set();
channel.onmessage = (event) => seen.add(event.data);
worker.port.onmessage = (event) => seen.add(event.data);
localStorage.setItem('me', 'ME');
onstorage = (event) => seen.add(event.newValue);
setInterval(() => { channel.postMessage('ME'); worker.port.postMessage('ME'); localStorage.setItem('me', 'ME'); }, 20);
setTimeout(() => { said.textContent = [...seen].sort().join() || 'nothing'; }, 700);
</script>"""
SHARED = """const ports = [];
onconnect = ({ ports: [port] }) => {
  ports.push(port);
  port.onmessage = (event) => { for (const each of ports) if (each !== port) each.postMessage(event.data); };
};"""
TALKS = {
    "/one": (200, HTML, TALK.replace("ME", "one")),
    "/two": (200, HTML, TALK.replace("ME", "two")),
    "/shared.js": (200, {"Content-Type": "text/javascript"}, SHARED),
}


@pytest.mark.slow
def test_two_episodes_at_once_hear_nothing_of_each_other(name):
    backends = [table_backend(TALKS, executable=binary_of(name))[0] for _ in range(2)]
    try:
        for backend, path in zip(backends, ("/one", "/two"), strict=True):
            show(backend, path)
        assert [said(backend) for backend in backends] == ["nothing", "nothing"]
    finally:
        for backend in backends:
            backend.close()


@pytest.mark.slow
def test_two_pages_of_one_host_do_hear_each_other(name):
    """The positive control."""
    server = TableServer(TALKS)

    def listen(browser):
        context = browser.new_context()
        pages = [context.new_page(), context.new_page()]
        for page, path in zip(pages, ("/one", "/two"), strict=True):
            page.goto(f"http://127.0.0.1:{server.port}{path}")
        pages[0].wait_for_function("seen.has('two')")
        pages[1].wait_for_function("seen.has('one')")

    with opened(name) as browser:
        browser.call(listen)
    server.close()


class Visit:
    """Stands in for a session: one page for every path; remembers what it was asked."""

    failure = None
    has_scripts = False

    def __init__(self, site, page=""):
        self.page = page
        self.asked = []

    def get(self, path):
        self.asked.append(("GET", path))
        policy = "default-src * 'unsafe-inline'"
        return Response(200, body=self.page.encode(), content_type="text/html; charset=utf-8", policy=policy)

    def post(self, path, form):
        self.asked.append(("POST", path))
        return Response(303, location="/")

    peek = get

    def tick(self):
        pass

    def fixture(self, path, key):
        raise KeyError(key)


INTRUDE = """<p id="said">begun</p><script>
const ask = (url, given) => fetch(url, given).then((answer) => answer.text(), () => '').catch(() => '');
(async () => {
  const read = [];
  for (const host of HOSTS) {
    read.push(await ask(`http://${host}/guessed`));
    await ask(`http://${host}/posted`, { method: 'POST', mode: 'no-cors', body: new URLSearchParams('a=1') });
    await new Promise((done) => {
      const image = new Image();
      image.onload = image.onerror = done;
      image.src = `http://${host}/image`;
    });
  }
  said.textContent = read.join('') || 'nothing';
})();</script>"""


@pytest.fixture
def intruder(name):
    """A backend on the real server; its page is set on the way, when the hosts to intrude on are known."""
    servers = []
    visits = []

    def serve():
        servers.append(SandboxServer())
        return servers[-1]

    def visit(site):
        visits.append(Visit(site, "<p>here</p>"))
        return visits[-1]

    made = {"session": visit, "server": serve, "modalities": frozenset({"screenshot"})}
    backend = ChromiumBackend(BrowserSettings(executable=binary_of(name)), **made)
    show(backend, "/")
    yield backend, servers[0], visits
    backend.close()


def intrude(backend, visits, hosts):
    visits[-1].page = INTRUDE.replace("HOSTS", json.dumps(hosts))
    act(backend, "reload")
    return said(backend)


def test_no_address_leads_to_another_episode(intruder):
    backend, server, visits = intruder
    victim, other = Visit(None, "<p>secret</p>"), opaque_host()
    server.register(other, victim)
    port, own = server.port, backend._host._episode.host
    hosts = [
        *(f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "127.0.0.1", "localhost", f"0.0.0.0:{port}"),
        *(
            f"{other}.",
            f"{other}:{port}",
            f"{other}:8080",
            f"www.{other}",
            f"{other}.{own}",
            f"{own}:{port}",
            f"{own}.",
        ),
        *(other.removesuffix(".test"), f"{other.removesuffix('.test')}.localhost:{port}", "test"),
    ]
    assert intrude(backend, visits, hosts) == "nothing"
    assert victim.asked == []
    assert {path for _, path in visits[-1].asked} == {"/"}


def test_who_knows_the_name_of_another_episode_still_changes_nothing_there(intruder):
    backend, server, visits = intruder
    victim, other = Visit(None, "<p>secret</p>"), opaque_host()
    server.register(other, victim)
    assert intrude(backend, visits, [other]) == "nothing"
    assert victim.asked == [("GET", "/image")], "what names no origin cannot be told apart; hence the opaque name"


LOOPBACKS = {
    "127.0.0.1": "127.0.0.1",
    "localhost": "127.0.0.1",
    "a.localhost": "127.0.0.1",
    "0.0.0.0": "127.0.0.1",
    "127.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "0x7f.0.0.1": "127.0.0.1",
    "[::ffff:127.0.0.1]": "127.0.0.1",
    "[::1]": "::1",
    "[::]": "::1",
}
KNOCK = """<p id="said">begun</p><script>
const doors = DOORS;
Promise.all(doors.flatMap((door) => [
  fetch(`http://${door}/`, { mode: 'no-cors' }).catch(() => 0),
  new Promise((done) => { const s = new WebSocket(`ws://${door}/`); s.onopen = s.onerror = done; }),
])).then(() => { said.textContent = 'done'; });
</script>"""


@pytest.mark.slow
def test_no_other_port_of_this_machine_is_reached(name):
    listeners = {each: Listener(LOOPBACKS, each) for each in set(LOOPBACKS.values())}
    ports = {door: listeners[address].at(door).rpartition(":")[2] for door, address in LOOPBACKS.items()}
    doors = [f"{door}:{port}" for door, port in ports.items()]
    table = {"/knock": (200, HTML, KNOCK.replace("DOORS", json.dumps(doors)))}
    backend, _ = table_backend(table, executable=binary_of(name))
    try:
        show(backend, "/knock")
        assert said(backend) == "done"
        assert all(each.heard == set() for each in listeners.values())
        assert backend.egress() == {"fetch": len(doors), "websocket": len(doors)}
    finally:
        backend.close()
    server = TableServer(table)
    with opened(name) as browser:
        browser.call(lambda it: it.new_page().goto(f"http://127.0.0.1:{server.port}/knock"))
        for address, listener in listeners.items():
            assert listener.wait({door for door in LOOPBACKS if LOOPBACKS[door] == address}, 20)
    shown = set().union(*(each.heard for each in listeners.values()))
    assert shown == set(LOOPBACKS), "the positive control"
    for each in (*listeners.values(), server):
        each.close()
