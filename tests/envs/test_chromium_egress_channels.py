"""Every channel by itself, in both browsers: sealed, sealed in a secure context, and open."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial

import pytest
from chromium_stub import act, show
from egress_channels import CHANNELS, NOT_SHOWN, site
from egress_listener import Listener
from egress_site import TableServer, table_backend
from two_browsers import BINARIES, FULL, SHELL, binary_of, by_itself, opened

from riskchain_gym.envs.browser.flags import browser_flags
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import InfrastructureError

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUIET_S = 0.4
UNCOUNTED = {
    *("service worker", "shared worker", "preconnect", "STUN", "TURN over UDP", "TURN over TCP", "candidate over UDP"),
    *("candidate over TCP", "WebTransport"),
}
"""What the browser does not tell of."""


LEADS_TO = {"link header": "/linked", "policy report": "/reports"}
"""Channels that are tried from a page of the site which the first one leads to."""


@pytest.fixture(scope="module")
def listener():
    made = Listener(CHANNELS)
    yield made
    made.close()


@pytest.fixture(scope="module", params=BINARIES)
def sealed(request, listener):
    backend, _ = table_backend(site(listener.at), executable=binary_of(request.param))
    yield request.param, backend
    backend.close()


@pytest.fixture(scope="module", params=BINARIES)
def secure(request, listener):
    """The same flags, but one name more leads to the site, which browsers trust as they trust an encrypted one."""
    server = TableServer(site(listener.at))
    rule = "--host-resolver-rules="
    flags = [
        flag.replace(rule, f"{rule}MAP site.localhost 127.0.0.1:{server.port}, ")
        for flag in browser_flags(server.port, BrowserSettings())
    ]
    with opened(request.param, flags) as browser:
        yield browser
    server.close()


@pytest.fixture(scope="module", params=BINARIES)
def unsealed(request, listener):
    server = TableServer(site(listener.at))
    with opened(request.param) as browser:
        yield request.param, browser, f"http://127.0.0.1:{server.port}"
    server.close()


def test_the_secure_context_is_one(secure):
    def is_secure(browser):
        page = browser.new_page()
        page.goto("http://site.localhost/text")
        return page.evaluate("isSecureContext && 'serviceWorker' in navigator && 'WebTransport' in window")

    assert secure.call(is_secure)


def visit(browser, url, *, is_done=lambda: False, within_s=QUIET_S):
    """Show an address in a fresh context until something has come of it, or for as long as given."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url, wait_until="commit")
    for _ in range(int(within_s / 0.02)):
        if is_done():
            break
        page.wait_for_timeout(20)
    context.close()


@pytest.mark.parametrize("index", range(len(CHANNELS)), ids=list(CHANNELS))
def test_sealed(listener, sealed, index):
    name, backend = sealed
    channel = list(CHANNELS)[index]
    listener.forget()
    is_gone = CHANNELS[channel].leaves and channel not in LEADS_TO
    with pytest.raises(InfrastructureError, match="site_error") if is_gone else nullcontext():
        page = show(backend, f"/try/{index}")
        for _ in range(100):
            is_told = channel in UNCOUNTED or (name, channel) == (SHELL, "favicon") or backend.egress()
            if is_told and not is_gone:
                break
            page = act(backend, "reload" if is_gone else "scroll_up").page
        assert is_told
        assert page.path == LEADS_TO.get(channel, f"/try/{index}")
    assert listener.wait_any(QUIET_S) == set()


@pytest.mark.parametrize("index", range(len(CHANNELS)), ids=list(CHANNELS))
def test_sealed_in_a_secure_context(listener, secure, index):
    listener.forget()
    secure.call(partial(visit, url=f"http://site.localhost/try/{index}"))
    assert listener.wait_any(0.1) == set()


@pytest.mark.parametrize("index", range(len(CHANNELS)), ids=list(CHANNELS))
def test_open(listener, unsealed, index):
    """The positive control."""
    name, browser, address = unsealed
    channel = list(CHANNELS)[index]
    listener.forget()
    is_heard = lambda: channel in listener.heard  # noqa: E731
    within_s = 1.0 if channel in NOT_SHOWN[name] else 20
    browser.call(partial(visit, url=f"{address}/try/{index}", is_done=is_heard, within_s=within_s))
    assert is_heard() == (channel not in NOT_SHOWN[name])


@pytest.mark.parametrize("channel", ["preconnect", "favicon"])
def test_what_only_a_browser_by_itself_shows(listener, tmp_path, channel):
    server = TableServer(site(listener.at))
    path = f"/try/{list(CHANNELS).index(channel)}"
    listener.forget()
    with by_itself(FULL, f"http://127.0.0.1:{server.port}{path}", tmp_path / "open"):
        assert listener.wait({channel}, 30) == {channel}
    listener.forget()
    flags = browser_flags(server.port, BrowserSettings())
    with by_itself(FULL, f"http://site.test{path}", tmp_path / "sealed", flags):
        server.wait_for(path, 30)
        assert listener.wait_any(2.0) == set()
    server.close()
