"""In a real browser: no form hides, covers or cuts off anything, on a desktop and on a telephone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from js_looks import FAULTS
from site_helpers import KEY
from zoo import zoo

from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.compiled import CompiledSite, Look
from riskchain_gym.sites.library import library
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.show import pages_on_path, random_sites
from riskchain_gym.sites.spec import Presentation

FORMS: tuple[Presentation, ...] = get_args(Presentation)
THEMES = library().themes()

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        yield browser
        browser.close()


def html(site: CompiledSite, path: str) -> str:
    page = SiteSession(site).open(path).page
    assert page is not None
    return render_page(page, site.look)


@pytest.mark.parametrize(
    ("width", "variants"),
    [
        (390, (0,)),
        pytest.param(390, (1, 2), marks=pytest.mark.slow),
        pytest.param(1280, (0, 1, 2), marks=pytest.mark.slow),
    ],
)
def test_everything_can_be_seen_and_clicked(chromium: Any, width: int, variants: tuple[int, ...]) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900})
    for i, form in enumerate(FORMS):
        for variant in variants:
            theme = THEMES[(i + 5 * variant) % len(THEMES)]
            site = zoo(Look(presentation=form, theme=theme, hue=200, art_seed=variant))
            for path in ("/", "/inner"):
                page.set_content(html(site, path))
                assert page.evaluate(FAULTS) == [], f"{form} v{variant} with {theme}: {path}"
    page.close()


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        (".t{width:1400px}", "sideways"),
        (".section{overflow:hidden;height:30px}", "cut off"),
        (".section{position:relative;top:-90px}.hero{position:relative;z-index:2;background:#fff}", "covered"),
        (".navlink{pointer-events:none}", "clicked"),
        (".slogan{display:none}", "not shown"),
    ],
)
def test_the_check_finds_what_is_wrong(chromium: Any, style: str, fault: str) -> None:
    site = zoo(Look(presentation="corporate", theme="clean", hue=200, art_seed=0))
    page = chromium.new_page(viewport={"width": 390, "height": 900})
    page.set_content(html(site, "/").replace("</style>", f"{style}</style>"))
    assert any(fault in each for each in page.evaluate(FAULTS))
    page.close()


def test_random_landing_pages_fit_a_telephone(chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    for drawn in random_sites(12, KEY):
        page.set_content(html(drawn.site, "/"))
        assert page.evaluate(FAULTS) == [], drawn.caption
    page.close()


def test_sheet_and_screenshots_are_pictures_of_what_was_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api")
    image = pytest.importorskip("PIL.Image")
    from riskchain_gym.envs.browser.site_sheet import contact_sheet, write_pages

    sites = [drawn.site for drawn in random_sites(3, KEY)]
    index = contact_sheet(sites, tmp_path / "s.webp", "mobile", ["a < b", "c", "d"])
    assert index.read_text(encoding="utf-8").count("<img") == len(sites)
    assert "a &lt; b" in index.read_text(encoding="utf-8")
    with image.open(tmp_path / "s.webp") as sheet:
        assert sheet.format == "WEBP"
        assert sheet.width == 3 * (234 + 16) + 16
        assert len(sheet.convert("RGB").getcolors(1 << 24)) > 100
    with pytest.raises(InputFileError, match=r"\.png or \.webp"):
        contact_sheet(sites, tmp_path / "s.bmp")
    with pytest.raises(ConfigError, match="1 to 96 sites, got 0"):
        contact_sheet([], tmp_path / "s.png")

    site, gold = build_site("order-rebate", KEY, "shots")
    pages = list(pages_on_path(site, gold.path))
    files = write_pages(pages, tmp_path / "shots")
    assert [file.name for file in files] == [f"{i:02}.png" for i in range(1, len(pages) + 1)]
    assert len(pages) > 1
    for file in files:
        with image.open(io.BytesIO(file.read_bytes())) as picture:
            assert picture.width == 1280
            assert picture.height >= 900
