"""A person's visit is an episode like an agent's: written down, taken up again, and lost by no failure."""

from __future__ import annotations

import io
import json

import pytest
from browsed import TASK, act, cited, fake_visits, first_chain, kept_visit, named, opened, report_on

from riskchain_gym.annotation.playback import DamagedRecordError
from riskchain_gym.annotation.visit_errors import (
    ActionRefusedError,
    PinRefusedError,
    ReportRefusedError,
    StaleStepError,
    VisitClosedError,
)
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.scoring.citations import citation_problem
from riskchain_gym.scoring.episode import score_episode

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def visits(tmp_path):
    made = fake_visits(tmp_path)
    yield made
    made.close()


def test_a_view_tells_what_can_be_done_and_where(visits):
    view = opened(visits).view()
    assert (view.task_id, view.step, view.steps, view.path, view.state) == (TASK, 0, 1, "/", "open")
    assert view.viewport == (1024, 768)
    assert view.feedback == view.notice == ""
    link = next(e for e in view.elements if e.name == "查看活动")
    assert (link.role, link.can, link.disabled) == ("link", ("click",), False)
    assert view.lines[1].text == "欢迎来到首页"
    assert view.lines[1].box == Region(x=8, y=32, width=200, height=20)
    assert set(json.loads(view.model_dump_json())) == {
        *("task_id", "step", "title", "path", "status", "feedback", "scroll_y", "height", "viewport", "elements"),
        *("lines", "pictures", "steps", "state", "notice", "last"),
    }


def test_a_visit_with_its_report_is_an_episode_that_scores(visits):
    visit = opened(visits)
    act(visit, "click", "查看活动")
    act(visit, "select", "类别", option="企业")
    assert "page changed" in visit.view().feedback
    trajectory = visit.finish(report_on(cited(visit, 1, line=1)))
    assert trajectory.status is EpisodeStatus.REPORTED
    assert trajectory.chain_id == first_chain().chain_id
    assert (trajectory.protocol, trajectory.viewport) == ("human-v0", (1024, 768))
    assert trajectory.modalities == ("screenshot",), "a person sees pictures"
    assert [json.loads(step.action)["action"] for step in trajectory.steps[:3]] == ["click", "select", "stop"]
    assert trajectory.failures == ()
    assert score_episode(trajectory, None, max_steps=1000, strikes=1000).validator.valid


def test_finishing_changes_nothing_until_the_answer_is_in_the_log(visits):
    visit = opened(visits)
    act(visit, "click", "关于我们")
    report = report_on(cited(visit, 0, line=0))
    first = visit.finish(report)
    act(visit, "back")
    assert first.trajectory_hash() != visit.finish(report).trajectory_hash()
    files = [visits.keep(TASK, report, seconds=12.5) for _ in range(2)]
    names = [file.name for file in files]
    assert names == ["t1.1.json", "t1.2.json"], "what was written once is never written again"
    kept = visits.store.read(files[1])
    assert (kept.worker, kept.task_id, kept.item_id) == ("ann", TASK, first_chain().chain_id)
    assert (kept.completion, kept.seconds) == ("COMPLETE", 12.5)
    assert kept.trajectory == visit.finish(report)
    assert visits.store.load(TASK) is not None
    visits.settle(TASK)
    assert visits.store.load(TASK) is None
    assert visits.store.read(files[0]).trajectory.report == report


def test_an_action_that_does_not_fit_is_no_strike_and_no_step(visits):
    visit = opened(visits)
    before = visit.snapshot()
    for action in (
        BrowserAction(action="click", element_id="e99"),
        BrowserAction(action="fill", element_id="e1"),
        BrowserAction(action="stop", stop_status="COMPLETE"),
    ):
        with pytest.raises(ActionRefusedError, match=r"\w+ .*[.:]"):
            visit.act(action, 0)
    assert visit.snapshot() == before
    act(visit, "click", "查看活动")
    with pytest.raises(ActionRefusedError, match=r"no option 'X'.* Options: '', '个人', '企业'"):
        act(visit, "select", "类别", option="X")
    with pytest.raises(ActionRefusedError, match="was seen on / and is not on this page"):
        visit.act(BrowserAction(action="click", element_id="e1"), 1)
    assert act(visit, "back").step == 2


def test_what_the_page_refuses_is_told_and_written_down(visits):
    visit = opened(visits)
    assert "disabled" in act(visit, "click", "领取").feedback
    assert "leads out of the site" in act(visit, "click", "合作伙伴").feedback
    assert [f.kind for f in visit.abort().failures] == [FailureKind.BLOCKED_NAVIGATION]


def test_an_action_on_a_page_that_another_tab_has_left_is_refused_with_the_new_view(visits):
    visit = opened(visits)
    new = act(visit, "click", "关于我们")
    with pytest.raises(StaleStepError, match=r"on to step 1, .* for step 0") as raised:
        visit.act(BrowserAction(action="click", element_id="e1"), 0)
    assert raised.value.view == new
    assert visit.step == 1


def test_a_persons_own_words_in_an_action_are_not_kept(visits):
    visit = opened(visits)
    visit.act(BrowserAction(action="scroll_down", reason="SECRET", visual_observations=("SECRET",)), 0)
    assert "SECRET" not in visit.snapshot().model_dump_json()


def test_the_last_action_is_refused_so_that_no_budget_ends_a_visit(tmp_path, monkeypatch):
    visits = fake_visits(tmp_path)
    visits.config = visits.config.model_copy(update={"max_steps": 3})
    visit = opened(visits)
    act(visit, "scroll_down")
    act(visit, "scroll_down")
    with pytest.raises(ActionRefusedError, match="used its 2 actions: answer now, or restart"):
        act(visit, "scroll_down")
    assert visit.finish(report_on(cited(visit, 0, line=0))).failures[-1].kind is FailureKind.EARLY_STOP


def test_pictures_are_lossless_and_outlive_the_server(visits, tmp_path):
    visit = opened(visits)
    act(visit, "click", "查看活动")
    pictures = [visit.picture(step) for step in (0, 1)]
    for data, shade in zip(pictures, (60, 160), strict=True):
        with Image.open(io.BytesIO(data)) as image:
            assert image.size == (1024, 768)
            assert image.getpixel((5, 5)) == (shade,) * 3
    with pytest.raises(PinRefusedError, match="steps are 0 to 1"):
        visit.picture(2)
    visits.close()
    again = opened(fake_visits(tmp_path))
    assert [again.picture(step) for step in (0, 1)] == pictures
    next((tmp_path / "media").iterdir()).write_bytes(b"other")
    with pytest.raises(InputFileError, match="was changed after"):
        [opened(fake_visits(tmp_path)).picture(step) for step in (0, 1)]


def test_a_pin_quotes_the_page_and_resolves(visits):
    visit = opened(visits)
    act(visit, "click", "查看活动")
    pages = visit.pages
    for place, quote in (
        ({"line": 1}, "填写资料后继续"),
        ({"element_id": named(visit.view(), "姓名")}, "姓名"),
        ({"region": Region(x=0, y=30, width=300, height=30)}, "填写资料后继续"),
        ({"region": Region(x=0, y=0, width=300, height=100)}, f"{pages[1].lines[0].text}\n填写资料后继续"),
        ({"region": Region(x=400, y=300, width=80, height=60)}, ""),
    ):
        pin = visit.pin(1, **place)
        assert pin.quote == quote
        assert citation_problem(cited(visit, 1, **place), pages) is None


def test_a_thumbnail_shows_the_place_and_is_stored_once(visits, tmp_path):
    visit = opened(visits)
    wide = visit.pin(0, region=Region(x=0, y=0, width=1000, height=200)).thumbnail
    small = visit.pin(0, line=1).thumbnail
    sizes = []
    for name in (wide, small):
        with Image.open(io.BytesIO(visits.pictures.read(name))) as image:
            sizes.append(image.size)
    assert sizes == [(480, 105), (233, 69)]
    files = set((tmp_path / "media").iterdir())
    assert visit.pin(0, line=1).thumbnail == small
    assert set((tmp_path / "media").iterdir()) == files


def test_what_was_not_in_view_cannot_be_pinned(visits):
    visit = opened(visits)
    low = Region(x=8, y=900, width=100, height=40)
    with pytest.raises(PinRefusedError, match="out of view at step 0: scroll to it"):
        visit.pin(0, region=low)
    act(visit, "scroll_down")
    assert visit.pin(1, region=low).region == low
    with pytest.raises(PinRefusedError, match="out of view at step 1"):
        visit.pin(1, line=0)
    assert visit.pin(0, line=0).quote, "earlier steps can be pinned as they were"


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ({}, "on one thing"),
        ({"line": 0, "element_id": "e1"}, "on one thing"),
        ({"line": 99}, "no line 99"),
        ({"line": -1}, "no line -1"),
        ({"element_id": "e99"}, "no element 'e99'"),
        ({"region": Region(x=0, y=5000, width=10, height=10)}, "below the end of the page"),
    ],
)
def test_a_place_that_is_not_there_is_refused(visits, place, problem):
    with pytest.raises(PinRefusedError, match=problem):
        opened(visits).pin(0, **place)
    with pytest.raises(PinRefusedError, match="no step 7"):
        opened(visits).pin(7, line=0)


def test_a_report_that_cites_what_was_not_shown_is_refused_and_the_visit_goes_on(visits):
    visit = opened(visits)
    wrong = Citation(step=0, quote="never shown", anchor_type="VISIBLE_TEXT_OR_CLAIM")
    with pytest.raises(ReportRefusedError, match=r"evidence.0: .*not shown at step 0.*pin it again"):
        visit.finish(report_on(wrong))
    with pytest.raises(ReportRefusedError, match=r"counterevidence.0"):
        visit.finish(report_on(cited(visit, 0, line=0), counterevidence=(wrong,)))
    assert act(visit, "scroll_down").step == 1


def walk(visit):
    act(visit, "click", "查看活动")
    act(visit, "check", "同意")
    act(visit, "back")
    act(visit, "scroll_down")


def test_a_killed_server_goes_on_where_it_stood(visits, tmp_path):
    visit = opened(visits)
    walk(visit)
    # Nothing is closed: the process is gone.
    again = opened(fake_visits(tmp_path))
    assert (again.view(), again.snapshot(), again.pages) == (visit.view(), visit.snapshot(), visit.pages)
    walked = [act(each, "click", "关于我们") for each in (again, visit)]
    assert walked[0] == walked[1]
    report = report_on(cited(again, 1, line=1))
    assert again.finish(report) == visit.finish(report)


class OtherWorld(FakeBackend):
    """The same four pages, one of them with other words."""

    def _offer(self):
        lines, elements = super()._offer()
        return ["别的内容", *lines], elements


def test_where_the_site_is_another_the_record_stays_and_browsing_closes(visits, tmp_path):
    visit = opened(visits)
    walk(visit)
    closed = opened(fake_visits(tmp_path, backend=OtherWorld))
    view = closed.view()
    assert (view.state, view.step, view.path) == ("diverged", 4, "/")
    assert "step 1 shows another page" in view.notice
    assert "restart the visit" in view.notice
    assert view.lines == visit.view().lines
    with pytest.raises(VisitClosedError, match="step 1 shows another page"):
        closed.act(BrowserAction(action="back"), 4)
    citation = cited(closed, 1, line=1)
    assert citation == cited(visit, 1, line=1)
    assert closed.pin(1, line=1).thumbnail == visit.pin(1, line=1).thumbnail
    report = report_on(citation)
    cut, whole = closed.finish(report), visit.finish(report)
    assert (cut.steps[:4], cut.report) == (whole.steps[:4], whole.report)
    assert [json.loads(each.steps[4].action)["stop_status"] for each in (cut, whole)] == ["ABSTAIN", "COMPLETE"]
    assert closed.ended(report).completion == "PARTIAL"
    other = fake_visits(tmp_path, backend=OtherWorld)
    begun = other.restart(TASK, closed.snapshot().item_id, first_chain().site)
    assert (begun.view().state, begun.step) == ("open", 0)
    broken_off = kept_visit(tmp_path, "t1.1.json")
    assert (broken_off.completion, broken_off.trajectory) == ("ABORTED", visit.abort())


def test_a_browser_that_dies_is_brought_back_unseen(tmp_path):
    calm, shaken = fake_visits(tmp_path / "a"), fake_visits(tmp_path / "b", fail_at=(3, 8))
    for visits in (calm, shaken):
        walk(opened(visits))
    assert opened(shaken).snapshot() == opened(calm).snapshot()


def test_a_step_that_cannot_be_written_down_has_not_happened(visits, monkeypatch):
    visit = opened(visits)
    before = act(visit, "click", "查看活动")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("riskchain_gym.annotation.visit_store.write_atomically", full)
        with pytest.raises(VisitClosedError, match=r"No space left on device.*make room"):
            act(visit, "check", "同意")
    view = visit.view()
    assert (view.state, view.step, view.elements) == ("lost", 1, before.elements)
    assert visits.store.load(TASK) == visit.snapshot()


def test_a_restart_keeps_what_it_breaks_off(visits, tmp_path):
    visit = opened(visits)
    walk(visit)
    chain = first_chain()
    assert visits.restart(TASK, chain.chain_id, chain.site).step == 0
    walk(opened(visits))
    visits.restart(TASK, chain.chain_id, chain.site)
    kept = [kept_visit(tmp_path, f"t1.{n}.json") for n in (1, 2)]
    assert [each.completion for each in kept] == ["ABORTED"] * 2
    assert kept[0].trajectory.status is EpisodeStatus.RUNNING
    assert kept[0].trajectory.report is None
    assert len(kept[0].trajectory.steps) == 4


def test_a_record_that_was_changed_is_not_believed_and_not_thrown_away(visits, tmp_path):
    walk(opened(visits))
    path = tmp_path / "visits/ann/t1.open"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace('\\"action\\":\\"back\\"', '\\"action\\":\\"noop\\"'), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != whole
    with pytest.raises(DamagedRecordError, match="restart the visit"):
        opened(fake_visits(tmp_path))
    path.write_text(whole[:200], encoding="utf-8")
    broken = fake_visits(tmp_path)
    with pytest.raises(InputFileError):
        opened(broken)
    chain = first_chain()
    assert broken.restart(TASK, chain.chain_id, chain.site).step == 0
    assert (tmp_path / "visits/ann/t1.1.damaged").read_text(encoding="utf-8") == whole[:200]


def test_an_answer_that_was_taken_back_opens_its_visit_again(visits):
    visit = opened(visits)
    walk(visit)
    report = report_on(cited(visit, 1, line=1))
    name = visits.keep(TASK, report)
    visits.settle(TASK)
    opened(visits, task="t2")
    visits.reopen(TASK, name)
    again = opened(visits)
    assert again.view() == visit.view()
    assert again.snapshot() == visit.snapshot()
    assert visits.keep(TASK, report).name == "t1.2.json"


def test_a_visit_that_opens_again_has_not_stopped_early(visits):
    visit = opened(visits)
    report = report_on(cited(visit, 0, line=0))
    name = visits.keep(TASK, report)
    assert [f.kind for f in visits.store.read(name).trajectory.failures] == [FailureKind.EARLY_STOP]
    visits.settle(TASK)
    visits.reopen(TASK, name)
    assert opened(visits).snapshot().trajectory.failures == ()
    act(opened(visits), "click", "关于我们")
    assert opened(visits).finish(report).failures == ()


def test_tasks_and_people_have_visits_of_their_own(visits, tmp_path):
    walk(opened(visits))
    bob = fake_visits(tmp_path, worker="bob")
    assert opened(bob).step == 0
    assert opened(visits, task="t2").step == 0
    assert opened(visits).step == 4, "the browser shows the first task again, as it stood"


@pytest.mark.parametrize("name", ["../t1", "t1/../../x", "", ".hidden", "a" * 300])
def test_no_name_leads_out_of_the_folder(visits, name):
    chain = first_chain()
    with pytest.raises(ValueError, match="cannot name a file"):
        visits.visit(name, chain.chain_id, chain.site)
