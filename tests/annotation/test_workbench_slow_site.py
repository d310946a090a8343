"""A site that hangs: it holds up browsing and nothing else, costs one deadline, and the visit goes on before it."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from hanging_site import LONG_S, Hanging, hanging_visits
from workbench_kit import ALONE, HARMLESS, make_project, served


@pytest.fixture
def folder(tmp_path):
    make_project(tmp_path / "p", sites=2, workers=ALONE)
    return tmp_path / "p"


@pytest.fixture
def site():
    return Hanging()


@pytest.fixture
def ann(folder, site):
    with served(folder, visits=hanging_visits(folder, site)) as client:
        yield client
        site.is_over.set()


def send(client, view, action, name=None):
    element = next((e["element_id"] for e in view["elements"] if e["name"] == name), None)
    what = {"action": action} | ({"element_id": element} if element else {})
    return client.post("api/visit/act", {"task_id": view["task_id"], "step": view["step"], "action": what})


class Aside(threading.Thread):
    """Asks for something on a thread, for it takes as long as the site."""

    def __init__(self, ask):
        super().__init__()
        self._ask = ask
        self.start()

    def run(self):
        self.answer = self._ask()

    def end(self):
        self.join(LONG_S)
        assert not self.is_alive()
        return self.answer


def test_form_and_pictures_do_not_wait_for_a_site_that_hangs(ann, site):
    form = ann.form(note="vorher")
    view = ann.get("api/visit").json
    task_id = view["task_id"]
    hanging = Aside(lambda: send(ann, view, "click", "公告"))
    assert site.hung.wait(LONG_S)
    assert ann.state()["task"]["task_id"] == task_id
    draft = {"task_id": task_id, "revision": 0, "tab": "one", "form": {**form, "note": "während"}}
    assert ann.post("api/draft", draft).status == 200
    assert ann.state()["task"]["draft"]["form"]["note"] == "während"
    assert ann.get(f"api/thumbnail/{form['pins'][0]['thumbnail']}").status == 200
    assert ann.get(f"api/picture/{task_id}/0").status == 200
    assert hanging.is_alive(), "all that was answered while the site hung"
    site.is_over.set()
    assert hanging.end().status == 503


def test_a_hung_action_is_not_tried_again_and_the_visit_goes_on_before_it(ann, site):
    view = ann.get("api/visit").json
    for action, name in (("click", "查看活动"), ("back", None)):
        view = send(ann, view, action, name).json
    site.is_over.set()
    hung = send(ann, view, "click", "公告")
    assert (hung.status, hung.json["cause"]) == (503, "hung")
    assert "did not answer 'click' in time" in hung.json["message"]
    assert (site.tried, site.opened) == (1, 2)
    assert ann.get("api/visit").json == view, "nothing of it is kept"
    after = send(ann, view, "click", "关于我们")
    assert (after.status, after.json["step"], after.json["path"]) == (200, 3, "/about")
    assert ann.answer()["done"] == 1


def test_where_the_page_before_hangs_as_well_browsing_is_closed_and_the_record_stays(ann, site):
    view = send(ann, ann.get("api/visit").json, "click", "查看活动").json
    view = send(ann, view, "back").json
    site.spins = frozenset({"notice", "to-offer"})
    site.is_over.set()
    hung = send(ann, view, "click", "公告")
    assert (hung.status, hung.json["cause"], site.tried) == (503, "lost", 2)
    now = ann.get("api/visit").json
    assert (now["state"], now["step"]) == ("lost", 2)
    assert ann.get(f"api/picture/{now['task_id']}/2").status == 200
    site.spins = frozenset()
    assert ann.post("api/visit/restart", {"task_id": now["task_id"]}).json["state"] == "open"


def test_a_site_that_hangs_at_once_is_tried_once_and_can_be_answered(ann, site):
    site.opening_spins = True
    refused = ann.get("api/visit")
    assert (refused.status, refused.json["cause"], site.opened) == (503, "deadline", 1)
    answered = ann.submit(
        {**HARMLESS, "environment_status": "INACCESSIBLE", "decision": "INSUFFICIENT_EVIDENCE", "pins": []}
    )
    assert (answered.status, site.opened) == (200, 1), answered.body


def test_what_waits_for_the_site_comes_to_its_turn(ann, site):
    form = ann.form()
    view = ann.get("api/visit").json
    hanging = Aside(lambda: send(ann, view, "click", "公告"))
    assert site.hung.wait(LONG_S)
    sent = {"task_id": view["task_id"], "revision": 0, "tab": "one", "form": form, "seconds": 1}
    waiting = [
        Aside(lambda: ann.post("api/submit", sent)),
        Aside(lambda: ann.post("api/submit", sent)),
        Aside(lambda: ann.get("api/visit")),
        Aside(lambda: ann.post("api/visit/restart", {"task_id": "t-else"})),
    ]
    assert ann.state()["done"] == 0
    site.is_over.set()
    assert hanging.end().status == 503
    assert [each.end().status for each in waiting] == [200, 200, 200, 410]
    assert ann.state()["done"] == 1
