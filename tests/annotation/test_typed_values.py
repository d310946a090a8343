"""Typed values are known by length and hash, whatever the browser goes through; only what was typed counts."""

from __future__ import annotations

import hashlib

import pytest
from browsed import act, first_chain, opened, report_on

from riskchain_gym.annotation.human_visit import TypedInput
from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.visiting import VisitDesk, human_config
from riskchain_gym.envs.backends.base import ActResult
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.protocol.action import ActionErrorKind, ActionKind
from riskchain_gym.protocol.report import Citation
from riskchain_gym.sites.session import SiteSession

pytest.importorskip("PIL")

VALUE = "何女士-typed-by-nobody"


class Typing(FakeBackend):
    """The fake world, in which a field's value is asked for as a browser asks; the second fill finds no field."""

    typed = TypedValues()
    gone = False

    def act(self, action, key):
        result = super().act(action, key)
        if action.action is not ActionKind.FILL:
            return result
        if self.gone:
            return ActResult(result.page, ActionErrorKind.ELEMENT_DETACHED)
        self.typed.note(VALUE)
        return result


def typing_desk(project, **fake):
    def make(config, typed):
        backend = Typing(viewport=config.viewport, **fake)
        backend.typed = typed
        return RecoveringBackend(backend)

    return VisitDesk(project, "ann", human_config().model_copy(update={"backend": "fake"}), make)


@pytest.mark.parametrize("fail_at", [(), (3,), (3, 6)])
def test_each_fill_is_noted_once_though_a_replay_types_again(tmp_path, fail_at):
    desk = typing_desk(tmp_path, fail_at=fail_at)
    visit = opened(desk)
    act(visit, "click", "查看活动")
    act(visit, "fill", "姓名")
    act(visit, "check", "同意")
    sha256 = hashlib.sha256(VALUE.encode()).hexdigest()
    noted = (TypedInput(step=2, length=len(VALUE), sha256=sha256),)
    assert visit.snapshot().inputs == noted
    report = report_on(Citation(step=0, quote="欢迎来到首页", anchor_type="VISIBLE_TEXT_OR_CLAIM"))
    assert desk.store.read(desk.keep(visit.task_id, report)).inputs == noted
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert not any(VALUE.encode() in path.read_bytes() for path in files)


def test_a_fill_that_found_no_field_typed_nothing_whatever_a_replay_typed(tmp_path):
    desk = typing_desk(tmp_path, fail_at=(4,))
    visit = opened(desk)
    act(visit, "click", "查看活动")
    act(visit, "fill", "姓名")
    noted = visit.snapshot().inputs
    inner = desk._backend.inner
    act_once = inner.act

    def gone_once_filled(action, key):
        inner.gone = bool(inner._filled) and action.action is ActionKind.FILL
        return act_once(action, key)

    # The next call is lost, the fill before it is typed again on the way back, and then the field is gone.
    inner.act = gone_once_filled
    view = act(visit, "fill", "姓名")
    assert "left the page meanwhile" in view.feedback
    assert visit.snapshot().inputs == noted


def test_a_session_types_what_the_site_says_and_keeps_no_value():
    site = first_chain().site
    typed = TypedValues()
    session, plain = typed.session(site), SiteSession(site)
    found = 0
    for path in site.pages:
        for key in field_keys(plain, path):
            assert session.fixture(path, key) == (value := plain.fixture(path, key))
            assert typed.last is not None
            assert typed.last.length == len(value)
            assert typed.last.sha256 == hashlib.sha256(value.encode()).hexdigest()
            assert value not in vars(typed).values()
            found += 1
    assert found


def field_keys(session, path):
    """Return the keys of the fields that a page shows at first."""
    from riskchain_gym.sites.drawn import drawn_page

    return list(drawn_page(session.site, session.state, path)[1])
