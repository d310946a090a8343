"""Real sites, the same actions: the browser and the text backend report the same pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskchain_gym.benchmark.pool import planned_orders, pool_key
from riskchain_gym.envs.backends.base import RawPage
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.protocol.page import ObservedLine
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import library

pytestmark = pytest.mark.browser

KEY = key_from_seed(0)
STEPS = 10
SITES = ["order-rebate", "reverify", "hidden-shelf", "sure-return", "player-plugin", "parcel-lookup"]
WIDE = 300
"""Sites of the wide check, spread over a pool: families, languages, forms and themes all come."""


@pytest.fixture(scope="module")
def browser():
    made = ChromiumBackend(modalities=frozenset())
    yield made
    made.close()


def _without_geometry(page: RawPage) -> RawPage:
    lines = tuple(ObservedLine(text=line.text) for line in page.lines)
    elements = tuple(replace(element, box=None) for element in page.elements)
    pictures = tuple(picture.model_copy(update={"box": None}) for picture in page.pictures)
    return replace(page, lines=lines, elements=elements, pictures=pictures, scroll_y=0, height=0)


Choice = tuple[BrowserAction, str | None]
"""An action, and the key of its target."""


def _choices(page: RawPage) -> list[Choice]:
    kinds = (ActionKind.RELOAD, ActionKind.BACK, ActionKind.SCROLL_DOWN)
    untargeted: list[Choice] = [(BrowserAction(action=kind), None) for kind in kinds]
    targeted: list[Choice] = [
        (BrowserAction(action=ActionKind(name), element_id="e1"), element.key)
        for element in page.elements
        for name, able in element.capabilities.model_dump().items()
        if able
    ]
    controls = [(action, key) for action, key in targeted if action.action is not ActionKind.CLICK]
    return [*untargeted, *targeted, *controls, *controls, *_presses(page)]


def _presses(page: RawPage) -> list[Choice]:
    return [
        (BrowserAction(action=ActionKind.PRESS, element_id="e1", key=key), element.key)
        for element in page.elements
        for key in ("Enter", "Escape")
    ]


def same_pages(browser: ChromiumBackend, site: CompiledSite, rng: KeyedRandom, steps: int) -> None:
    """Walk a site at random in both backends and compare every page."""
    text = TextBackend()
    seen, read = browser.open(site), text.open(site)
    assert _without_geometry(seen) == read
    assert all(line.box is not None for line in seen.lines)
    assert all(element.box is not None for element in seen.elements)
    for _ in range(steps):
        action, key = rng.choice(_choices(read))
        seen_next, read_next = browser.act(action, key), text.act(action, key)
        assert seen_next.error == read_next.error, (action, key)
        assert _without_geometry(seen_next.page) == read_next.page, (action, key)
        read = read_next.page


@pytest.mark.parametrize("name", SITES)
def test_both_backends_report_the_same_pages(browser, name):
    site, _ = build_site(name, KEY, "parity")
    same_pages(browser, site, KeyedRandom(KEY, "parity", name), STEPS)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_sites_of_a_pool_are_the_same_in_both_backends(browser):
    orders = planned_orders(pool_key(KEY), library())
    for order in orders[:: len(orders) // WIDE]:
        site, _ = build_site(
            order.archetype,
            KEY,
            order.number,
            host=order.host,
            lang=order.lang,
            gate_kinds=order.gate_kinds,
            look={"presentation": order.presentation, "theme": order.theme},
        )
        same_pages(browser, site, KeyedRandom(KEY, "parity", order.number), STEPS)
