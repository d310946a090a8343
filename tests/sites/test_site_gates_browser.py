"""Every gate is passed in a real browser by the certificate's way, and looks the same there as to the text backend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from gate_walker import KINDS, gated, path_through
from site_helpers import tiny

from riskchain_gym.envs.backends.base import BrowseBackend, RawPage
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.action import TARGETED, BrowserAction
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep
from riskchain_gym.protocol.page import ObservedLine
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import Library

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return tiny(tmp_path_factory.mktemp("sites"))


@pytest.fixture(scope="module")
def browser() -> Iterator[ChromiumBackend]:
    made = ChromiumBackend(modalities=frozenset({"screenshot", "axtree"}))
    yield made
    made.close()


def walk(backend: BrowseBackend, site: CompiledSite, path: tuple[PathStep, ...]) -> list[RawPage]:
    """Return the landing page and the page after each step of a path."""
    pages = [backend.open(site)]
    for step in path:
        key = None
        if step.action.action in TARGETED:
            key = [e.key for e in pages[-1].elements if (e.role, e.name) == (step.role, step.name)][step.nth]
        action = BrowserAction(action=step.action.action, element_id="e1" if key else None)
        done = backend.act(action, key)
        assert done.error is None, step
        pages.append(done.page)
    return pages


def without_geometry(page: RawPage) -> RawPage:
    return replace(
        page,
        lines=tuple(ObservedLine(text=line.text) for line in page.lines),
        elements=tuple(replace(element, box=None) for element in page.elements),
        pictures=tuple(picture.model_copy(update={"box": None}) for picture in page.pictures),
        scroll_y=0,
        height=0,
    )


def shows(page: RawPage, atom: EvidenceAtom) -> bool:
    if page.path != atom.path:
        return False
    if atom.picture:
        return any(picture.key == atom.picture for picture in page.pictures)
    return any(line.text == atom.text for line in page.lines)


@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_passes_the_gate_by_the_way_of_the_certificate(
    browser: ChromiumBackend, content: Library, kind: str
) -> None:
    made = gated(content, kind)
    path = path_through(made)
    seen, read = walk(browser, made.site, path), walk(TextBackend(), made.site, path)
    assert [without_geometry(page) for page in seen] == read
    for atom in made.atoms:
        assert any(shows(page, atom) for page in seen)


@pytest.mark.parametrize("alt", [False, True])
def test_a_picture_is_drawn_and_its_text_is_read_by_no_one(
    browser: ChromiumBackend, content: Library, *, alt: bool
) -> None:
    made = gated(content, "picture")
    claim = next(atom for atom in made.atoms if atom.picture)
    page = walk(browser, made.site.model_copy(update={"picture_alt": alt}), path_through(made))[-1]
    picture = next(picture for picture in page.pictures if picture.key == claim.picture)
    assert picture.box is not None
    assert picture.box.height > 40
    assert claim.text not in "\n".join(line.text for line in page.lines)
    assert (claim.text in picture.alt) is alt
    assert (claim.text in browser.axtree({})) is alt
    left, top = int(picture.box.x), int(picture.box.y) - page.scroll_y
    shot = browser.screenshot()[top : top + int(picture.box.height), left : left + int(picture.box.width)]
    assert (shot.max(axis=2) < 120).sum() > 200, "dark strokes of letters"
