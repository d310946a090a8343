"""Pages are kept and shown again where nothing that they read is different, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.sites import drawn
from riskchain_gym.sites.blocks import TextBlock
from riskchain_gym.sites.compiled import CompiledPage, CompiledSite
from riskchain_gym.sites.drawn import drawn_page
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.state import SiteState, initial_state
from riskchain_gym.sites.view import show_page_and_fields


def mini() -> list[CompiledSite]:
    return [chain.site for chain in load_public("mini") if isinstance(chain.site, CompiledSite)]


def with_text(*texts: str) -> CompiledSite:
    """Return a site whose landing page shows some texts and nothing else."""
    blocks = tuple(TextBlock(kind="text", text=text) for text in texts)
    state = {"paid": False, "code": "1"}
    return mini()[0].model_copy(update={"state": state, "pages": {"/": CompiledPage(title="页", blocks=blocks)}})


def shown(site: CompiledSite, state: SiteState) -> tuple[str, ...]:
    return drawn_page(site, state, "/")[0].lines()


def test_a_kept_page_is_the_one_that_would_be_drawn() -> None:
    """Random visits, one after the other on the same sites: whatever is kept from the earlier ones fits the later."""
    seen = 0
    for site in mini():
        rng = KeyedRandom(key_from_seed(3), site.site_id)
        for _ in range(4):
            session = SiteSession(site)
            for _ in range(8):
                session.tick()
                page = session.open(rng.choice(sorted(site.pages))).page
                assert page is not None
                state, path = session.state, session.state.page
                assert (page, drawn_page(site, state, path)[1]) == show_page_and_fields(site, state, path)
                for node in page.controls():
                    if node.control is not None and node.control.action and rng.chance(0.5):
                        fields = [n.control.field for n in page.controls() if n.control is not None and n.control.field]
                        session.post(node.control.action, {name: rng.choice(["", "on", "4242"]) for name in fields})
                        break
                seen += 1
    assert seen == len(mini()) * 32


def test_the_same_picture_is_the_same_object_in_another_visit() -> None:
    site = mini()[0]
    assert SiteSession(site).open("/").page is SiteSession(site).open("/").page


def test_a_copy_of_a_site_shares_nothing() -> None:
    site = with_text("早")
    other = site.model_copy(
        update={"pages": {"/": CompiledPage(title="页", blocks=(TextBlock(kind="text", text="晚"),))}}
    )
    assert "早" in shown(site, initial_state(site))
    assert "晚" in shown(other, initial_state(other))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("{{ paid }}", [{"vars": {"paid": True, "code": "1"}}, {"vars": {"paid": 1, "code": "1"}}]),
        ("{{ code }}", [{"vars": {"paid": False, "code": 1.0}}, {"vars": {"paid": False, "code": "2"}}]),
        ("{{ visits.home }}", [{"visits": {"/": 1}}, {"visits": {"/": 2}}]),
        ("{{ steps }}", [{"steps": 1}, {"steps": 2}]),
    ],
)
def test_what_a_page_reads_tells_states_apart(text: str, changes: list[dict[str, object]]) -> None:
    site = with_text(text)
    start = initial_state(site)
    states = [start, *(replace(start, **change) for change in changes)]  # type: ignore[arg-type]
    drawings = [show_page_and_fields(site, state, "/")[0].lines() for state in states]
    assert [shown(site, state) for state in (*states, *states)] == drawings * 2
    assert len({id(drawn_page(site, state, "/")[0]) for state in states}) == len(states)


def test_what_a_page_does_not_read_makes_no_difference() -> None:
    site = with_text("不变")
    start = initial_state(site)
    later = replace(start, vars={"paid": True, "code": "9"}, visits={"/": 7}, steps=9)
    assert drawn_page(site, later, "/")[0] is drawn_page(site, start, "/")[0]


def test_no_more_pages_are_kept_than_said() -> None:
    site = with_text("{{ steps }}")
    for steps in range(drawn.PAGES_KEPT + 50):
        shown(site, replace(initial_state(site), steps=steps))
    assert drawn._drawn.cache_info().currsize == drawn.PAGES_KEPT


def test_alternative_texts_do_not_leak_into_the_site_without() -> None:
    site = next(site for site in mini() if not site.picture_alt)
    assert site.with_alts(False) is site
    assert site.with_alts(True) is site.with_alts(True)
    assert site.with_alts(True) == site.model_copy(update={"picture_alt": True})
    assert site.with_alts(True).with_alts(False) == site
