"""An answer rests on the very visit that it was given after: one that was changed or lost is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from browsed import cited, fake_visits, opened, report_on
from pydantic import ValidationError
from workbench_kit import ALONE, FRAUD, TEAM, make_project, served

from riskchain_gym.annotation.freezing import freeze_project
from riskchain_gym.benchmark.labels.events import Event, VisitFile
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.protocol.errors import InputFileError


def spoil(path: Path, *, missing: bool) -> None:
    """Change or remove a visit."""
    if missing:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(b"COMPLETE", b"PARTIAL"))


def visit_of(folder: Path, worker: str) -> tuple[Path, Event]:
    (event,) = (event for event in Project.open(folder).events() if event.worker == worker)
    return folder / "visits" / worker / event.visit, event


@pytest.mark.parametrize("missing", [False, True])
def test_a_visit_is_read_as_it_was_kept_or_not_at_all(tmp_path: Path, missing: bool) -> None:
    visits = fake_visits(tmp_path)
    visit = opened(visits)
    kept = visits.keep("t1", report_on(cited(visit, 0, line=1)))
    assert visits.store.read(kept).trajectory.report is not None
    spoil(tmp_path / "visits/ann/t1.1.json", missing=missing)
    with pytest.raises(InputFileError, match=r"t1\.1\.json: .*restore it from a copy of the project"):
        visits.store.read(kept)


def test_an_event_names_a_visit_with_its_hash_or_none(tmp_path: Path) -> None:
    make_project(tmp_path / "p", sites=1, workers=ALONE)
    with served(tmp_path / "p") as client:
        client.answer()
    _, event = visit_of(tmp_path / "p", "ann")
    assert event.visit_file == VisitFile(event.visit, event.visit_sha256)
    for changes in ({"visit_sha256": ""}, {"visit": ""}):
        with pytest.raises(ValidationError, match="visit_sha256"):
            Event.model_validate(event.model_dump() | changes)


@pytest.mark.parametrize("missing", [False, True])
def test_the_coordinator_is_shown_no_answer_whose_visit_is_another(tmp_path: Path, missing: bool) -> None:
    make_project(tmp_path / "p", sites=1, workers=TEAM)
    for name, more in (("ann", {}), ("bob", FRAUD), ("rev", FRAUD)):
        with served(tmp_path / "p", name) as client:
            client.answer(**more)
    path, _ = visit_of(tmp_path / "p", "bob")
    whole = path.read_bytes()
    spoil(path, missing=missing)
    with served(tmp_path / "p", "cord") as client:
        refused = client.get("api/state")
        assert (refused.status, refused.json["cause"]) == (503, "damaged")
        assert path.name in refused.json["message"]
        assert "bob" not in refused.json["message"]
        path.write_bytes(whole)
        assert len(client.state()["task"]["answers"]) == 3


@pytest.mark.parametrize("missing", [False, True])
def test_an_answer_whose_visit_is_another_is_neither_taken_back_nor_frozen(tmp_path: Path, missing: bool) -> None:
    make_project(tmp_path / "p", sites=1, workers=ALONE)
    with served(tmp_path / "p") as client:
        client.answer()
        path, _ = visit_of(tmp_path / "p", "ann")
        spoil(path, missing=missing)
        refused = client.post("api/undo", {})
        assert (refused.status, refused.json["cause"]) == (503, "damaged")
        assert path.name in refused.json["message"]
    project = Project.open(tmp_path / "p")
    assert [event.kind for event in project.events()] == ["answered"]
    with pytest.raises(InputFileError, match=path.name):
        freeze_project(project)
