"""Unsent forms: whole after any crash, and no tab overwrites what it has not seen."""

from __future__ import annotations

import json
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.labels.drafts import Draft, DraftBox, StaleDraftError


@pytest.fixture
def box(tmp_path: Path) -> DraftBox:
    return DraftBox(tmp_path, "ann")


def test_a_form_is_there_again_after_a_restart(box: DraftBox, tmp_path: Path) -> None:
    assert box.read() is None
    box.save("t1", {"note": "half a"}, revision=0, tab="one")
    saved = box.save("t1", {"note": "half a sentence"}, revision=1, tab="one")
    assert saved == Draft(task_id="t1", revision=2, tab="one", form={"note": "half a sentence"})
    assert DraftBox(tmp_path, "ann").read() == saved
    assert DraftBox(tmp_path, "bob").read() is None, "everybody has a place of their own"


def test_a_tab_that_has_not_seen_the_last_form_is_told(box: DraftBox) -> None:
    first = box.save("t1", {"note": "a"}, revision=0, tab="one")
    second = box.save("t1", {"note": "b"}, revision=first.revision, tab="two")
    for revision in (0, first.revision, second.revision + 1):
        with pytest.raises(StaleDraftError) as caught:
            box.save("t1", {"note": "c"}, revision=revision, tab="one")
        assert caught.value.current == second
    assert box.read() == second
    assert box.save("t1", {"note": "c"}, revision=second.revision, tab="one").form == {"note": "c"}


def test_a_tab_of_long_ago_never_passes_for_a_current_one(box: DraftBox) -> None:
    old = box.save("t1", {"note": "old"}, revision=0, tab="one")
    box.clear("t1")
    assert box.read() is None
    again = box.save("t1", {"note": "reopened"}, revision=0, tab="two")
    assert again.revision > old.revision
    with pytest.raises(StaleDraftError):
        box.save("t1", {"note": "old"}, revision=old.revision, tab="one")
    assert box.read() == again


def test_the_form_of_another_task_gives_way_and_is_not_cleared_by_name(box: DraftBox) -> None:
    box.save("t1", {}, revision=0, tab="one")
    second = box.save("t2", {"note": "b"}, revision=0, tab="one")
    box.clear("t1")
    assert box.read() == second


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(form=st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_any_form_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, form: dict[str, object]) -> None:
    folder = tmp_path_factory.mktemp("any")
    DraftBox(folder, "ann").save("t1", form, revision=0, tab="one")
    found = DraftBox(folder, "ann").read()
    assert found is not None
    assert found.form == form


def test_half_a_character_is_kept(box: DraftBox) -> None:
    box.save("t1", {"note": "\ud83d"}, revision=0, tab="\ud83d")
    found = box.read()
    assert found is not None
    assert found.form == {"note": "\ud83d"}


OUTSIDE = '{"draft": {"task_id": "../../x", "revision": 1, "form": {"note": "a"}}}'
DAMAGE = ["", "{", "[]", '{"last": -1}', '{"draft": {"task_id": 1}}', '{"later": 1}', "[" * 100_000, "\ud83d", OUTSIDE]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage[:24])
def test_a_damaged_file_is_set_aside_and_told_of_and_the_form_begins_empty(
    box: DraftBox, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    path = tmp_path / "drafts" / "ann.json"
    path.parent.mkdir()
    for place in ("ann.json.damaged", "ann.json.damaged.1"):
        path.write_bytes(damage.encode("utf-8", "surrogatepass"))
        assert box.read() is None
        assert path.with_name(place).read_bytes() == damage.encode("utf-8", "surrogatepass")
        assert f"{path} cannot be read: it is {place} now" in caplog.messages[-1]
    assert box.save("t1", {"note": "a"}, revision=0, tab="one").form == {"note": "a"}
    assert len(caplog.messages) == 2


def test_revisions_do_not_come_again_after_damage(box: DraftBox, tmp_path: Path) -> None:
    old = box.save("t1", {"note": "old"}, revision=0, tab="one")
    (tmp_path / "drafts" / "ann.json").write_bytes(b"")
    new = box.save("t1", {"note": "new"}, revision=0, tab="two")
    assert new.revision > old.revision
    with pytest.raises(StaleDraftError):
        box.save("t1", {"note": "old"}, revision=old.revision, tab="one")


def test_of_saves_at_once_one_wins_and_the_others_are_told(box: DraftBox) -> None:
    box.save("t1", {"tab": None}, revision=0, tab="")

    def save(tab: str) -> Draft | None:
        try:
            return box.save("t1", {"tab": tab}, revision=1, tab=tab)
        except StaleDraftError:
            return None

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(save, map(str, range(24))))
    (winner,) = [result for result in results if result is not None]
    assert box.read() == winner


_FILLING = "填" * 40_000


def _save_for_ever(folder: Path, told: Connection) -> None:
    box = DraftBox(folder, "ann")
    draft = box.read()
    revision = 0 if draft is None else draft.revision
    while True:
        revision = box.save("t1", {"n": revision + 1, "note": _FILLING}, revision=revision, tab="one").revision
        told.send(revision)


def test_a_server_killed_while_it_saves_loses_nothing_it_has_acknowledged(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    box, acknowledged = DraftBox(tmp_path, "ann"), 0
    for saves in (1, 7, 23):
        here, there = spawn.Pipe(duplex=False)
        server = spawn.Process(target=_save_for_ever, args=(tmp_path, there))
        server.start()
        there.close()
        try:
            for _ in range(saves):
                while not here.poll():
                    seen = box.read()
                    assert seen is None or seen.form["note"] == _FILLING, "whole at any moment"
                acknowledged = here.recv()
        finally:
            server.kill()
            server.join()
        try:
            while True:
                acknowledged = here.recv()
        except (EOFError, OSError):
            here.close()
        draft = box.read()
        assert draft is not None
        assert draft.revision in (acknowledged, acknowledged + 1)
        assert draft.form == {"n": draft.revision, "note": _FILLING}
        json.loads((tmp_path / "drafts" / "ann.json").read_bytes())
        acknowledged = draft.revision
