"""What comes out of the rewriter names nothing outside, whatever goes in."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import example, given, settings
from replay_soup import CAPTURED, PAGE, Attributes, css, references, soup

from riskchain_gym.sites.replay.addresses import parse
from riskchain_gym.sites.replay.css import rewrite_css, unescape
from riskchain_gym.sites.replay.markup import Page, rewrite_html

AWAY = re.compile(r"[\x00-\x20]*(?:[a-z][a-z0-9+.-]*:|[/\\][\t\r\n]*[/\\])", re.IGNORECASE)
LOADS = {
    "href", "src", "srcset", "action", "formaction", "poster", "background", "xlink:href", "data", "ping", "manifest",
    "cite", "imagesrcset", "to", "data-src",
}  # fmt: skip
INLINE = ("data:,", "data:image/")
STRING = r"""(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)"""
ESCAPED = re.compile(r"\\(?:26|3c) ")
IN_CSS = re.compile(
    rf"/\*.*?(?:\*/|\Z)|\\.|(?<![\w-])url\(\s*({STRING}|[^)]*)|@import\s*({STRING})|{STRING}", re.IGNORECASE | re.DOTALL
)


def rewrite(html: str, *, scripts: bool = False) -> Page:
    return rewrite_html(html, references(), scripts=scripts, field_prefix="f")


def addresses_in_css(text: str) -> list[str]:
    return [unescape(a or b).strip("\"' ") for a, b in IN_CSS.findall(ESCAPED.sub("_", text)) if a or b]


def check(html: str, *, scripts: bool = False) -> None:
    page = Attributes(html)
    for tag, name, value in page.found:
        if name in LOADS and not value.startswith(INLINE):
            assert not AWAY.match(value), (tag, name, value)
        if name in ("style", "fill"):
            page.styles.append(value)
        if name == "srcdoc":
            check(value, scripts=scripts)
        assert scripts or not name.startswith("on"), (tag, name)
    for address in (found for text in page.styles for found in addresses_in_css(text)):
        assert address.startswith(INLINE) or not AWAY.match(address), address
    assert not {"base", "object", "embed", "set"} & set(page.tags)
    assert scripts or "script" not in page.tags


@given(soup)
@settings(deadline=None, max_examples=200)
def test_no_page_names_anything_outside(html: str) -> None:
    check(rewrite(html).html)
    check(rewrite(html, scripts=True).html, scripts=True)


@given(soup)
@settings(deadline=None, max_examples=150)
def test_a_rewritten_page_stays_as_it_is(html: str) -> None:
    once = rewrite(html).html
    assert rewrite(once).html == once


@given(css)
@example("\\''@import 'http://evil.example/c';")
@settings(deadline=None, max_examples=200)
def test_a_style_sheet_names_nothing_outside_and_holds_no_markup(text: str) -> None:
    once = rewrite_css(text, references().load)
    for address in addresses_in_css(once):
        assert address.startswith("data:,") or not AWAY.match(address), address
    assert "</" not in once
    assert rewrite_css(once, references().load) == once


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('<img src="../a.png">', '<img src="/a.png">'),
        ('<a href="page.html#part">', '<a href="/dir/page.html#part">'),
        ('<a href="#part">', '<a href="#part">'),
        ('<a href="https://shop.example/x y" target=_blank>', '<a href="/x%20y">'),
        (
            '<img src="a.png" srcset="/a.png 1x,//evil.example/b 2x, /a.png?new 3x">',
            '<img srcset="/a.png 1x, /a.png 3x">',
        ),
        ('<img src="data:image/gif;base64,AAAA" data-src="/a.png">', '<img src="/a.png">'),
        ('<p style="background:url(/a.png)">', '<p style="background:url(&quot;/a.png&quot;)">'),
        ("<svg viewBox='0 0 1 1'><use href='/a.png#i'/></svg>", '<svg viewbox="0 0 1 1"><use href="/a.png#i"/></svg>'),
        ("<a class=x to='data:text/html,<img src=//evil.example>'>", '<a class="x">'),
        ("<p onclick=go() class=x>a &lt; b &amp; c</p>", '<p class="x">a &lt; b &amp; c</p>'),
        ("<script>document.write('<p>')</script><noscript><p>plain</p></noscript>", "<p>plain</p>"),
        ('<link rel="stylesheet" href="b.css" integrity="sha256-x" crossorigin>', ""),
        ('<link rel="preconnect" href="//evil.example"><link rel=canonical href=/a.png>', ""),
        ("<!-- a comment --><!DOCTYPE html><p>", "<!DOCTYPE html><p>"),
        ("<input name=q><input id=mine>", '<input name="q" id="f0"><input id="mine">'),
        ("<textarea><img title='</textarea><img src=//evil.example>'>", None),
    ],
)
def test_what_becomes_of_a_piece(given: str, wanted: str | None) -> None:
    if wanted is not None:
        assert rewrite(given).html == wanted
    else:
        assert rewrite(given).html.count("</textarea>") == 0


def test_links_outside_lead_to_our_page_and_are_counted() -> None:
    refs = references()
    page = rewrite_html('<a href="//evil.example/a">1</a><a href="//evil.example/a#b">2</a><a href="/gone">3</a>', refs)
    ours = refs.addresses
    assert page.html == f'<a href="{ours.outside}">1</a><a href="{ours.outside}">2</a><a href="{ours.missing}">3</a>'
    assert ours.notes.outside == {"http://evil.example/a": 2}
    assert ours.notes.missing == {"http://shop.example/gone": 1}


def test_a_base_element_is_heeded_and_goes() -> None:
    assert rewrite('<base href="/other/"><base href="//evil.example"><img src="../a.png">').html == '<img src="/a.png">'


@pytest.mark.parametrize(
    ("content", "leads_to"),
    [
        ("0; url=/a.png", "/a.png"),
        ("0;URL='page.html'", "/dir/page.html"),
        ("5;url=/a.png", ""),
        ("0;url=//evil.example", ""),
    ],
)
def test_a_refresh_at_once_is_a_redirect_and_any_other_goes(content: str, leads_to: str) -> None:
    page = rewrite(f'<meta http-equiv="Refresh" content="{content}">')
    assert (page.html, page.refresh) == ("", leads_to)


def test_addresses_of_other_hosts_lie_below_an_opaque_path() -> None:
    local = references().load("http://cdn.example/c.js")
    assert local is not None
    assert re.fullmatch(r"/[a-z0-9]{8}/c\.js", local)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://a.example//evil.example/x", "/evil.example/x"),
        ("http://a.example/../../etc/passwd", "/etc/passwd"),
        ("http://a.example/x/%2e%2e/y", "/y"),
        ("http://A.example:80", "/"),
        ("http://a.example/\"<>'", "/%22%3C%3E'"),
    ],
)
def test_paths_are_plain(url: str, path: str) -> None:
    address = parse(url)
    assert address is not None
    assert (address.host, address.path) == ("a.example", path)


def test_the_cases_name_what_was_captured() -> None:
    assert PAGE in CAPTURED


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<a href='", "<a b=\"'", "<!--", "<![", "<a/", "</a ", "<style>", "<iframe>", "&", "(", "url(", "/*", "'"],
)
@pytest.mark.timeout(20)
def test_what_never_ends_takes_no_time(piece: str) -> None:
    """Quadratic reading of this many pieces would take minutes."""
    check(rewrite(f"<p>seen</p>{piece * 20_000}").html)
    rewrite_css(piece * 20_000, references().load)


def test_frames_within_frames_end() -> None:
    page = "<p>x</p>"
    for _ in range(40):
        page = f'<iframe srcdoc="{escape(page)}"></iframe>'
    assert len(re.findall("srcdoc", rewrite(page).html)) == 5
