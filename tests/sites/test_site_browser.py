"""Chromium shows exactly the lines of the page value, and computes exactly its names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from gate_walker import gated, inner_of
from site_helpers import KEY, tiny

from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import Presentation

LINES = """() => {
  const found = [], blocks = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    if (!node.data.trim() || node.parentElement.closest('select, textarea')) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    if (!range.getClientRects().length) continue;
    let block = node.parentElement;
    while (getComputedStyle(block).display === 'inline') block = block.parentElement;
    if (blocks.has(block)) found[blocks.get(block)] += node.data;
    else { blocks.set(block, found.length); found.push(node.data); }
  }
  return found;
}"""
OVERLAPS = """() => [...document.querySelectorAll('a,button,input,select,textarea')].filter((e) => {
  e.scrollIntoView({block: 'center'});
  const r = e.getBoundingClientRect(), hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
  return r.width < 4 || r.height < 4 || !(hit === e || e.contains(hit));
}).map((e) => e.outerHTML)"""
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


AX_ROLES = {"number": "spinbutton", "search": "searchbox"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with SandboxServer() as server, sync_api.sync_playwright() as playwright:
        rules = f"MAP *.test 127.0.0.1:{server.port}, MAP * ~NOTFOUND"
        arguments = ["--no-sandbox", f"--host-resolver-rules={rules}"]
        chromium = playwright.chromium.launch(executable_path=str(find_chromium()), args=arguments)
        yield server, chromium
        chromium.close()


def computed_names(cdp: Any) -> dict[str, tuple[str, str]]:
    """Return role and name that the browser computes, by DOM id."""
    ids = {}
    for node in cdp.send("DOM.getFlattenedDocument", {"depth": -1})["nodes"]:
        attributes = node.get("attributes", [])
        pairs = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if "id" in pairs:
            ids[node["backendNodeId"]] = pairs["id"]
    tree = cdp.send("Accessibility.getFullAXTree")["nodes"]
    return {
        ids[node["backendDOMNodeId"]]: (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if node.get("backendDOMNodeId") in ids and not node["ignored"]
    }


def check(page: Any, cdp: Any, view: PageView) -> None:
    assert tuple(page.evaluate(LINES)) == view.lines()
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(WIDE) <= 0
    assert page.title() == view.title
    names = computed_names(cdp)
    for node in view.controls():
        control = node.control
        assert control is not None
        assert names[node.key] == (AX_ROLES.get(control.type, control.role), control.name)


PRESENTATIONS = [
    form for form in get_args(Presentation) if (content_dir("sites") / "components" / f"{form}.css").is_file()
]
NAMES = ("order-rebate", "store-paused", "points-hall", "paid-company", "player-plugin")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("presentation", PRESENTATIONS)
def test_lines_and_names_in_a_real_browser(browser: Any, presentation: str, width: int) -> None:
    name = NAMES[PRESENTATIONS.index(presentation) % len(NAMES)]
    site = compile_site(load_archetype(name), KEY, f"b{width}", "s0").site
    site = site.model_copy(update={"look": site.look.model_copy(update={"presentation": presentation})})
    visit(browser, site, width, ["/", *(link.to for link in site.nav[1:4]), *(link.to for link in site.footer[:1])])


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["chat", "device", "download", "fold", "pages", "picture", "qr"])
def test_pages_of_gates_in_a_real_browser(browser: Any, tmp_path: Path, kind: str) -> None:
    made = gated(tiny(tmp_path), kind)
    visit(browser, made.site, 390, [inner_of(made)])


def visit(browser: Any, site: CompiledSite, width: int, paths: list[str]) -> None:
    """Open pages one after the other and compare each with its value."""
    server, chromium = browser
    session, shadow = SiteSession(site), SiteSession(site)
    server.register("kshown.test", session)
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("DOM.enable")
    for path in paths:
        page.goto(f"http://kshown.test{path}")
        view = shadow.open(path).page
        assert view is not None
        check(page, cdp, view)
    context.close()
    server.unregister("kshown.test")
