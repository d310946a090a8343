"""Labels of other tools that would pass for what they are not, or that no file could keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskchain_gym.benchmark.labels.cells import ItemNames
from riskchain_gym.benchmark.labels.exporting import export_labels
from riskchain_gym.benchmark.labels.importing import import_labels
from riskchain_gym.benchmark.labels.rows import LabelRowsError
from riskchain_gym.benchmark.labels.simulate import simulate
from riskchain_gym.benchmark.labels.sources import ItemSites, item_sites
from riskchain_gym.protocol.errors import ConfigError

HEADER = "item_id,annotator,decision,primary_violation_type,environment_status,confidence"
NONE = "NON_VIOLATION,NONE,COMPLETE,4"
HALF = "\ud83d"


@pytest.fixture(scope="module")
def sites() -> ItemSites:
    return item_sites(["mini"])


@pytest.fixture(scope="module")
def item(sites: ItemSites) -> str:
    return next(iter(sites))


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of an export of answers that programs gave."""
    folder = tmp_path_factory.mktemp("simulated")
    project = simulate(folder / "project", "mini", annotators=2, count=6)
    data, _ = export_labels(folder / "out.csv", project.plan, project.events())
    return data.decode().splitlines()


def refused(path: Path, sites: ItemSites, *lines: str, **options: object) -> str:
    """Return what an import of these lines is refused with."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with pytest.raises((LabelRowsError, ConfigError)) as caught:
        import_labels(path, sites, path.parent / "project", **options)  # type: ignore[arg-type]
    assert not (path.parent / "project").exists()
    return str(caught.value)


@pytest.mark.parametrize("name", ["sim_flag", "Simulation", " SIM "])
def test_a_column_that_may_say_simulated_is_not_passed_over(
    tmp_path: Path, sites: ItemSites, simulated: list[str], name: str
) -> None:
    lines = [simulated[0].replace("simulated", name), *simulated[1:]]
    told = refused(tmp_path / "labels.csv", sites, *lines)
    assert f"The column '{name.strip()}' is no field and may say which answers a program gave" in told
    assert f"--map '{name.strip()}=simulated'" in told
    mapped = import_labels(tmp_path / "labels.csv", sites, tmp_path / "project", columns={name.strip(): "simulated"})
    assert all(worker.simulated for worker in mapped.project.plan.workers)


@pytest.mark.parametrize("said", ["renamed", "false"])
def test_the_note_of_a_program_is_not_taken_from_a_person(
    tmp_path: Path, sites: ItemSites, simulated: list[str], said: str
) -> None:
    lines = [simulated[0].replace("simulated", "by_machine" if said == "renamed" else "simulated"), *simulated[1:]]
    if said == "false":
        lines = [line.replace(",true", ",false") for line in lines]
    told = refused(tmp_path / "labels.csv", sites, *lines)
    assert f"has {len(simulated) - 1} faults" in told
    assert "line 2: note: says that a program answered" in told


@pytest.mark.parametrize("at", ["2026-01-31T12:00:00Z", " 2026-01-31T12:00:00.250Z ", ""])
def test_utc_time_is_read(tmp_path: Path, sites: ItemSites, item: str, at: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"{HEADER},at\n{item},ann,{NONE},{at}\n", encoding="utf-8")
    made = import_labels(path, sites, tmp_path / "project")
    assert [event.at for event in made.project.events()] == [at.strip()]


@pytest.mark.parametrize(
    "at",
    [
        "yesterday",
        "2026-01-31",
        "2026-01-31 12:00:00Z",
        "2026-01-31T12:00:00+01:00",
        "2026-02-30T12:00:00Z",
        "2026-01-31T12:00:00Z" * 9,
        "２０２６-01-31T12:00:00Z",
    ],
)
def test_any_other_time_is_refused(tmp_path: Path, sites: ItemSites, item: str, at: str) -> None:
    told = refused(tmp_path / "labels.csv", sites, f"{HEADER},at", f"{item},ann,{NONE},{at}")
    assert f"line 2: at: cannot be '{at[:20]}" in told
    assert told.endswith("give UTC time as 2026-01-31T12:00:00Z")


ROW = {"annotator": "ann", "decision": "NON_VIOLATION", "environment_status": "COMPLETE", "confidence": 4}
CITED = {"step": 0, "anchor_type": "VISIBLE_TEXT_OR_CLAIM", "quote": HALF}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((name, HALF) for name in ("item_id", "annotator", "decision", "layer", "note", "at", "seconds", "simulated")),
        ("evidence_anchor_types", [HALF]),
        ("evidence", [CITED]),
        ("counterevidence", json.dumps([CITED])),
    ],
)
def test_half_a_character_is_a_fault_of_its_cell(
    tmp_path: Path, sites: ItemSites, item: str, column: str, value: object
) -> None:
    told = refused(tmp_path / "labels.jsonl", sites, "", json.dumps({"item_id": item, **ROW, column: value}))
    assert f"line 2: {column}: holds half a character" in told
    assert told.encode(), "the message can be printed"


def test_half_a_character_in_other_places_is_refused(tmp_path: Path, sites: ItemSites, item: str) -> None:
    cited = json.dumps([CITED]).replace('"', '""')
    told = refused(tmp_path / "labels.csv", sites, f"{HEADER},evidence", f'{item},ann,{NONE},"{cited}"')
    assert "line 2: evidence: holds half a character" in told
    for named in ({HALF: 1}, {"evidence": [{HALF: 1}]}):
        told = refused(tmp_path / "labels.jsonl", sites, json.dumps({"item_id": item, **ROW, **named}))
        assert "line 1: is no JSON (the name '\\ud83d' holds half a character)" in told
    told = refused(tmp_path / "labels.csv", sites, HEADER, f"{item},ann,{NONE}", fill={"note": "\udcff"})
    assert "line 2: note: holds half a character" in told


def test_the_names_of_items_are_gathered_once() -> None:
    class Counted(dict[str, str]):
        gathered = 0

        def values(self):  # type: ignore[no-untyped-def]
            Counted.gathered += 1
            return super().values()

    names = ItemNames(Counted({"chain": "site-b", "site-b": "site-b", "site-a": "site-a"}))
    assert {names.some for _ in range(100)} == {"site-a, site-b"}
    assert Counted.gathered == 1
