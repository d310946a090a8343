"""Pages that mean ill: whatever they do has a name, and what is shown is always the page that stands there."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from chromium_stub import act, in_page, show, texts
from egress_site import TableServer, table_backend
from two_browsers import FULL, SHELL, binary_of

from riskchain_gym.protocol.action import ActionErrorKind as Kind
from riskchain_gym.protocol.errors import InfrastructureError

pytestmark = pytest.mark.browser

HTML = {"Content-Type": "text/html; charset=utf-8"}
BOTH = [SHELL, pytest.param(FULL, marks=pytest.mark.slow)]
FILE = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"}


_CLOBBER = """for (const name of ['body', 'title', 'images', 'scripts', 'querySelectorAll', 'getElementById'])
  put('img', { name }), put('form', { name })"""
_POLLUTE = """for (const { prototype } of [Element, Document, Node, Array, Map])
  for (const name of Object.getOwnPropertyNames(prototype)) try { prototype[name] = () => { throw 1 } } catch {}"""
_LEAVING = """<p>begun</p><a id=away href=/text>away</a><button id=go onclick='0'>go</button>
<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay' }</script>"""
_DEVOUR = """<p>devour</p>
<button id=go onclick='const all = []; for (;;) all.push(new Uint8Array(1 << 27).fill(1))'>go</button>"""

# What a click on the one control does: the script; how the action ends; what the page says then (None: anything).
STAYS = {
    "alert": ("alert('x')", None, "begun"),
    "confirm": ("said.textContent = confirm('x') ? 'yes' : 'no'", None, "no"),
    "prompt": ("said.textContent = prompt('x', 'y') === null ? 'no' : 'yes'", None, "no"),
    "many alerts": ("for (let i = 0; i < 30; i++) alert(i); said.textContent = 'told'", None, "told"),
    "print": ("print()", None, "begun"),
    "window": ("window.open('/text')", Kind.BLOCKED_NAVIGATION, "begun"),
    "windows": ("for (let i = 0; i < 5; i++) window.open('/text?' + i)", Kind.BLOCKED_NAVIGATION, "begun"),
    "window of no address": ("window.open()", Kind.BLOCKED_NAVIGATION, "begun"),
    "download": ("location.href = '/file'", None, "begun"),
    "download of data": ("put('a', { href: 'data:text/plain,x', download: 'x' }).click()", None, "begun"),
    "download of a blob": (
        "put('a', { href: window.URL.createObjectURL(new Blob(['x'])), download: 'x' }).click()",
        None,
        "begun",
    ),
    "file chooser": ("put('input', { type: 'file' }).click()", None, "begun"),
    "directory picker": ("window.showDirectoryPicker?.().catch(() => 0)", None, "begun"),
    "notifications": (
        "window.Notification?.requestPermission().then((is) => { if (is === 'granted') said.textContent = is })",
        None,
        "begun",
    ),
    "geolocation": (
        "navigator.geolocation?.getCurrentPosition(() => { said.textContent = 'granted' }, () => 0)",
        None,
        "begun",
    ),
    "clipboard": (
        "navigator.clipboard?.readText().then(() => { said.textContent = 'granted' }, () => 0)",
        None,
        "begun",
    ),
    "camera": (
        "navigator.mediaDevices?.getUserMedia({ video: true }).then(() => { said.textContent = 'granted' }, () => 0)",
        None,
        "begun",
    ),
    "fullscreen": ("document.documentElement.requestFullscreen().catch(() => 0)", None, "begun"),
    "pointer lock": ("document.body.requestPointerLock()", None, "begun"),
    "a document written over it": ("document.open(); document.write('<p id=said>other</p>')", None, "other"),
    "an emptied document": ("document.open()", None, None),
    "no root": ("document.documentElement.remove()", None, None),
    "debugger": ("debugger", None, "begun"),
    "pushed states": ("for (let i = 0; i < 300; i++) history.pushState(0, '', '/hostile?' + i)", None, "begun"),
    "nowhere back": ("history.back()", Kind.BLOCKED_NAVIGATION, "begun"),
    "stopped": ("window.stop()", None, "begun"),
    "a fragment": ("location.hash = 'x'", None, "begun"),
    "a base": ("put('base', { href: 'http://elsewhere.example/' })", None, "begun"),
    "a long title": ("document.title = 'x'.repeat(2 ** 20)", None, "begun"),
    "redirects without end": ("location.href = '/round'", Kind.EXECUTION_ERROR, "begun"),
    "a redirect to data": ("location.href = '/todata'", Kind.BLOCKED_NAVIGATION, "begun"),
    "an empty answer": ("location.href = '/nothing'", None, "begun"),
    "an error": ("throw new Error('x')", None, "begun"),
    "changes without end": ("setInterval(() => { said.title += 'x' }, 1)", None, "begun"),
    "names of the document": (
        _CLOBBER,
        None,
        "begun",
    ),
    "prototypes": (
        _POLLUTE,
        None,
        "begun",
    ),
    "a focus trap": (
        "const trap = put('input', { autofocus: true }); trap.onblur = () => trap.focus(); trap.focus()",
        None,
        "begun",
    ),
    "fields without end": (
        "put('input', {}).oninput = (event) => put('input', { oninput: event.target.oninput })",
        None,
        "begun",
    ),
}

_PUT = """<script>
const put = (name, given) => document.body.appendChild(Object.assign(document.createElement(name), given));
</script>"""


def _page(script):
    return f"""<p id=said style='margin:0'>begun</p><button id=go>go</button><a id=away href=/text>away</a>{_PUT}
<script>document.getElementById('go').onclick = () => {{ {script} }}</script>"""


TABLE = {
    **{
        f"/hostile/{index}": (
            200,
            HTML,
            _page(script),
        )
        for index, (script, _, _) in enumerate(STAYS.values())
    },
    "/file": (200, FILE, "x"),
    "/round": (302, {"Location": "/round"}, ""),
    "/todata": (302, {"Location": "data:text/html,x"}, ""),
    "/nothing": (204, {}, ""),
    "/leaving": (
        200,
        HTML,
        _LEAVING,
    ),
    "/many": (200, HTML, "<p>many</p>" + "".join(f"<a href='/text?{i}'>link {i}</a> " for i in range(50_000))),
    "/crash": (200, HTML, "<p>begun</p><button id=go>go</button>"),
    "/self": (200, HTML, "<p>self</p><script>location.replace('/self?' + Math.random())</script>"),
    "/ping": (200, HTML, "<p>ping</p><script>onload = () => { location.href = '/pong' }</script>"),
    "/pong": (200, HTML, "<p>pong</p><script>onload = () => { location.href = '/ping' }</script>"),
    "/refresh": (200, HTML, "<meta http-equiv=refresh content='0'><p>refresh</p>"),
    "/loop": (200, HTML, "<p>loop</p><script>for (;;);</script>"),
    "/alerts": (200, HTML, "<p>alerts</p><script>for (;;) alert(1)</script>"),
    "/close": (
        200,
        HTML,
        "<p>close</p><script>window.close()</script><button id=go onclick='window.close()'>go</button>",
    ),
    "/never": (200, HTML, "<p>never</p><img src='/hang'>"),
    "/eat": (
        200,
        HTML,
        "<p>eat</p><button id=go onclick='const all = []; for (;;) all.push(new Array(1e6).fill({ all }))'>go</button>",
    ),
    "/devour": (
        200,
        HTML,
        _DEVOUR,
    ),
}


class HangingServer(TableServer):
    """Lets ``/hang`` hang until it is closed."""

    def __init__(self):
        self.over = threading.Event()
        super().__init__(TABLE)

    def close(self):
        self.over.set()
        super().close()

    def _handler(self):
        server = self
        base = super()._handler()

        class Handler(base):
            def do_GET(self):  # noqa: N802
                if self.path == "/hang":
                    server.over.wait(60)
                super().do_GET()

        return Handler


@pytest.fixture(scope="module", params=BOTH)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def backend(name):
    made, _ = table_backend(TABLE, executable=binary_of(name))
    yield made
    made.close()


@pytest.fixture
def impatient(name):
    """A backend with short deadlines, for pages that use them up."""
    made, _ = table_backend(
        TABLE,
        executable=binary_of(name),
        load_timeout_ms=1500,
        open_deadline_s=6.0,
        act_deadline_s=6.0,
        server=HangingServer,
    )
    yield made
    made.close()


QUICK = {
    *("many alerts", "windows", "download of a blob", "a document written over it", "an emptied document"),
    *("redirects without end", "nowhere back", "a long title"),
}


@pytest.mark.parametrize(
    "what", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in STAYS]
)
def test_a_hostile_control_is_handled(backend, what):
    _, error, words = STAYS[what]
    path = f"/hostile/{list(STAYS).index(what)}"
    show(backend, path)
    result = act(backend, "click", "go")
    assert result.error == error
    if what != "pushed states":
        assert result.page.path == path
    if words is not None:
        assert texts(result.page)[0] == words
    assert len(result.page.title) <= 1000
    picture = backend.screenshot()
    assert picture.shape == (900, 1280, 3)
    assert act(backend, "noop").error is None
    assert texts(show(backend, "/text"))[0] == "\u3000开头\u3000全角", "the next episode is as ever"


def test_a_page_that_asks_to_stay_is_left(backend):
    show(backend, "/leaving")
    act(backend, "click", "go")
    left = act(backend, "click", "away")
    assert (left.error, left.page.path) == (None, "/text")


def test_a_landing_page_that_redirects_without_end_is_the_sites_fault(backend):
    with pytest.raises(InfrastructureError, match="TOO_MANY_REDIRECTS") as caught:
        show(backend, "/round")
    assert caught.value.cause == "site_error"


@pytest.mark.slow
def test_the_screen_is_what_it_was_after_fullscreen(backend):
    show(backend, f"/hostile/{list(STAYS).index('fullscreen')}")
    before = backend.screenshot()
    act(backend, "click", "go")
    after = act(backend, "noop").page
    assert in_page(backend, "[innerWidth, innerHeight]") == [1280, 900]
    assert backend.screenshot().shape == before.shape
    assert after.height == 900
    assert np.asarray(before).std() > 0


@pytest.mark.slow
def test_fifty_thousand_links_are_listed(name):
    backend, _ = table_backend(TABLE, executable=binary_of(name), open_deadline_s=250.0)
    try:
        page = show(backend, "/many")
        assert len(page.elements) == 50_000
        assert act(backend, "click", page.elements[-1].key).page.path == "/text?49999"
    finally:
        backend.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/loop", "/alerts", "/never"])
def test_a_page_that_never_ends_loading_is_named(impatient, path):
    with pytest.raises(InfrastructureError) as caught:
        show(impatient, path)
    assert caught.value.cause == "deadline"
    assert texts(show(impatient, "/text"))[0] == "\u3000开头\u3000全角"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/self", "/ping", "/refresh"])
def test_a_page_that_replaces_itself_without_end_is_shown_or_named(impatient, path):
    """Between two of its documents it may seem to rest."""
    try:
        shown = show(impatient, path).path
    except InfrastructureError as error:
        shown = error.cause
    assert shown.partition("?")[0] in ("/self", "/ping", "/pong", "/refresh", "deadline", "page_restless")
    assert texts(show(impatient, "/text"))[0] == "\u3000开头\u3000全角"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/eat", "/devour"])
def test_a_page_that_eats_memory_is_ended(name, path):
    backend, _ = table_backend(TABLE, executable=binary_of(name), page_memory_mib=700)
    try:
        show(backend, path)
        with pytest.raises(InfrastructureError) as caught:
            act(backend, "click", "go")
        assert caught.value.cause == "browser_lost"
        assert texts(show(backend, "/text"))[0] == "\u3000开头\u3000全角"
    finally:
        backend.close()


@pytest.mark.slow
def test_a_page_that_closes_itself_is_named(impatient):
    try:
        show(impatient, "/close")
        shown = texts(act(impatient, "click", "go").page)[0]
    except InfrastructureError as error:
        shown = error.cause
    assert shown in ("close", "browser_lost")
    assert texts(show(impatient, "/text"))[0] == "\u3000开头\u3000全角"
