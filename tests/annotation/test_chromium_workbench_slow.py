"""The page before a site that hangs: it says so, the form goes on, and so does the visit."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from hanging_site import LONG_S, Hanging, hanging_visits
from page_kit import kept_form, running

pytestmark = pytest.mark.browser


def test_a_site_that_hangs_is_told_and_the_form_goes_on(alone, open_page, faults):
    site = Hanging()
    with running(alone, visits=hanging_visits(alone, site)) as address:
        bench = open_page(address)
        bench.at_rest()
        bench.zone("button 公告").click()
        try:
            assert site.hung.wait(LONG_S)
            bench.page.get_by_test_id("feedback").get_by_text("The page is taking long").wait_for()
            bench.choose("decision-NON_VIOLATION")
            bench.saved()
            assert kept_form(alone)["decision"] == "NON_VIOLATION"
        finally:
            site.is_over.set()
        bench.page.get_by_test_id("feedback").get_by_text("The page did not answer in time").wait_for()
        bench.at_rest()
        bench.zone("link 关于我们").click()
        bench.step(1)
        assert site.tried == 1
