"""Half a surrogate pair on a page: no file can hold it, so a pin points at the place and quotes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from browsed import TASK, act, fake_visits, opened
from workbench_kit import ALONE, HARMLESS, make_project

from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.refusals import RefusedError
from riskchain_gym.annotation.requests import MakePin, SaveDraft, read_request
from riskchain_gym.annotation.visit_errors import VisitClosedError
from riskchain_gym.annotation.visiting import VisitDesk
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.envs.backends.base import RawElement, RawPage
from riskchain_gym.envs.backends.fake import FakeBackend

HALF = "half \ud83d of it"


class Broken(FakeBackend):
    """A world whose first page has half characters: in a line, in a line without a place, in the name of a link."""

    def _page(self) -> RawPage:
        page = super()._page()
        lines = [page.lines[0].model_copy(update={"text": HALF}), page.lines[1]]
        return replace(
            page,
            lines=(*lines, page.lines[0].model_copy(update={"text": HALF, "box": None})),
            elements=(replace(page.elements[0], name=HALF), *page.elements[1:]),
        )


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VisitDesk:
    make_project(tmp_path / "p", sites=1, workers=ALONE)
    made = fake_visits(tmp_path / "p", backend=Broken)
    # Such a page cannot be written down; what is told of it is what is tested here.
    monkeypatch.setattr(made.store, "save", lambda visit: None)
    return made


def sent(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def test_what_was_pinned_there_can_be_kept_in_a_form(tmp_path: Path, visits: VisitDesk) -> None:
    project = make_project(tmp_path / "p", sites=1, workers=ALONE)
    with Desk(project, "ann", visits=visits, sites=item_sites(("mini",))) as desk:
        view = desk.view()
        task_id, link, region = view["task_id"], view["elements"][0], view["lines"][0]["box"]
        assert (view["lines"][0]["text"], link["name"]) == (HALF, HALF)
        pins = []
        for place in ({"line": 0}, {"element_id": link["element_id"]}, {"region": region}):
            (told,) = desk.pin(read_request(sent(task_id=task_id, step=0, **place), MakePin)).values()
            assert told["quote"] == ""
            assert told["region"] or told["element_id"]
            pins.append({"id": "p", "side": "evidence", "anchor_type": "VISIBLE_TEXT_OR_CLAIM", **told})
        form = {**HARMLESS, "pins": pins}
        kept = desk.save_draft(read_request(sent(task_id=task_id, revision=0, tab="one", form=form), SaveDraft))
        assert desk.state()["task"]["draft"]["form"]["pins"] == pins
        assert desk.state()["task"]["draft"]["revision"] == kept["revision"]
        (whole,) = desk.pin(read_request(sent(task_id=task_id, step=0, line=1), MakePin)).values()
        assert whole["quote"] == "欢迎来到首页"
        with pytest.raises(RefusedError, match="holds half a character and cannot be quoted"):
            desk.pin(read_request(sent(task_id=task_id, step=0, line=2), MakePin))


class BrokenOffer(FakeBackend):
    """The same on the page of the offer."""

    def _offer(self) -> tuple[list[str], list[RawElement]]:
        lines, elements = super()._offer()
        return [HALF, *lines], elements


def test_a_page_that_no_file_can_hold_closes_browsing_with_a_sentence(tmp_path: Path) -> None:
    visits = fake_visits(tmp_path, backend=BrokenOffer)
    visit = opened(visits)
    with pytest.raises(VisitClosedError, match="the page holds text that no file can hold"):
        act(visit, "click", "查看活动")
    assert (visit.view().state, visit.view().step) == ("lost", 0)
    assert visits.store.load(TASK) == visit.snapshot()
