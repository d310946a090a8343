"""HTML and page value show the same lines and the same controls."""

from __future__ import annotations

import re

import pytest
from site_helpers import KEY, PageReader

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.art.draw import draw
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite, Look
from riskchain_gym.sites.library import library
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.session import SiteSession

LOOK = Look(presentation="portal", theme="clean", hue=200, art_seed=5)
TAGS = {"link": "a", "button": "button", "form": "form", "checkbox": "input", "slider": "input", "combobox": "select"}


def pages_of(site: CompiledSite) -> list[PageView]:
    """Return every page reachable by links, with each form sent once empty on the way."""
    session, seen, queue = SiteSession(site), [], ["/"]
    known = set(queue)
    while queue:
        page = session.open(queue.pop(0)).page
        if page is None:
            continue
        seen.append(page)
        for node in page.controls():
            assert node.control is not None
            if node.control.role == "form" and node.kind == "form":
                answer = session.open(session.post(node.control.action, {}).location)
                assert answer.page is not None
                seen.append(answer.page)
            if node.control.href and node.control.href not in known:
                known.add(node.control.href)
                queue.append(node.control.href)
    return seen


@pytest.mark.parametrize("name", archetype_names())
def test_lines_and_controls_agree_with_the_page_value(name: str) -> None:
    site = compile_site(load_archetype(name), KEY, "render", "s0").site
    for page in pages_of(site):
        html = render_page(page, site.look)
        reader = PageReader(html)
        assert tuple(reader.lines) == page.lines()
        by_id = {attrs["id"]: (tag, attrs, "".join(text)) for tag, attrs, text in reader.elements if "id" in attrs}
        order = [attrs["id"] for _, attrs, _ in reader.elements if "id" in attrs]
        assert order == [node.key for node in page.walk() if node.control is not None or node.picture is not None]
        labels = {attrs["for"]: "".join(text) for tag, attrs, text in reader.elements if tag == "label"}
        for node in page.controls():
            control = node.control
            assert control is not None
            tag, attrs, text = by_id[node.key]
            assert tag == TAGS.get(control.role, "textarea" if node.kind == "textarea" else "input")
            named = {"link": attrs.get("aria-label", text), "button": text, "form": attrs.get("aria-label", "")}
            assert named.get(control.role, labels.get(node.key)) == control.name
            assert attrs.get("href", "") == control.href
            assert attrs.get("name", "") == control.field
            if control.role == "form":
                assert attrs["action"] == control.action
                assert "novalidate" in attrs
        assert "<script" not in html
        assert not re.search(r"https?://|url\(|@import|[;{]content:", html)
        assert not re.search(r"\son\w+=", html)


def test_what_was_typed_is_escaped() -> None:
    nasty = '<b>"x"&amp;</b>'
    field = Node(
        kind="field", attrs={"type": "text"}, children=(Node(kind="text", text=nasty, attrs={"tone": "plain"}),)
    )
    html = render_page(PageView(path="/", title=nasty, nodes=(field,)), LOOK)
    assert "<b>" not in html
    assert PageReader(html).lines == [nasty]


def test_every_kind_of_node_has_a_component_and_spaces_are_kept() -> None:
    text = "全角　空格  两个 ①\U0001f680"
    html = render_page(PageView(path="/", title="t", nodes=(Node(kind="small", text=text),)), LOOK)
    assert PageReader(html).lines == [text]
    css = (content_dir("sites") / "components" / "base.css").read_text(encoding="utf-8")
    assert ".t{white-space:pre-wrap}" in css


@pytest.mark.parametrize("theme", library().themes())
def test_every_theme_sets_every_colour(theme: str) -> None:
    root = content_dir("sites")
    styles = "".join(file.read_text(encoding="utf-8") for file in (root / "components").glob("*.css"))
    used = set(re.findall(r"var\(--([a-z0-9]+)\)", styles)) - {"hue", "hue2", "shift"}
    text = (root / "themes" / f"{theme}.css").read_text(encoding="utf-8")
    assert used <= set(re.findall(r"--([a-z0-9]+):", text))


@pytest.mark.parametrize(
    "kind", ["goods", "person", "chart", "map", "logo", "parcel", "book", "game", "device", "document", "food", "scene"]
)
def test_pictures_are_seeded_and_hold_no_text(kind: str) -> None:
    pictures = [draw(kind, seed, "x") for seed in range(12)]
    assert pictures == [draw(kind, seed, "x") for seed in range(12)]
    assert len(set(pictures)) > 3
    for picture in pictures:
        assert PageReader(picture).lines == []
        assert "aria-hidden" in picture
    assert 'aria-label="a &quot;b&quot;"' in draw(kind, 1, "x", 'a "b"')
