"""No name is looked up, neither by the domain name system nor by multicast on the local network."""

from __future__ import annotations

import socket
import struct
import threading

import pytest
from egress_site import TableServer
from two_browsers import BINARIES, FULL, by_itself, opened

from riskchain_gym.envs.browser.flags import browser_flags
from riskchain_gym.envs.browser.settings import BrowserSettings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HTML = {"Content-Type": "text/html; charset=utf-8"}
MULTICAST = "224.0.0.251"

NAMES = """<link rel="dns-prefetch" href="//prefetched.example"><img src="http://asked.example/x.png"><script>
  setTimeout(() => fetch('/end'), 1000);
</script>"""

LOCAL = """<script>(async () => {
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await one.setRemoteDescription(other.localDescription);
  for (const name of ['lower.local', 'UPPER.LOCAL', 'dot.local.', 'a.deep.local']) {
    const candidate = `candidate:1 1 udp 2122260223 ${name} 4444 typ host`;
    await one.addIceCandidate({ candidate, sdpMid: '0' }).catch(() => 0);
  }
  const iceServers = [{ urls: 'stun:stun.local:3478' }, { urls: 'stun:STUN.LOCAL:3478' }];
  const last = new RTCPeerConnection({ iceServers });
  last.createDataChannel('x');
  await last.setLocalDescription(await last.createOffer());
  fetch('http://fetched.local/').catch(() => 0);
  setTimeout(() => fetch('/end'), 1000);
})();</script>"""

TABLE = {"/names": (200, HTML, NAMES), "/local": (200, HTML, LOCAL), "/end": (200, HTML, "")}


@pytest.fixture
def server():
    made = TableServer(TABLE)
    yield made
    made.close()


def looked_up(log):
    """Return which of the page's names a browser's log of its network says were looked up, at whatever stage."""
    stages = ('"dns_query_type', '"hostname":', '"qname":')
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if any(stage in line for stage in stages)]
    return {name for name in ("prefetched", "asked") if any(f"{name}.example" in line for line in lines)}


@pytest.mark.parametrize("name", BINARIES)
def test_no_name_is_looked_up(server, tmp_path, name):
    logs = {}
    for kind, flags, host in [
        ("open", [], f"127.0.0.1:{server.port}"),
        ("sealed", browser_flags(server.port, BrowserSettings()), "site.test"),
    ]:
        logs[kind] = tmp_path / f"{kind}.json"
        server.asked.clear()
        with by_itself(name, f"http://{host}/names", tmp_path / kind, [*flags, f"--log-net-log={logs[kind]}"]):
            server.wait_for("/end", 30)
    shown = {"prefetched", "asked"} if name == FULL else {"asked"}
    assert looked_up(logs["open"]) == shown, "the positive control; the headless shell looks up nothing ahead of need"
    assert "site.test" in logs["sealed"].read_text("utf-8", "replace")
    assert looked_up(logs["sealed"]) == set()


class Multicast:
    """Hears what is asked of the local network by multicast."""

    def __init__(self):
        self.heard = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            self._socket.setsockopt(socket.SOL_SOCKET, option, 1)
        self._socket.bind((MULTICAST, 5353))
        group = struct.pack("4sL", socket.inet_aton(MULTICAST), socket.INADDR_ANY)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        self._socket.settimeout(0.1)
        self._over = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self):
        self._over = True
        self._thread.join(5)
        self._socket.close()

    def _listen(self):
        while not self._over:
            try:
                self.heard.append(self._socket.recvfrom(4096)[0])
            except TimeoutError:
                continue


@pytest.mark.parametrize("name", BINARIES)
def test_nothing_is_asked_of_the_local_network(server, name):
    try:
        multicast = Multicast()
    except OSError as error:
        pytest.skip(f"this machine has no multicast ({error})")

    def visit(browser, url):
        page = browser.new_page()
        with page.expect_request("**/end"):
            page.goto(url)

    with opened(name, browser_flags(server.port, BrowserSettings())) as browser:
        browser.call(lambda it: visit(it, "http://site.test/local"))
    sealed = list(multicast.heard)
    with opened(name) as browser:
        browser.call(lambda it: visit(it, f"http://127.0.0.1:{server.port}/local"))
    multicast.close()
    if not any(b"lower" in packet for packet in multicast.heard):
        pytest.skip("multicast is not delivered on this machine: an open browser is not heard either")
    assert sealed == []
