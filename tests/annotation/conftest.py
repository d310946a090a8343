"""Fixtures of the tests that use the workbench's page; what only they need is imported only for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from page_kit import Bench, Faults
    from playwright.sync_api import Browser, BrowserContext

LONG_MS = 15_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser on a person's desk."""
    from playwright.sync_api import sync_playwright

    from riskchain_gym.envs.browser.find import find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(headless=True), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the sites' browser running from one test to the next; visits share it."""
    from workbench_kit import ALONE, make_project

    from riskchain_gym.annotation.visiting import VisitDesk
    from riskchain_gym.benchmark.labels.sources import item_sites

    folder = tmp_path_factory.mktemp("warm") / "p"
    project = make_project(folder, sites=1, workers=ALONE)
    visits, (item,) = VisitDesk(folder, "ann"), project.plan.items
    visits.visit("warm", item, item_sites(("mini",))[item])
    yield
    visits.close()


@pytest.fixture
def faults() -> Iterator[Faults]:
    """What goes wrong in the pages of a test; nothing may."""
    from page_kit import Faults

    watched = Faults()
    yield watched
    assert watched.found == []


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A person's browser window, with a store of its own."""
    made = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    made.set_default_timeout(LONG_MS)
    yield made
    made.close()


@pytest.fixture
def open_page(context: BrowserContext, faults: Faults) -> Callable[[str], Bench]:
    """Open an address in a tab of its own."""
    from page_kit import Bench

    def opened(address: str) -> Bench:
        page = context.new_page()
        faults.watch(page)
        page.goto(address)
        return Bench(page)

    return opened


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A project of two sites and one person."""
    from workbench_kit import ALONE, make_project

    make_project(tmp_path / "p", sites=2, workers=ALONE)
    return tmp_path / "p"


@pytest.fixture
def bench(alone: Path, open_page: Callable[[str], Bench]) -> Iterator[Bench]:
    """A page on a world that needs no browser, where the site is not what is tested."""
    from browsed import fake_visits
    from page_kit import running

    with running(alone, visits=fake_visits(alone)) as address:
        opened = open_page(address)
        opened.at_rest()
        yield opened


@pytest.fixture
def real_bench(alone: Path, open_page: Callable[[str], Bench], warm: None) -> Iterator[Bench]:
    """A page on a site that a browser shows."""
    from page_kit import running

    with running(alone) as address:
        opened = open_page(address)
        opened.at_rest()
        yield opened
