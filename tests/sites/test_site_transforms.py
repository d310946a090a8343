"""Transforms change how a page shows its blocks: as pictures, or inside a fold or a tab."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path

import pytest
from gate_walker import control, gated, inner_of, opened, path_through, target
from pydantic import ValidationError
from site_helpers import KEY, PageReader, tiny

from riskchain_gym.sites.archetypes import lint_archetype, load_archetype
from riskchain_gym.sites.certify import replay
from riskchain_gym.sites.compile import Compilation, compile_site
from riskchain_gym.sites.fragment import GateSpec
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.pageview import DrawnLine
from riskchain_gym.sites.picture import picture_uri
from riskchain_gym.sites.plan import GateError
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.session import SiteSession


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return tiny(tmp_path_factory.mktemp("sites"))


def svg_of(uri: str) -> str:
    """Return the SVG inside a ``data:`` URI."""
    head, _, body = uri.partition(",")
    assert head == "data:image/svg+xml;base64"
    return base64.b64decode(body).decode()


def drawn_text(svg: str) -> str:
    """Return all the text that a picture shows, rows joined."""
    return unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)))


def claim_of(made: Compilation) -> tuple[str, str]:
    """Return text and picture of the claim."""
    claim = next(atom for atom in made.atoms if atom.component == "claim")
    return claim.text, claim.picture


def test_the_text_of_a_picture_is_in_no_text_and_can_be_read_by_eye(content: Library) -> None:
    made = gated(content, "picture")
    text, key = claim_of(made)
    page = opened(SiteSession(made.site), inner_of(made))
    assert key
    assert text not in page.lines()
    assert page.shows(text, key)
    assert not page.shows(text)
    html = render_page(page, made.site.look)
    assert text not in html
    images = [attrs for tag, attrs, _ in PageReader(html).elements if tag == "img"]
    assert [attrs["id"] for attrs in images] == [found for found, _ in page.pictures()] == [key]
    assert "alt" not in images[0]
    assert text in drawn_text(svg_of(images[0]["src"]))


def test_what_depends_on_the_state_stays_text(content: Library) -> None:
    made = gated(content, "picture")
    action = next(atom for atom in made.atoms if atom.component == "action")
    assert action.picture == ""
    last = list(replay(made.site, path_through(made)))[-1]
    assert action.text in last.lines()


def test_alternative_texts_hold_the_same_lines_in_the_ablation(content: Library) -> None:
    made = gated(content, "picture")
    site = made.site.model_copy(update={"picture_alt": True})
    text, key = claim_of(made)
    page = opened(SiteSession(site), inner_of(made))
    (found, picture), *_ = page.pictures()
    assert found == key
    assert text in picture.alt.split("\n")
    html = render_page(page, site.look)
    alt = next(attrs["alt"] for tag, attrs, _ in PageReader(html).elements if tag == "img")
    assert alt == picture.alt
    assert text not in page.lines()


def test_a_fold_hides_all_but_the_heading_until_it_is_opened(content: Library) -> None:
    made = gated(content, "fold")
    text, _ = claim_of(made)
    session, inner = SiteSession(made.site), inner_of(made)
    closed = opened(session, inner)
    assert closed.path == inner
    assert text not in closed.lines()
    assert "内页" in [node.text for node in closed.walk() if node.kind == "heading"]
    opener = [n for n in closed.controls() if n.kind == "button"][-1]
    assert text in opened(session, session.post(target(opener), {}).location).lines()
    session.reset()
    assert text not in opened(session, inner).lines()


def test_a_fold_is_sometimes_tabs_and_sometimes_an_accordion(content: Library) -> None:
    kinds = set()
    for i in range(12):
        made = compile_site(
            load_archetype("tiny-site", content), KEY, f"f{i}", "s0", content=content, gates={"inner": "fold"}
        )
        kinds |= {block.kind for block in made.site.pages[inner_of(made)].blocks}
    assert {"tabs", "accordion"} <= kinds


def test_a_form_inside_a_fold_keeps_it_open_when_it_is_sent_back(content: Library) -> None:
    made = gated(content, "fold")
    session = SiteSession(made.site)
    closed = opened(session, inner_of(made))
    opener = [n for n in closed.controls() if n.kind == "button"][-1]
    page = opened(session, session.post(target(opener), {}).location)
    back = opened(session, session.post(target(control(page, "submit")), {}).location)
    assert any(node.kind == "error" for node in back.walk())


def test_a_transform_that_would_change_nothing_is_refused_by_name(content: Library) -> None:
    spec = load_archetype("tiny-site", content)
    with pytest.raises(GateError, match="'picture' cannot stand on page 'home'"):
        compile_site(spec, KEY, "x", "s0", content=content, gates={"home": "picture"})


def test_lint_names_a_transform_that_would_change_nothing(tmp_path: Path) -> None:
    broken = tiny(tmp_path, family=lambda base: base["pages"]["home"].update(gate=["picture", "none"]))
    (problem,) = lint_archetype("tiny-site", broken)
    assert problem.field == "pages.home.gate.0"
    assert "change nothing" in str(problem)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"transform": "picture", "label": "x"}, "label: does not go with transform 'picture'"),
        ({"transform": "fold", "label": "x"}, "cover: is missing"),
        (
            {"transform": "fold", "label": "x", "cover": {"title": "x", "blocks": []}, "guard": "true"},
            "guard: does not",
        ),
        ({"guard": "true", "entry": "a"}, "pages: is missing"),
    ],
)
def test_a_gate_either_stands_or_transforms(change: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        GateSpec.model_validate({"kind": "moat", "code": "G99", **change})


@pytest.mark.parametrize("kind", ["text", "notice", "quote", "price", "small", "item", "step"])
def test_a_picture_wraps_long_lines_and_keeps_every_character(kind: str) -> None:
    text = "先付 1,280 元（含 30% 手续费），返还 <b> & 两倍，please read every single word of it。" * 3
    svg = svg_of(picture_uri((DrawnLine(kind=kind, text=text),), "sans-serif", 40))
    rows = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert drawn_text(svg).replace(" ", "").lstrip("•1.") == text.replace(" ", "")
    assert len(rows) > 3
    assert all(len(unescape(row)) <= 60 for row in rows)
    assert not any(row.startswith(("，", "。", "）")) for row in rows)
    assert min(map(int, re.findall(r'font-size="(\d+)"', svg))) >= 15
