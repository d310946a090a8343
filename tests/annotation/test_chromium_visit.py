"""A person's visit in the real browser: typed values, resuming, and the same episode played again by a program."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path

import numpy as np
import pytest
from browsed import cited
from PIL import Image

from riskchain_gym.annotation.human_runs import write_human_runs
from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.visiting import VisitDesk, human_config
from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.benchmark.labels.project import create_project
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.benchmark.splits import find_chain
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.report import Region

pytestmark = pytest.mark.browser

CHAIN = "jc8a8bw953pc"
WAY = [("submit", "e1"), ("scroll_down", None), ("fill", "e2"), ("fill", "e3"), ("fill", "e4"), ("check", "e5")]


@pytest.fixture(scope="module")
def values():
    """What the environment typed, which nobody else gets to know."""
    found: list[str] = []
    note = TypedValues.note

    def overheard(self, value):
        found.append(value)
        note(self, value)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TypedValues, "note", overheard)
        yield found


@pytest.fixture(scope="module")
def walked(tmp_path_factory, values):
    """A visit up to a form that is filled in and not sent, and its project; the server is gone since."""
    site, mini = find_chain("mini", CHAIN).site, item_sites(("mini",))
    ann = Worker(name="ann", role="annotator")
    given = {"source": mini.source, "source_sha256": mini.sha256, "seed": 0, "passes": 1, "repeats": 0}
    project = create_project(
        tmp_path_factory.mktemp("p") / "labels", draw_plan("sites", [site.site_id], [ann], **given)
    )
    desk = VisitDesk(project.folder, "ann")
    (task,) = project.plan.tasks
    visit = desk.visit(task.task_id, task.item_id, site)
    for action, target in WAY:
        visit.act(BrowserAction(action=action, element_id=target), visit.step)
    yield project, visit, list(values)
    desk.close()


def test_typed_values_are_kept_by_length_and_hash_only(walked):
    project, visit, values = walked
    assert len(values) == 3
    kept = [(each.step, each.length, each.sha256) for each in visit.snapshot().inputs]
    wanted = [(3 + i, len(value), hashlib.sha256(value.encode()).hexdigest()) for i, value in enumerate(values)]
    assert kept == wanted
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".open", ".webp"}
    for path in files:
        assert not any(value.encode() in path.read_bytes() for value in values), path


def test_a_view_and_its_picture_are_of_the_same_page(walked):
    _, visit, _ = walked
    view = visit.view()
    assert view.viewport == human_config().viewport
    with Image.open(io.BytesIO(visit.picture(view.step))) as image:
        assert image.size == view.viewport
        pixels = np.asarray(image.convert("RGB"))
    for element in view.elements:
        assert element.box is not None
    box = next(e.box for e in view.elements if e.element_id == "e5")
    top = int(box.y) - view.scroll_y
    shown = pixels[top : top + int(box.height), int(box.x) : int(box.x + box.width)]
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 1, "a box that is checked is drawn where it is said to be"


def test_after_a_kill_the_visit_goes_on_and_a_program_can_play_it_again(walked, tmp_path, monkeypatch):
    project, before, _ = walked
    desk = VisitDesk(project.folder, "ann")
    (task,) = project.plan.tasks
    try:
        visit = desk.visit(task.task_id, task.item_id, find_chain("mini", CHAIN).site)
        assert visit.view() == before.view()
        assert (visit.pages, visit.snapshot()) == (before.pages, before.snapshot())
        sent = visit.act(BrowserAction(action="click", element_id="e6"), visit.step)
        line = next(i for i, line in enumerate(sent.lines) if "登记号" in line.text)
        citation = cited(visit, sent.step, line=line)
        around = visit.pin(sent.step, region=Region(**sent.lines[line].box.model_dump()))
        assert around.quote == citation.quote
        answer = SiteAnswer(
            environment_status="COMPLETE",
            decision="NON_VIOLATION",
            primary_violation_type="NONE",
            evidence_anchor_types=(citation.anchor_type,),
            confidence=4,
            evidence=(citation,),
        )
        kept = desk.keep(task.task_id, answer.report(), seconds=61.0)
        with project.writer("ann") as log:
            log.append(unsealed(project.plan, task, answer, visit=kept, seconds=61.0))
    finally:
        desk.close()
    write_human_runs(project, tmp_path / "runs/people")
    monkeypatch.chdir(tmp_path)
    played = {}
    exec(documented("RunFolder.open"), played)
    observation, action = played["pairs"][0]
    assert observation["screenshot"].shape == (768, 1024, 3)
    assert action == '{"action":"submit","element_id":"e1"}'
    assert len(played["pairs"]) == len(WAY) + 3, "every action, the click, stop and the report"
    assert played["terminated"]
    assert played["person"].pages.keys() == visit.snapshot().trajectory.pages.keys()


def documented(word):
    """Return the snippet of docs/labels.md that has a word in it, as it stands."""
    text = (Path(__file__).parents[2] / "docs/labels.md").read_text(encoding="utf-8")
    (snippet,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if word in block]
    return snippet
