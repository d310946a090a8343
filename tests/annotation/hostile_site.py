"""An imported site that means ill, and a listener that stands where the workbench would."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from contextlib import suppress

from riskchain_gym.sites.replay.model import ImportedSite, ReplaySite, Resource

HTML = "text/html; charset=utf-8"
HOSTS = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0")
PATHS = ("/", "/api/state", "/static/app.js", "/a/../api/state", "/token/api/visit/act")

REACH = """
const said = document.getElementById('said');
const every = [];
for (const host of HOSTS) for (const path of PATHS) {
  const url = `http://${host}${path}`;
  for (const mode of ['cors', 'no-cors', 'navigate']) every.push(() => fetch(url, { mode, credentials: 'include' }));
  every.push(() => fetch(url, { method: 'POST', mode: 'no-cors', body: '{"decision":"NON_VIOLATION"}' }));
  every.push(() => new Promise((done) => {
    const image = new Image(); image.onload = image.onerror = done; image.src = url; }));
  every.push(() => navigator.sendBeacon(url, 'x'));
  every.push(() => { const all = new XMLHttpRequest(); all.open('GET', url); all.send(); });
  every.push(() => new WebSocket(`ws://${host}${path}`));
  every.push(() => new EventSource(url));
  const loads = { script: 'src', iframe: 'src', link: 'href', object: 'data', video: 'src' };
  for (const [tag, name] of Object.entries(loads))
    every.push(() => { const it = document.createElement(tag); it.rel = 'stylesheet'; it[name] = url;
      document.body.append(it); });
}
(async () => {
  for (const each of every) try { await each(); } catch {}
  said.textContent = 'tried';
})();
"""


class Listener:
    """Notes every connection to one port of both loopback addresses; closes each at once.

    Attributes:
        port: The port.
        heard: What was connected to, and how often.
    """

    def __init__(self) -> None:
        first = socket.create_server(("127.0.0.1", 0))
        self.port: int = first.getsockname()[1]
        self._sockets = [first]
        if socket.has_ipv6:
            # A machine without an IPv6 loopback has nothing there that could be reached.
            with suppress(OSError):
                self._sockets.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
        self.heard: list[str] = []
        self._threads = [threading.Thread(target=self._accept, args=(each,), daemon=True) for each in self._sockets]
        for thread in self._threads:
            thread.start()

    def knock(self, host: str) -> None:
        """Connect, and return when that was noted, and with it whatever came before it.

        Raises:
            OSError: The machine has no such address.
        """
        with socket.create_connection((host, self.port), 5) as connection:
            assert connection.recv(1) == b"", "each connection is closed once it is noted"

    def close(self) -> None:
        """Stop listening."""
        for each in self._sockets:
            each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self.heard.append(listening.getsockname()[0])
            connection.close()


def hostile_site(port: int) -> ImportedSite:
    """Return a site of pages that try to reach a port of this machine, or to leave, each in a way of its own.

    Nothing an importer would have taken out is taken out.

    Args:
        port: The port.
    """
    there = f"http://127.0.0.1:{port}"
    hosts = json.dumps([f"{host}:{port}" for host in HOSTS])
    reach = f"const HOSTS = {hosts}, PATHS = {json.dumps(PATHS)};{REACH}"
    pages = {
        "/reach": f"<p id=said>begun</p><script>{reach}</script>",
        "/refresh": f"<meta http-equiv=refresh content='0;url={there}/api/state'><p>refresh</p>",
        "/form": f"<p>form</p><form method=post action='{there}/api/submit'><button>send it</button></form>",
        "/sent": f"<p>sent</p><form id=f method=post action='{there}/api/submit'></form><script>f.submit()</script>",
        "/bust": f"<p>bust</p><script>top.location = '{there}/'; parent.location.replace('{there}/');"
        f"window.open('{there}/', '_top'); opener && (opener.location = '{there}/');</script>",
        "/open": f"<p>open</p><button onclick=\"window.open('{there}/')\">open it</button>",
        "/link": f"<p>link</p><a href='{there}/api/state' ping='{there}/'>follow it</a>",
        "/alerts": "<p id=said>alerts</p><script>for (let i = 0; i < 50; i++) alert(i);"
        "onbeforeunload = (event) => { event.preventDefault(); return 'stay'; };</script>",
        "/endless": "<p>endless</p><button onclick='for (;;) alert(1)'>never ends</button>",
        "/out": "<p>outside</p>",
        "/missing": "<p>missing</p>",
    }
    links = "".join(f"<li><a href='{path}'>to {path}</a></li>" for path in pages)
    pages["/"] = f"<h1>home</h1><ul>{links}</ul>"
    bodies: dict[str, bytes] = {}
    resources: dict[str, Resource] = {}
    for path, inner in pages.items():
        body = f"<!doctype html><title>{path}</title><body>{inner}<p><a href='/'>home</a></p>".encode()
        sha256 = hashlib.sha256(body).hexdigest()
        bodies[sha256] = body
        resources[path] = Resource(content_type=HTML, sha256=sha256, size=len(body))
    replay = ReplaySite(
        site_id="hostile",
        title="hostile",
        lang="en",
        entry="/",
        outside="/out",
        missing="/missing",
        scripts=True,
        resources=resources,
    )
    return ImportedSite.of(replay, bodies)
