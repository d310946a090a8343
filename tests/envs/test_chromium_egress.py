"""Nothing but the episode's own site answers, whatever a page tries: every channel at once, in both browsers."""

from __future__ import annotations

import time

import psutil
import pytest
from chromium_stub import show
from egress_channels import CHANNELS, NOT_SHOWN, PUBLISHED, site
from egress_listener import Listener
from egress_site import TableServer, table_backend
from two_browsers import BINARIES, FULL, binary_of, opened

pytestmark = pytest.mark.browser

HELD_BACK = NOT_SHOWN | {FULL: NOT_SHOWN[FULL] | {"speculation rules"}}
"""What the page of all channels does not show: a browser that has much to do may let speculation wait."""

COUNTED = {
    *("navigation", "frame", "window", "websocket", "fetch", "xhr", "image", "stylesheet", "script", "font", "media"),
    *("ping", "eventsource", "other"),
}
QUIET_S = 1.0


@pytest.fixture
def listener():
    made = Listener(CHANNELS)
    yield made
    made.close()


MULTICAST_DNS = "224.0.0.251"


def outside_of(backend, server_port):
    """Return what the browser's processes are connected to, or listen to, beside their own site."""
    main = backend.pids[1]
    found = set()
    for process in [psutil.Process(main), *psutil.Process(main).children(recursive=True)]:
        try:
            connections = process.net_connections("inet")
            found |= {each.raddr for each in connections if each.raddr}
            found |= {each.laddr for each in connections if each.laddr.ip == MULTICAST_DNS}
        except psutil.NoSuchProcess:
            continue
    return found - {("127.0.0.1", server_port)}


@pytest.mark.parametrize("name", BINARIES)
def test_nothing_gets_out(listener, name):
    backend, servers = table_backend(site(listener.at), executable=binary_of(name))
    try:
        page = show(backend, "/all")
        assert (page.path, page.title) == ("/all", "tried")
        end = time.monotonic() + QUIET_S
        while time.monotonic() < end:
            assert outside_of(backend, servers[0].port) == set()
            assert listener.wait_any(0.1) == set()
        tried = backend.egress()
    finally:
        backend.close()
    assert listener.heard == set()
    assert set(tried) - {"prefetch", "preflight"} == COUNTED - {"navigation"}, "the page did try"


@pytest.mark.parametrize("name", BINARIES)
def test_the_same_page_in_an_open_browser_gets_out_by_every_channel(listener, name):
    """The positive control."""
    server = TableServer(site(listener.at))
    shown = set(CHANNELS) - HELD_BACK[name]
    assert set(PUBLISHED) <= set(CHANNELS)
    with opened(name) as browser:
        browser.call(lambda it: it.new_page().goto(f"http://127.0.0.1:{server.port}/all", wait_until="commit"))
        browser.call(lambda it: _until(it, lambda: shown <= listener.heard))
        assert shown - listener.heard == set()
    server.close()


def _until(browser, is_so):
    """Let the driver work until it is so."""
    page = browser.contexts[0].pages[0]
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        page.wait_for_timeout(20)
