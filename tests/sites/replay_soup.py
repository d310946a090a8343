"""Pages of hostile markup, drawn from pieces that browsers and parsers read differently."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import strategies as st

from riskchain_gym.sites.replay.addresses import Addresses, References, parse
from riskchain_gym.sites.replay.capture import Notes

HOST = "shop.example"
PAGE = f"http://{HOST}/dir/page.html"
CAPTURED = (
    PAGE,
    f"http://{HOST}/a.png",
    f"http://{HOST}/dir/b.css?v=1",
    "http://cdn.example/c.js",
    f"http://{HOST}/x%20y",
)

AWAY = [
    "http://evil.example/x",
    "//evil.example/x",
    " \thttp://evil.example/x",
    "HTTPS://evil.example/x",
    "\\\\evil.example\\x",
    "/\\evil.example/x",
    "http:/\\evil.example",
    "ht\ntp://evil.example/x",
    "&#104;ttp://evil.example/x",
    "http&colon;//evil.example/x",
    "javascript:fetch('http://evil.example')",
    "data:text/html,<img src=http://evil.example>",
    "ftp://evil.example/x",
    "//evil.example",
    "/%5cevil.example",
    "http://evil.example:80\\@shop.example/x",
]
NEAR = ["/a.png", "b.css?v=1", "b.css", "../a.png#f", "http://cdn.example/c.js", "#top", "", "?q", "x y", "/none", "."]
TAGS = [
    "a",
    "img",
    "link",
    "script",
    "style",
    "iframe",
    "form",
    "input",
    "button",
    "svg",
    "use",
    "image",
    "base",
    "meta",
    "video",
    "source",
    "object",
    "embed",
    "textarea",
    "title",
    "noscript",
    "xmp",
    "plaintext",
    "template",
    "table",
    "td",
    "math",
    "select",
    "option",
    "area",
    "frame",
    "noembed",
    "body",
    "p",
    "set",
    "html",
    "head",
    "frameset",
]
NAMES = [
    "href",
    "src",
    "srcset",
    "style",
    "action",
    "formaction",
    "poster",
    "background",
    "xlink:href",
    "data",
    "content",
    "http-equiv",
    "rel",
    "onload",
    "onerror",
    "fill",
    "target",
    "ping",
    "srcdoc",
    "title",
    "alt",
    "method",
    "data-src",
    "manifest",
    "cite",
    "type",
    "id",
    "imagesrcset",
    "to",
    "values",
    "attributename",
]
VALUES = ["stylesheet", "icon", "refresh", "post", "_blank", "0;url=//evil.example/r", "image", "1x", "import", "url"]
CSS = [
    "@import 'http://evil.example/c';",
    "@import url(//evil.example/c) screen;",
    "p{background:url(http://evil.example/b)}",
    "p{background:u\\72l( 'http://evil.example/b' )}",
    "\\75 rl(http://evil.example)",
    "p{background:image-set('//evil.example/i' 1x)}",
    '@\\69mport "http://evil.example";',
    "/*",
    "*/",
    "'",
    '"',
    "\\",
    "\n",
    "<!--",
    "-->",
    "</style>",
    "<img src=http://evil.example/i>",
    "url(",
    ")",
    "url('a)' x);p{background:url(http://evil.example/q)}",
    "{",
    "}",
    ";",
    "<",
    "/",
    "&#117;rl(//evil.example)",
    "p{background:url(/a.png)}",
    "@media (width<9px){",
    "-",
    "@",
    "src('//evil.example/s')",
    "<![CDATA[",
    "]]>",
]
JUNK = [
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<!-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "'",
    '"',
    "=",
    "/",
    "&",
    "&lt;",
    "\x00",
    "</style",
    "</script>",
    "</textarea>",
    "</title>",
    "</svg>",
    "</noscript>",
    "</iframe>",
    "</xmp>",
    "<!DOCTYPE html>",
    "<a href=http://evil.example",
    "text",
    "<svg>",
    "<style>",
    "<math><style>",
    "<svg><style>",
    "</p>",
    "<p title='",
    '<img alt="',
]

_value = st.one_of(
    st.sampled_from(AWAY),
    st.sampled_from(NEAR),
    st.sampled_from(VALUES),
    st.lists(st.sampled_from(CSS), max_size=3).map("".join),
    st.lists(st.sampled_from([*AWAY, *NEAR, *JUNK, " 1x, "]), max_size=4).map("".join),
)
_attribute = st.tuples(st.sampled_from(NAMES), st.sampled_from(["'", '"', ""]), _value).map(
    lambda parts: f"{parts[0]}={parts[1]}{parts[2]}{parts[1]}"
)
_element = st.tuples(
    st.sampled_from(TAGS), st.lists(_attribute, max_size=4), st.sampled_from([">", "/>", "", " >"])
).map(lambda parts: f"<{parts[0]} {' '.join(parts[1])}{parts[2]}")
_close = st.sampled_from(TAGS).map(lambda tag: f"</{tag}>")
_style = st.lists(st.sampled_from(CSS), max_size=5).map(lambda parts: f"<style>{''.join(parts)}</style>")
css = st.lists(st.sampled_from(CSS), max_size=12).map("".join)
soup = st.lists(st.one_of(_element, _element, _close, _style, st.sampled_from(JUNK)), max_size=12).map("".join)


def references() -> References:
    addresses = Addresses(HOST, b"key", Notes())
    for url in CAPTURED:
        address = parse(url)
        assert address is not None
        addresses.add(address)
    return References(addresses, PAGE)


class Attributes(HTMLParser):
    """All attributes of a page, and the content of its style elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.styles: list[str] = []
        self.tags: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style":
            self.styles.append(data)
