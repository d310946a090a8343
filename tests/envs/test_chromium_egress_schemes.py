"""No page but one of the site is ever shown: whatever the scheme of an address, and however a page is sent there."""

from __future__ import annotations

import json

import pytest
from chromium_stub import act, in_page, show, texts
from egress_site import table_backend
from two_browsers import FULL, SHELL, binary_of, opened

from riskchain_gym.protocol.action import ActionErrorKind as Kind

pytestmark = pytest.mark.browser

SECRET = "金标准在此"
HTML = {"Content-Type": "text/html; charset=utf-8"}

ADDRESSES = {
    "file": "file://{gold}",
    "folder": "file:///",
    "source of the site": "view-source:http://{host}/",
    "source of a file": "view-source:file://{gold}",
    "data": "data:text/html,<p>away</p>",
    "javascript": "javascript:void 0",
    "chrome": "chrome://version",
    "chrome error": "chrome-error://chromewebdata/",
    "devtools": "devtools://devtools/bundled/inspector.html",
    "about": "about:blank",
    "filesystem": "filesystem:http://{host}/temporary/x",
    "blob of nothing": "blob:http://{host}/0f0f0f0f-0000-0000-0000-000000000000",
    "ftp": "ftp://127.0.0.1/",
    "other scheme": "mailto:a@b.test",
    "secure": "https://{host}/",
    "other port": "http://{host}:8080/",
    "user": "http://user:word@{host}/",
    "other host": "http://elsewhere.example/",
    "below the host": "http://a.{host}/",
    "trailing dot": "http://{host}./",
}

WAYS = ("link", "form", "script", "replacement", "refresh", "redirect", "window", "frame")

_BLOB = "window.URL.createObjectURL(new Blob(['<p>away'], { type: 'text/html' }))"
MADE = {
    "blob by script": f"location.href = {_BLOB}",
    "blob in a window": f"window.open({_BLOB})",
    "blob in a frame": f"put({_BLOB})",
    "window written into": "window.open().document.write('<p>away')",
}

_PUT = """<script>
const put = (src) => document.body.append(Object.assign(document.createElement('iframe'), { src }));
</script>"""


def page_with(way, address, index):
    """Return the body of a page whose one control, ``go``, leads to an address in a way."""
    quoted = json.dumps(address).replace('"', "&quot;")
    by_script = {
        "script": f"location.href = {quoted}",
        "replacement": f"location.replace({quoted})",
        "window": f"window.open({quoted})",
        "frame": f"put({quoted})",
    }
    if way == "link":
        control = f'<a id="go" href="{address}">go</a>'
    elif way == "form":
        control = f'<form id="go" action="{address}"><button>go</button></form>'
    elif way in by_script:
        control = f'<button id="go" onclick="{by_script[way]}">go</button>'
    else:
        control = f'<a id="go" href="/{way}/{index}">go</a>'
    return f"<title>here</title><p>这里</p>{control}{_PUT}"


class Schemes:
    """A backend whose pages lead to the addresses; they name the host by a script, as pages of a site can."""

    def __init__(self, name, gold):
        self.table = {}
        self.gold = gold
        self.backend, self.servers = table_backend(self.table, executable=binary_of(name))

    def try_way(self, way, address):
        """Show the page, take the way, and return the page before, the result and the page after one more action."""
        show(self.backend, "/text")
        # The host of an episode is not known before it has begun: the page is filled in on the way to it.
        host = self.servers[-1].hosts[-1]
        address = address.format(host=host, gold=self.gold)
        self.table["/here"] = (200, HTML, page_with(way, address, 1))
        self.table["/redirect/1"] = (302, {"Location": address}, "")
        self.table["/refresh/1"] = (200, HTML, f'<meta http-equiv="refresh" content="0;url={address}"><p>弹</p>')
        in_page(self.backend, "void (location.href = '/here')")
        before = act(self.backend, "noop").page
        assert (before.path, texts(before)[0]) == ("/here", "这里")
        result = act(self.backend, "submit" if way == "form" else "click", "go")
        return before, result, act(self.backend, "noop")


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    file = tmp_path_factory.mktemp("gold") / "gold.html"
    file.write_text(f"<meta charset=utf-8><title>{SECRET}</title><p>{SECRET}</p>", "utf-8")
    return file


@pytest.fixture(scope="module", params=[SHELL, pytest.param(FULL, marks=pytest.mark.slow)])
def schemes(request, gold):
    made = Schemes(request.param, gold)
    yield made
    made.backend.close()


def check(schemes, way, before, result, after):
    assert SECRET not in repr((result, after))
    assert "away" not in repr((result, after))
    for each in (result, after):
        assert each.page.path in ("/here", "/refresh/1")
        assert each.error in (None, Kind.BLOCKED_NAVIGATION, Kind.EXECUTION_ERROR)
    host = schemes.servers[-1].hosts[-1]
    assert in_page(schemes.backend, "location.origin") == f"http://{host}"
    # What leads out by an action is refused; what a page tries by itself, the browser may refuse without a word.
    if way in ("link", "form"):
        assert (result.error, result.page) == (Kind.BLOCKED_NAVIGATION, before)


QUICK = [("file", "script"), ("file", "redirect"), ("source of the site", "refresh"), ("about", "replacement")]


@pytest.mark.parametrize(("name", "way"), QUICK)
def test_a_page_that_is_sent_away_stays(schemes, name, way):
    check(schemes, way, *schemes.try_way(way, ADDRESSES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_that_is_sent_anywhere_stays(schemes, name, way):
    check(schemes, way, *schemes.try_way(way, ADDRESSES[name]))


@pytest.mark.parametrize("name", MADE)
def test_a_page_that_makes_its_own_documents_stays(schemes, name):
    schemes.table["/here"] = (200, HTML, f'<p>这里</p><button id="go" onclick="{MADE[name]}">go</button>{_PUT}')
    before = show(schemes.backend, "/here")
    result = act(schemes.backend, "click", "go")
    check(schemes, "script", before, result, act(schemes.backend, "noop"))
    assert result.error == (None if name == "blob in a frame" else Kind.BLOCKED_NAVIGATION)


def _slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


LATER = [
    *(("click", "location.replace(url)"), ("back", "location.href = url")),
    *(
        _slow(action, going)
        for action in ("click", "noop", "reload", "scroll_down")
        for going in ("location.href = url",)
    ),
    *(_slow(action, "location.replace(url)") for action in ("noop", "back", "reload", "scroll_down")),
]


@pytest.mark.parametrize(("action", "going"), LATER)
def test_a_page_that_leaves_long_after_an_action_is_brought_back_at_the_next(schemes, action, going):
    before = later(schemes, going)
    use(schemes, _wait_until_left)
    result = act(schemes.backend, action, "go" if action == "click" else None)
    assert (result.error, result.page) == (Kind.BLOCKED_NAVIGATION, before)
    assert schemes.backend.egress()["navigation"] > 0
    assert act(schemes.backend, "click", "go").page.path == "/text"


def test_a_window_that_a_page_opens_long_after_an_action_is_closed_and_counted(schemes):
    before = later(schemes, "window.open(url)")
    for _ in range(100):
        result = act(schemes.backend, "noop")
        if schemes.backend.egress():
            break
    assert result.page == before
    assert schemes.backend.egress() == {"window": 1}
    assert use(schemes, lambda episode: len(episode.page.context.pages)) == 1


def later(schemes, going):
    """Show a page that goes elsewhere, without waiting for it."""
    script = f"<script>const url = 'http://elsewhere.example/'; onmessage = () => {{ {going}; }}</script>"
    schemes.table["/later"] = (200, HTML, f"<p>晚</p><a id='go' href='/text'>go</a>{script}")
    page = show(schemes.backend, "/later")
    in_page(schemes.backend, "postMessage(0)")
    return page


def _wait_until_left(episode):
    while episode.is_on_site():
        episode.page.wait_for_timeout(10)


def use(schemes, job):
    return schemes.backend._host.use(job, 30, "testing")


def test_an_open_browser_does_leave(gold):
    """The positive control: a file is shown that is asked for, and a page goes to a blob of its own."""

    def leave(browser):
        page = browser.new_page()
        page.goto(gold.as_uri())
        shown = page.content()
        page.goto("about:blank")
        page.set_content("<p>x")
        page.evaluate(MADE["blob by script"])
        page.wait_for_selector("text=away")
        assert page.url.startswith("blob:")
        return shown

    with opened(SHELL) as browser:
        assert SECRET in browser.call(leave)
