"""The page of a board in a real browser: sorted by its headings, whole on a telephone, deaf to hostile names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from board_cases import mini_of, sealed
from run_cases import misjudged, trajectories

from riskchain_gym.evaluation.leaderboard.building import build_board
from riskchain_gym.evaluation.leaderboard.published import published_aggregates
from riskchain_gym.evaluation.leaderboard.writing import write_board
from riskchain_gym.evaluation.store import RunFolder

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory, frozen: dict[str, RunFolder]) -> Path:
    pytest.importorskip("matplotlib")
    out = tmp_path_factory.mktemp("page")
    good = frozen["rules+explorer"]
    half = [misjudged(t) if i % 2 else t for i, t in enumerate(trajectories(good))]
    runs = [*frozen.values(), sealed(out / "h", good, half, agent=HOSTILE, **mini_of(good))]
    return write_board(build_board(runs, published=published_aggregates()), out / "board")


@pytest.fixture(scope="module")
def opened(page_file: Path) -> Iterator[Page]:
    sync_api = pytest.importorskip("playwright.sync_api")
    from riskchain_gym.envs.browser.find import find_chromium

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(page_file.as_uri())
        assert said == []
        yield page
        assert said == []
        browser.close()


def test_headings_sort_and_computed_rows_stay_below(opened: Page) -> None:
    table = opened.locator("#mini-decisions ~ .scroll table").first
    heading = table.locator("thead .cols th", has_text="Acc").first
    names = table.locator("tbody:first-of-type th")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert names.last.inner_text().startswith("noop")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names.first.inner_text().startswith("noop")
    assert "†" in table.locator("tbody").last.inner_text()
    assert "†" not in table.locator("tbody").first.inner_text()


def test_hostile_names_are_text(opened: Page) -> None:
    assert opened.title() == "RiskChain leaderboard"
    assert opened.get_by_text("onerror").count() > 0
    assert opened.locator("img:not([src^='data:image/svg+xml'])").count() == 0


def test_figures_are_drawn(opened: Page) -> None:
    widths = opened.evaluate(
        "Promise.all([...document.images].map(async i => { await i.decode(); return i.naturalWidth }))"
    )
    assert widths
    assert all(width > 300 for width in widths)


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_moves_the_page_sideways(opened: Page, width: int) -> None:
    opened.set_viewport_size({"width": width, "height": 844})
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    opened.set_viewport_size({"width": 1280, "height": 900})
