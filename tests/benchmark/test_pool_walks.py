"""Random visitors over the whole pool: no exception, no dead link, no server error but that of the retry gate."""

from __future__ import annotations

import pytest

from riskchain_gym.benchmark.pool import planned_orders, pool_key, site_of
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import library
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.session import SiteSession

KEY = pool_key(key_from_seed(2026))
RETRY = "retry"
NOISE = ("", "  ", "<script>alert(1)</script>", "{{ 7 * 7 }}", "[[ operator ]]", "0" * 400, "🀄\u3000é", "-1")


def form_of(page: PageView, button: Node) -> Node:
    forms = [node for node in page.walk() if node.control is not None and node.control.role == "form"]
    return next(form for form in forms if any(node.key == button.key for node in form.walk()))


def step(session: SiteSession, page: PageView, rng: KeyedRandom) -> PageView:
    """Do one thing a visitor can do on a page and return the page shown then."""
    session.tick()
    controls = page.controls()
    node = rng.choice(controls)
    assert node.control is not None
    if node.control.role == "link":
        answer = session.open(node.control.href)
        assert answer.status != 404, f"{page.path}: the link '{node.control.name}' is dead"
    elif node.control.action:
        values = {}
        for field in form_of(page, node).walk():
            if field.control is not None and field.control.field:
                typed = session.fixture(page.path, field.key)
                values[field.control.field] = typed if rng.below(3) else rng.choice(NOISE)
        sent = session.post(node.control.action, values)
        assert sent.status == 303, f"{page.path}: '{node.control.name}' answers {sent.status}"
        answer = session.open(sent.location)
    else:
        answer = session.open(page.path)
    return page if answer.page is None else answer.page


def walk(site: CompiledSite, gold: SiteGold, steps: int) -> None:
    rng = KeyedRandom(KEY, "walk", site.site_id)
    session = SiteSession(site)
    page = session.open(site.home).page
    for _ in range(steps):
        assert page is not None
        assert page.lines()
        assert page.status == 200 or (page.status == 503 and RETRY in gold.gates), f"{page.path}: {page.status}"
        page = step(session, page, rng)


def test_random_visitors_of_a_sample() -> None:
    for order in planned_orders(KEY, library())[::50]:
        site, gold, _ = site_of(library().root, KEY, order)
        walk(site, gold, steps=12)


@pytest.mark.slow
def test_ten_thousand_random_transitions() -> None:
    sample = planned_orders(KEY, library())[::5]
    for order in sample:
        site, gold, _ = site_of(library().root, KEY, order)
        walk(site, gold, steps=20)
    assert 20 * len(sample) >= 10_000
