"""Labels of other tools: what is read kindly, what is refused and how it is told, and that what is written is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from frozen_cases import FRAUD, GAMBLING, says

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.exporting import export_labels
from riskchain_gym.benchmark.labels.freeze import freeze_labels
from riskchain_gym.benchmark.labels.importing import ImportedLabels, import_labels
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.rows import LabelRowsError
from riskchain_gym.benchmark.labels.sources import ItemSites, item_sites
from riskchain_gym.benchmark.labels.state import queue
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.protocol.codebook import AnchorType, Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.report import Citation

HEADER = "item_id,annotator,decision,primary_violation_type,environment_status,confidence"
NONE = "NON_VIOLATION,NONE,COMPLETE,4"


@pytest.fixture(scope="module")
def sites() -> ItemSites:
    return item_sites(["mini"])


@pytest.fixture(scope="module")
def ids(sites: ItemSites) -> list[str]:
    return list(sites)


def table(folder: Path, *lines: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def imported(path: Path, sites: ItemSites, **options: object) -> ImportedLabels:
    return import_labels(path, sites, path.parent / "project", **options)  # type: ignore[arg-type]


def answers(project: Project) -> dict[str, SiteAnswer]:
    return {event.item_id: event.answer for event in project.events() if isinstance(event.answer, SiteAnswer)}


def test_two_passes_of_two_sites_become_a_project_that_can_be_frozen(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    rows = [f"{item},{who},{NONE}" for item in ids[:2] for who in ("ann", "bob")]
    made = imported(table(tmp_path, HEADER, *rows), sites)
    plan = made.project.plan
    assert (plan.seed, plan.passes, plan.items, plan.source) == (None, 2, tuple(ids[:2]), "mini")
    assert [(worker.name, worker.role) for worker in plan.workers] == [("ann", "annotator"), ("bob", "annotator")]
    assert (made.rows, made.unlabelled, made.ignored, made.incomplete) == (4, len(ids) - 2, (), ())
    frozen = freeze_labels(plan, made.project.events())
    assert [(label.item_id, label.decision) for label in frozen.labels] == [
        (item, Decision.NON_VIOLATION) for item in ids[:2]
    ]
    assert Project.open(tmp_path / "project").states().keys() == set(ids[:2])


def test_the_same_file_gives_the_same_bytes(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        imported(table(tmp_path / name, HEADER, f"{ids[0]},ann,{NONE}"), sites)
    assert {event.at for event in Project.open(tmp_path / "a" / "project").events()} == {""}, "nobody said when"
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert Path("project/logs/ann.jsonl") in files
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_what_cannot_be_mistaken_is_read(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    chain = next(chain for chain in load_public("mini") if chain.site.site_id == ids[2])
    lines = [
        (
            "\ufeffSite ID , Annotator,DECISION,primary violation type,environment-status,confidence,"
            "secondary_violation_types,evidence_anchor_types,note,Seconds,Score"
        ),
        f'{ids[0]},ann, non violation ,, complete,5,,visible-text-or-claim,"two\r\nlines, and ""quotes""",7.5,x',
        "",
        f"{ids[1]},ann,Insufficient-Evidence,none,Partial,1.0,,,,,",
        (
            f" {chain.chain_id} ,ann,violation,gambling betting promotion,COMPLETE,3,"
            "fraud_deceptive_inducement | PHISHING_CREDENTIAL_THEFT,OTHER_OBSERVED_EVIDENCE|VISIBLE_TEXT_OR_CLAIM,,,"
        ),
    ]
    path = tmp_path / "labels.csv"
    path.write_bytes("\r\n".join(lines).encode())
    made = imported(path, sites)
    found = answers(made.project)
    assert (found[ids[0]].note, found[ids[0]].primary_violation_type) == (
        'two\r\nlines, and "quotes"',
        ViolationType.NONE,
    )
    assert (found[ids[1]].primary_violation_type, found[ids[1]].confidence) == (ViolationType.UNKNOWN, 1)
    assert found[ids[2]].secondary_violation_types == (FRAUD, ViolationType.PHISHING_CREDENTIAL_THEFT)
    assert found[ids[2]].evidence_anchor_types == (
        AnchorType.VISIBLE_TEXT_OR_CLAIM,
        AnchorType.OTHER_OBSERVED_EVIDENCE,
    )
    assert [event.seconds for event in made.project.events()] == [7.5, None, None]
    assert (made.unknown_for_none, made.ignored) == (1, ("Score",))


def test_json_lines_are_read_as_well(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    citation = {"step": 1, "anchor_type": "VISIBLE_TEXT_OR_CLAIM", "quote": "赢"}
    row = {"item_id": ids[0], "annotator": "ann", "decision": "violation", "primary_violation_type": str(GAMBLING)}
    row |= {"environment_status": "COMPLETE", "confidence": 2, "secondary_violation_types": [str(FRAUD)]}
    row |= {"evidence": [citation], "note": None}
    found = answers(imported(table(tmp_path, json.dumps(row), name="labels.jsonl"), sites).project)[ids[0]]
    assert (found.confidence, found.secondary_violation_types) == (2, (FRAUD,))
    assert found.evidence == (Citation.model_validate(citation),)
    assert found.evidence_anchor_types == (AnchorType.VISIBLE_TEXT_OR_CLAIM,), "they are the kinds of the evidence"


def test_columns_of_other_names_are_mapped_and_empty_fields_filled(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    path = table(tmp_path, "url,who,label", f"{ids[0]},ann,NON_VIOLATION")
    made = imported(
        path,
        sites,
        columns={"url": "item_id", "who": "annotator", "label": "decision"},
        fill={"environment_status": "COMPLETE", "confidence": "3"},
    )
    assert answers(made.project)[ids[0]].confidence == 3


def test_every_bad_row_is_told_and_nothing_is_written(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    path = table(
        tmp_path,
        HEADER.replace("decision", "verdict"),
        f"nowhere,ann,{NONE}",
        f"{ids[0]},Anna Smith,MAYBE,NONE,COMPLETE,9",
        f"{ids[0]},bob,VIOLATION,NONE,,4",
        f"{ids[0]},bob,NON_VIOLATION,UNKNOWN,COMPLETE,4",
    )
    with pytest.raises(LabelRowsError) as caught:
        imported(path, sites, columns={"verdict": "decision"})
    assert [(fault.line, fault.column) for fault in caught.value.faults] == [
        (2, "item_id"),
        (3, "annotator"),
        (3, "verdict"),
        (3, "confidence"),
        (4, "environment_status"),
        (5, "primary_violation_type"),
    ]
    told = str(caught.value)
    assert told.startswith(f"{path}: has 6 faults, so nothing was imported:\n")
    assert "line 2: item_id: 'nowhere' is none of the sites, whose ids are like " in told
    assert "line 3: verdict: cannot be 'MAYBE', give one of VIOLATION, NON_VIOLATION, INSUFFICIENT_EVIDENCE" in told
    assert "line 3: annotator: 'Anna Smith' cannot name files" in told
    assert "line 4: environment_status: is empty, and every row needs it" in told
    assert "line 5: primary_violation_type: NON_VIOLATION goes with NONE only" in told
    assert not (tmp_path / "project").exists()


def test_the_first_twenty_faults_are_named_and_the_rest_counted(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    path = table(tmp_path, HEADER, *(f"{ids[0]},a{n},MAYBE,NONE,COMPLETE,4" for n in range(25)))
    with pytest.raises(LabelRowsError) as caught:
        imported(path, sites)
    told = str(caught.value).splitlines()
    assert (len(told), told[-2].split(":")[0], told[-1]) == (22, "  line 21", "  … and 5 more")


X = "{item}"
CELLS: list[tuple[str, str]] = [
    (f"{X},ann,VIOLATION,,COMPLETE,4", "primary_violation_type: is empty, and a VIOLATION needs one of the nine"),
    (f"{X},ann,VIOLATION,UNKNOWN,COMPLETE,4", "primary_violation_type: VIOLATION needs one of the nine concrete types"),
    (f"{X},ann,VIOLATION,OTHER_PROHIBITED_ACTIVITY,COMPLETE,4", "note: OTHER_PROHIBITED_ACTIVITY needs a note"),
    (f"{X},ann,NON_VIOLATION,NONE,FINE,4", "environment_status: cannot be 'FINE', give one of COMPLETE, PARTIAL"),
    (f"{X},ann,NON_VIOLATION,NONE,COMPLETE,2.5", "confidence: cannot be '2.5', give a whole number from 1"),
    (f"{X},ann,NON_VIOLATION,NONE,COMPLETE,nan", "confidence: cannot be 'nan', give a whole number from 1"),
    (f"{X},../ann,NON_VIOLATION,NONE,COMPLETE,4", "annotator: '../ann' cannot name files"),
    (f"{X},ann,NON_VIOLATION,NONE,COMPLETE,4,5", "has 7 cells, and the header names 6 columns"),
]


@pytest.mark.parametrize(("row", "said"), CELLS)
def test_a_row_against_the_codebook_is_refused(
    tmp_path: Path, sites: ItemSites, ids: list[str], row: str, said: str
) -> None:
    with pytest.raises(LabelRowsError) as caught:
        imported(table(tmp_path, HEADER, row.format(item=ids[0])), sites)
    assert f"line 2: {said}" in str(caught.value)


LAYERED = f"layer,{HEADER}"
CLASHES: list[tuple[list[str], str]] = [
    ([f"pass,{X},ann,{NONE}", f"pass,{X},ann,{NONE}"], "line 3: layer: is a second pass of '{item}' by 'ann' beside"),
    ([f"pass,{X},ann,{NONE}", f"pass,{X},Ann,{NONE}"], "annotator: 'Ann' is 'ann' (line 2) in other capitals"),
    ([f"pass,{X},ann,{NONE}", f"repeat,{X},bob,{NONE}"], "layer: is a repeat, and 'bob' has no pass of '{item}'"),
    (
        [f"pass,{X},ann,{NONE}", f"review,{X},ann,{NONE}"],
        "layer: is a review by 'ann', who has passed '{item}' already",
    ),
    (
        [f"pass,{X},ann,{NONE}", f"pass,{X},bob,{NONE}", f"adjudication,{X},ann,{NONE}"],
        "line 4: layer: is an adjudication by 'ann', who has passed or reviewed '{item}' already",
    ),
    (
        [f"pass,{X},ann,{NONE}", f"review,{X},rex,{NONE}", f"adjudication,{X},rex,{NONE}"],
        "line 4: layer: is an adjudication by 'rex', who has passed or reviewed '{item}' already",
    ),
    ([f"review,{X},ann,{NONE}", f"review,{X},bob,{NONE}"], "layer: is a second review of '{item}' beside"),
    ([f"second,{X},ann,{NONE}"], "layer: cannot be 'second', give one of pass, repeat, review, adjudication"),
]


@pytest.mark.parametrize(("rows", "said"), CLASHES)
def test_rows_that_do_not_go_together_are_refused(
    tmp_path: Path, sites: ItemSites, ids: list[str], rows: list[str], said: str
) -> None:
    with pytest.raises(LabelRowsError) as caught:
        imported(table(tmp_path, LAYERED, *(row.format(item=ids[0]) for row in rows)), sites)
    assert said.format(item=ids[0]) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("labels.csv", "é".encode("latin-1"), "is not UTF-8 (byte 1 is 0xe9): save it as UTF-8"),
        ("labels.csv", HEADER.encode("utf-16"), "is not UTF-8 (byte 1 is 0xff): save it as UTF-8"),
        ("labels.csv", b"", "holds no row"),
        ("labels.csv", HEADER.encode(), "holds no row"),
        ("labels.csv", b"item_id;annotator\nx;y\n", "line 1: is separated by ';': separate the columns by commas"),
        ("labels.csv", b'item_id,annotator\n"x', "line 2: is no CSV"),
        ("labels.csv", b"decision,decision\na,b\n", "names the column 'decision' more than once"),
        ("labels.csv", b"item_id,site_id\na,b\n", "'item_id' and 'site_id' both hold item_id"),
        ("labels.jsonl", b"[1]\n{\n", "line 1: is no JSON object, it begins '[1]'\n  line 2: is no JSON ("),
        ("labels.jsonl", b'{"note":NaN}', "NaN is no number of JSON"),
        ("labels.jsonl", b'{"note":"a","note":"b"}', "'note' is named more than once"),
        ("labels.jsonl", b"[" * 100_000, "line 1: is no JSON ("),
        ("labels.xlsx", b"", "ends in '.xlsx': labels are read and written as .csv or .jsonl"),
    ],
)
def test_a_file_that_holds_no_rows_is_refused_in_a_sentence(
    tmp_path: Path, sites: ItemSites, name: str, data: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises((InputFileError, ConfigError)) as caught:
        imported(tmp_path / name, sites)
    assert said in str(caught.value)
    assert not (tmp_path / "project").exists()


def test_options_that_do_not_fit_are_refused(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    path = table(tmp_path, HEADER, f"{ids[0]},ann,{NONE}")
    for options, said in (
        ({"columns": {"item_id": "url"}}, "--map: there is no field 'url'"),
        ({"columns": {"url": "item_id"}}, "--map: the file has no column 'url'"),
        ({"columns": {"item_id": "note", "annotator": "note"}}, "--map: several columns are note"),
        ({"fill": {"score": "1"}}, "--fill: there is no field 'score'"),
        ({"coordinator": "Ann"}, "--coordinator: 'ann' has labelled sites in the file"),
        ({"coordinator": "a b"}, "--coordinator: 'a b' cannot name files"),
    ):
        with pytest.raises(ConfigError) as caught:
            imported(path, sites, **options)
        assert said in str(caught.value)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"holds 'mine\.txt': give an empty folder"):
        imported(path, sites)


def test_sites_with_fewer_passes_are_named_and_with_partial_their_passes_are_asked_for(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    path = table(tmp_path, HEADER, f"{ids[0]},ann,{NONE}", f"{ids[0]},bob,{NONE}", f"{ids[1]},bob,{NONE}")
    with pytest.raises(ConfigError, match=rf"1 of 2 sites have fewer passes than the others: {ids[1]} \(1\)"):
        imported(path, sites)
    project = imported(path, sites, partial=True).project
    assert [(task.item_id, task.layer) for task in queue(project.plan, project.events(), "ann")] == [(ids[1], "pass")]
    frozen = freeze_labels(project.plan, project.events(), partial=True)
    assert ([label.item_id for label in frozen.labels], frozen.left_out) == ([ids[0]], 1)


def test_a_missing_pass_is_never_asked_of_somebody_who_has_seen_the_item(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    rows = [f"pass,{ids[0]},ann,{NONE}", f"pass,{ids[0]},bob,{NONE}", f"pass,{ids[1]},ann,{NONE}"]
    path = table(tmp_path, LAYERED, *rows, f"review,{ids[1]},bob,{NONE}")
    with pytest.raises(ConfigError, match=rf"'{ids[1]}' has 1 of 2 passes, and everybody .* has answered it already"):
        imported(path, sites, partial=True)


def test_a_coordinator_is_asked_about_what_stays_in_dispute(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    rows = [f"{ids[0]},ann,{NONE}", f"{ids[0]},bob,VIOLATION,{GAMBLING},COMPLETE,4"]
    rows += [f"{ids[1]},{who},{NONE}" for who in ("ann", "bob")]
    project = imported(table(tmp_path, HEADER, *rows), sites, coordinator="kim").project
    (task,) = queue(project.plan, project.events(), "kim")
    assert (task.item_id, task.layer) == (ids[0], "adjudication")
    with project.writer("kim") as log:
        log.append(unsealed(project.plan, task, says(FRAUD)))
    assert freeze_labels(project.plan, project.events()).labels[0].provenance == "human+adjudicated"


def test_one_name_is_a_person_or_a_program(tmp_path: Path, sites: ItemSites, ids: list[str]) -> None:
    rows = [f"{ids[0]},bot,{NONE},true", f"{ids[1]},bot,{NONE},false"]
    with pytest.raises(LabelRowsError, match="line 3: simulated: says of 'bot' what line 2 does not"):
        imported(table(tmp_path, f"{HEADER},simulated", *rows), sites)


def test_answers_of_programs_stay_simulated_through_export_and_import(
    tmp_path: Path, sites: ItemSites, ids: list[str]
) -> None:
    header, row = f"{HEADER},simulated", f"{ids[0]},bot,{NONE},TRUE"
    project = imported(table(tmp_path, header, row), sites).project
    data, _ = export_labels(tmp_path / "out.csv", project.plan, project.events())
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "out.csv").write_bytes(data)
    again = imported(tmp_path / "again" / "out.csv", sites).project
    with pytest.raises(ConfigError, match="simulated answers never become gold"):
        freeze_labels(again.plan, again.events())
