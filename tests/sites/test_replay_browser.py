"""Hostile markup, rewritten, in a real browser without any policy or closed names: it asks for nothing outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from replay_soup import css, references, soup

from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.flags import wants_sandbox
from riskchain_gym.sites.replay.css import rewrite_css
from riskchain_gym.sites.replay.markup import rewrite_html

pytestmark = pytest.mark.browser

NASTY = [
    "<svg><style><img src=http://evil.example/1></style></svg>",
    "<svg><style>*{background:u&#114;l(http://evil.example/2)}</style><rect/></svg><p>x</p>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=http://evil.example/3&gt;'>",
    "<textarea><img title='</textarea><img src=http://evil.example/4>'>",
    "<iframe><img alt='</iframe><img src=http://evil.example/5>'></iframe>",
    "<style/><p title='*{background:url(http://evil.example/6)}'>x</p><p>y</p>",
    "<noscript><p title='</noscript><img src=http://evil.example/7>'></noscript>",
    "<p style=\"background:url('a)' x);background:url(http://evil.example/8)\">x</p>",
    "<style>u<!---->rl(http://evil.example/9)</style>",
    "<style>p{background:u<!-- -->rl(http://evil.example/10)}</style><p>x</p>",
    "<iframe srcdoc='&lt;img src=http://evil.example/11&gt;'></iframe>",
    "<svg><a><set attributeName=href to=http://evil.example/></a><image href=http://evil.example/12 /></svg>",
    "<base href=http://evil.example/><img src=13>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/14'>",
    "<link rel='stylesheet' href='data:text/css,*{background:url(http://evil.example/15)}'><p>x</p>",
    "<!--><img src=http://evil.example/16>-->",
    "<select><style><img src=http://evil.example/17></style></select>",
    "<template shadowrootmode=open><img src=http://evil.example/18></template>",
    "<xmp><p title='</xmp><img src=http://evil.example/19>'></xmp>",
    "<img srcset='http://evil.example/20, http://evil.example/21 2x'><video poster=//evil.example/22></video>",
]


class Lab:
    """A page that shows any document on one host and notes what it asks for elsewhere."""

    def __init__(self, context: Any) -> None:
        self.heard: list[str] = []
        self.html = ""
        self.page = context.new_page()
        context.route("**/*", self._answer)

    def asks(self, html: str) -> list[str]:
        self.html = html
        self.heard = []
        self.page.goto("http://replay.test/", wait_until="load")
        return self.heard

    def _answer(self, route: Any) -> None:
        parts = urlsplit(route.request.url)
        if parts.netloc != "replay.test":
            self.heard.append(route.request.url)
            route.abort()
        elif parts.path == "/":
            route.fulfill(body=self.html, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=404, body="")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=wants_sandbox())
        yield Lab(browser.new_context())
        browser.close()


def rewritten(html: str) -> str:
    return rewrite_html(html, references()).html


@pytest.mark.parametrize("html", NASTY)
def test_known_tricks_ask_for_nothing(lab: Lab, html: str) -> None:
    assert lab.asks(rewritten(html)) == []


def test_the_tricks_are_real(lab: Lab) -> None:
    assert sum(bool(lab.asks(html)) for html in NASTY) >= 14


@given(soup)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None)
def test_soup_asks_for_nothing(lab: Lab, html: str) -> None:
    assert lab.asks(rewritten(html)) == []


@given(css)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None)
def test_styles_ask_for_nothing(lab: Lab, text: str) -> None:
    style = rewrite_css(text, references().load)
    assert lab.asks(f"<style>{style}</style><p>x</p>") == []
