"""What a page wanted to show and an agent never sees is written down: a dialog, another tab, a download."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium_stub import StubSession, show, texts
from egress_site import TableServer

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionErrorKind, ActionKind, BrowserAction
from riskchain_gym.protocol.failures import FailureKind

pytestmark = pytest.mark.browser

HTML = {"Content-Type": "text/html; charset=utf-8"}
FILE = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"}
PAGE = """<!doctype html><meta charset=utf-8><p id='said'>-</p>
<button id='ask' onclick="document.getElementById('said').textContent = String(confirm('你确定吗？'))">ask</button>
<button id='open' onclick="window.open('/other')">open</button>
<a id='tab' href='/other' target='_blank'>tab</a>
<a id='file' href='/file'>file</a>
<button id='plain' onclick="document.getElementById('said').textContent = 'plain'">plain</button>"""
TABLE = {"/": (200, HTML, PAGE), "/other": (200, HTML, "<p>other</p>"), "/file": (200, FILE, "bytes")}


@pytest.fixture
def backend() -> Iterator[ChromiumBackend]:
    made = ChromiumBackend(
        BrowserSettings(),
        session=lambda site: StubSession(site, has_scripts=True),
        server=lambda: TableServer(TABLE),
        modalities=frozenset(),
    )
    yield made
    made.close()


@pytest.mark.parametrize(
    ("key", "lost", "error"),
    [
        ("ask", (FailureKind.LOST_DIALOG,), None),
        ("open", (FailureKind.LOST_TAB,), ActionErrorKind.BLOCKED_NAVIGATION),
        ("tab", (FailureKind.LOST_TAB,), ActionErrorKind.BLOCKED_NAVIGATION),
        ("file", (FailureKind.LOST_DOWNLOAD,), None),
        ("plain", (), None),
    ],
)
def test_what_was_lost_is_told_and_only_with_the_action_that_asked_for_it(
    backend: ChromiumBackend, key: str, lost: tuple[FailureKind, ...], error: ActionErrorKind | None
) -> None:
    show(backend)
    done = backend.act(BrowserAction(action=ActionKind.CLICK, element_id="e1"), key)
    assert (done.lost, done.error) == (lost, error)
    after = backend.act(BrowserAction(action=ActionKind.CLICK, element_id="e1"), "plain")
    assert (after.lost, after.error) == ((), None)
    assert "plain" in texts(after.page)
