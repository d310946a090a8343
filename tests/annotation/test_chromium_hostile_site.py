"""A hostile imported site reaches neither the workbench nor anything else, and a person's visit goes on."""

from __future__ import annotations

import pytest
from browsed import TASK, act, cited, kept_visit, report_on
from hostile_site import HOSTS, Listener, hostile_site

from riskchain_gym.annotation.visit_errors import PageHungError
from riskchain_gym.annotation.visiting import VisitDesk, human_config
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.failures import FailureKind

pytestmark = pytest.mark.browser


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.close()


def test_the_listener_hears_whoever_comes(listener):
    """The positive control."""
    came = 0
    for host in {host.strip("[]") for host in HOSTS}:
        try:
            listener.knock(host)
        except OSError:
            assert host == "::1", "only IPv6 may be missing here"
        else:
            came += 1
    assert len(listener.heard) == came >= len(HOSTS) - 1


# What is clicked on the page, and whether the page stays the one shown.
WAYS = {
    "/reach": (None, True),
    "/refresh": (None, False),
    "/form": ("send it", True),
    "/sent": (None, True),
    "/bust": (None, False),
    "/open": ("open it", True),
    "/link": ("follow it", True),
}


def test_nothing_arrives_at_the_workbench_and_the_visit_goes_on(listener, tmp_path):
    desk = VisitDesk(tmp_path, "ann")
    try:
        visit = desk.visit(TASK, "hostile", hostile_site(listener.port))
        for path, (button, stays) in WAYS.items():
            view = act(visit, "click", f"to {path}")
            if button is not None:
                view = act(visit, "click", button)
            assert (view.state, view.path) == ("open", path if stays else "/")
            assert button is None or "leads out of the site and was blocked" in view.feedback
            if path == "/reach":
                assert view.lines[0].text == "tried", "every way was tried"
            if stays:
                assert act(visit, "back").path == "/"
        trajectory = visit.finish(report_on(cited(visit, 0, line=0)))
    finally:
        desk.close()
    listener.knock("127.0.0.1")
    assert listener.heard == ["127.0.0.1"], "only the knock of this test was heard"
    assert {"image", "xhr", "script", "stylesheet", "eventsource", "navigation", "window"} <= set(trajectory.egress)
    blocked = [failure for failure in trajectory.failures if failure.kind is FailureKind.BLOCKED_NAVIGATION]
    assert len(blocked) == 5
    assert {page.path for page in trajectory.pages.values()} <= {*WAYS, "/"}


@pytest.mark.slow
def test_a_page_that_floods_can_be_left_or_the_visit_begun_anew(listener, tmp_path):
    config = human_config()

    def impatient(config, typed):
        settings = BrowserSettings(act_deadline_s=10)
        modalities = frozenset(config.observe)
        return ChromiumBackend(settings, viewport=config.viewport, modalities=modalities, session=typed.session)

    desk = VisitDesk(tmp_path, "ann", config, impatient)
    site = hostile_site(listener.port)
    try:
        visit = desk.visit(TASK, "hostile", site)
        assert act(visit, "click", "to /alerts").path == "/alerts"
        assert act(visit, "back").path == "/", "fifty dialogs and one more on leaving hold nobody"
        act(visit, "click", "to /endless")
        with pytest.raises(PageHungError, match="did not answer 'click' in time"):
            act(visit, "click", "never ends")
        view = visit.view()
        assert (view.state, view.path, view.step) == ("open", "/endless", 3), "nothing but that click is undone"
        assert act(visit, "back").path == "/"
        assert visit.pin(0, line=0).quote == "home"
        again = desk.restart(TASK, "hostile", site)
        assert (again.view().state, again.view().path) == ("open", "/")
        assert act(again, "click", "to /form").path == "/form"
    finally:
        desk.close()
    assert kept_visit(tmp_path, "t1.1.json").completion == "ABORTED"
