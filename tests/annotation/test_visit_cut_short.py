"""A visit that the browser cuts short: what was seen can be answered, and nothing of it is put down to the person."""

from __future__ import annotations

import pytest
from browsed import TASK, act, cited, fake_visits, opened, report_on

from riskchain_gym.annotation.visit_errors import VisitClosedError
from riskchain_gym.protocol.failures import EpisodeStatus

pytest.importorskip("PIL.Image")


def test_a_browser_that_stays_away_costs_no_answer(tmp_path):
    visits = fake_visits(tmp_path, fail_at=range(4, 99))
    visit = opened(visits)
    act(visit, "click", "查看活动")
    before = act(visit, "check", "同意")
    with pytest.raises(VisitClosedError, match="could not be brought back") as raised:
        act(visit, "back")
    assert raised.value.cause == "browser_lost"
    view = visit.view()
    assert (view.state, view.step, view.lines) == ("lost", 2, before.lines)
    report = report_on(cited(visit, 1, line=1))
    name = visits.keep(TASK, report)
    kept = visits.store.read(name)
    assert (kept.completion, kept.trajectory.status) == ("PARTIAL", EpisodeStatus.REPORTED)
    assert kept.trajectory.infra_cause == ""
    assert visit.view().step == 2


def test_whom_the_browser_left_at_the_landing_view_has_not_stopped_early(tmp_path):
    visits = fake_visits(tmp_path, fail_at=range(2, 99))
    visit = opened(visits)
    with pytest.raises(VisitClosedError, match="could not be brought back"):
        act(visit, "click", "关于我们")
    ended = visit.ended(report_on(cited(visit, 0, line=0)))
    assert (ended.completion, ended.trajectory.failures) == ("PARTIAL", ())
    assert ended.trajectory.status is EpisodeStatus.REPORTED


def test_a_site_that_does_not_open_is_no_visit_and_can_be_tried_again(tmp_path):
    visits = fake_visits(tmp_path, fail_at=(1, 2, 3))
    with pytest.raises(VisitClosedError, match="could not be opened"):
        opened(visits)
    assert visits.store.load(TASK) is None
    assert opened(visits).view().step == 0
