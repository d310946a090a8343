"""What the browser backend shows of a page beside its lines and elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chromium_stub import StubServer, StubSession, act, in_page, show, stub_backend, texts

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings

pytestmark = pytest.mark.browser


def test_a_jpeg_looks_like_the_png_and_repeats():
    pictures = []
    for picture_format in ("png", "jpeg"):
        backend = stub_backend(screenshot_format=picture_format)
        try:
            show(backend, "/form")
            pictures.append(backend.screenshot())
            assert np.array_equal(pictures[-1], backend.screenshot())
        finally:
            backend.close()
    exact, lossy = (picture.astype(int) for picture in pictures)
    assert exact.shape == lossy.shape == (900, 1280, 3)
    difference = np.abs(exact - lossy)
    assert difference.any(), "a JPEG is not exact"
    assert difference.mean() < 2


@pytest.fixture(scope="module")
def backend():
    made = stub_backend()
    yield made
    made.close()


def dom(backend, page) -> str:
    return backend.dom({element.key: f"e{i}" for i, element in enumerate(page.elements, 1)})


def test_the_dom_says_what_is_shown_and_nothing_else(backend):
    page = show(backend, "/text")
    written = dom(backend, page)
    assert written.splitlines()[0] == "<title>标题\u3000/text</title>"
    assert "<p>\u3000开头\u3000全角</p>" in written
    assert "<p>第一行\n第二行  两个空格</p>" in written
    assert "1\ufe0f\u20e32\ufe0f\u20e3 🎁 αβγ Ω\u200b|" in written
    assert '<a id="e1" href="/">\u3000回 首页\u3000</a>' in written
    for hidden in ("藏起来", "也藏", "透明", "缩成一点", "图中字", "<style", "white-space", "class=", ".test"):
        assert hidden not in written
    for line in page.lines:
        assert line.text in written


def test_the_dom_has_the_state_of_fields(backend):
    page = show(backend, "/form")
    written = dom(backend, page)
    assert '<form id="e1" aria-label="登记">' in written
    assert '<label for="e2">姓名</label>' in written
    assert '<input id="e2" type="text" placeholder="两个字">' in written
    assert (
        '<select id="e6"><option selected></option><option>\u3000北部</option><option>南部</option></select>' in written
    )
    assert '<input id="e8" type="checkbox">' in written
    for kind, key in [("fill", "name1"), ("fill", "area1"), ("check", "box1")]:
        page = act(backend, kind, key).page
    page = act(backend, "select", "sel1", "南部").page
    written = dom(backend, page)
    assert '<input id="e2" type="text" placeholder="两个字" value="王\u3000五">' in written
    assert '<textarea id="e5">一行\n两行\u3000</textarea>' in written
    assert '<input id="e8" type="checkbox" checked>' in written
    assert "<option selected>南部</option>" in written


def test_the_dom_of_odd_pages(backend):
    show(backend)
    in_page(
        backend,
        "document.body.innerHTML = `<div><div>a &lt;b&gt; &amp; c<!-- note --></div></div><p></p>"
        "<svg><text>s</text></svg><script>1</scr${''}ipt><p style='white-space:normal'>x <b>y</b>\\n <i></i>z<br>w</p>"
        "<img src=x alt='甲\"乙' width=9 height=9>"
        "<table><tr><td></td><td colspan=2>1</td></tr></table><div role=tab aria-selected=true>t</div>"
        "<div style='visibility:hidden'>no<span style='visibility:visible'>yes</span></div>`",
    )
    page = act(backend, "scroll_down").page
    assert dom(backend, page).splitlines()[1:] == [
        "a &lt;b> &amp; c",
        "<p>x <b>y</b> z<br>w</p>",
        '<img alt="甲&quot;乙">',
        "<table>",
        ' <tr><td></td><td colspan="2">1</td></tr>',
        "</table>",
        '<div role="tab" aria-selected="true">t</div>',
        "yes",
    ]


def nest(backend, depth):
    """Show a page whose button puts a link below as many elements in each other."""
    show(backend)
    in_page(
        backend,
        f"""() => {{
  document.body.innerHTML = '<button id=go>go</button>'
  document.getElementById('go').onclick = () => {{
    let inner = document.body
    for (let i = 0; i < {depth}; i++) inner = inner.appendChild(document.createElement('div'))
    inner.innerHTML = '<a id=deep href=/deep>deep</a>'
  }}
}}""",
    )
    act(backend, "noop")
    return act(backend, "click", "go").page


def deep_backend(*modalities):
    made: dict[str, Any] = {"session": StubSession, "server": StubServer}
    return ChromiumBackend(BrowserSettings(), modalities=frozenset(modalities), **made)


def test_a_deep_page_is_told_in_text_elements_and_dom():
    """At some 3,000 elements in each other Chromium itself ends."""
    backend = deep_backend()
    try:
        page = nest(backend, 2000)
        assert texts(page) == ["go", "deep"]
        assert [element.key for element in page.elements] == ["go", "deep"]
        assert dom(backend, page).splitlines()[1:] == [
            '<button id="e1">go</button>',
            '<a id="e2" href="/deep">deep</a>',
        ]
    finally:
        backend.close()


def test_a_deep_page_has_an_accessibility_tree():
    backend = deep_backend("axtree")
    try:
        nest(backend, 1000)
        assert backend.axtree({"deep": "e2"}).splitlines()[-1].strip() == "[e2] link 'deep'"
    finally:
        backend.close()
