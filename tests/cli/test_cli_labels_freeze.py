"""``riskchain labels import``, ``export`` and ``freeze``, and building a split with frozen labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.benchmark.labels.answers import PairAnswer
from riskchain_gym.benchmark.labels.frozen import read_frozen
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.splits import load_gold, load_manifest, load_public
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.scoring.calibration.anchors import read_anchors
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs
from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.sites.replay.store import load_import

HEADER = "site_id,annotator,layer,decision,primary_violation_type,environment_status,confidence"
VIOLATION = "VIOLATION,PHISHING_CREDENTIAL_THEFT,PARTIAL,4"
NONE = "NON_VIOLATION,NONE,COMPLETE,5"


@pytest.fixture
def sites(here: Path) -> tuple[str, str]:
    """Two imported sites in ``sites/``; their ids."""
    found = []
    for name in ("bank", "shop"):
        (here / f"{name}.html").write_text(f"<html lang=en><title>{name}</title><p>welcome to {name}", encoding="utf-8")
        (here / name).mkdir()
        (here / f"{name}.html").rename(here / name / "index.html")
        assert run("sites", "import", here / name, "--out", here / "sites" / name).exit_code == 0
        found.append(load_import(here / "sites" / name).site_id)
    return found[0], found[1]


@pytest.fixture
def project(here: Path, sites: tuple[str, str]) -> Path:
    """A project in which one site was agreed on and one adjudicated."""
    bank, shop = sites
    rows = [f"{bank},ann,pass,{VIOLATION}", f"{bank},bob,pass,{NONE}", f"{bank},kim,adjudication,{VIOLATION}"]
    rows += [f"{shop},{who},pass,{NONE}" for who in ("ann", "bob")]
    return imported(here, *rows)


def imported(here: Path, *rows: str) -> Path:
    (here / "labels.csv").write_text("\n".join((HEADER, *rows, "")), encoding="utf-8")
    result = run("labels", "import", "labels.csv", "--sites", here / "sites", "--out", here / "project")
    assert result.exit_code == 0, result.output
    return here / "project"


def fill(label: Path, **values: str) -> None:
    text = label.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f'\n{name} = ""', f'\n{name} = "{value}"')
    label.write_text(text, encoding="utf-8")


def build(here: Path, *options: str) -> tuple[str | Path, ...]:
    folders = (here / "sites" / "bank", here / "sites" / "shop")
    return ("build", "imported", *folders, "--labels", here / "gold.json", "--out", here / "split", *options)


def test_from_a_table_to_a_split_whose_gold_people_settled(here: Path, sites: tuple[str, str], project: Path) -> None:
    frozen = run("labels", "freeze", project, "--out", "gold.json")
    assert frozen.exit_code == 0
    assert frozen.stdout == "2 labels: 1 NON_VIOLATION, 1 VIOLATION; 1 human, 1 human+adjudicated.\n"
    for name in ("bank", "shop"):
        fill(here / "sites" / name / "label.toml", depth="D1")
    built = run(*build(here, "--json"))
    assert built.exit_code == 0, built.output
    gold = {chain.site.site_id: chain.site for chain in load_gold(str(here / "split")).values()}
    bank, shop = (gold[site] for site in sites)
    assert (bank.decision, bank.violation_type) == (Decision.VIOLATION, ViolationType.PHISHING_CREDENTIAL_THEFT)
    assert (bank.label_source, bank.environment_status, bank.depth) == (
        "human+adjudicated",
        EnvironmentStatus.PARTIAL,
        "D1",
    )
    assert (shop.label_source, shop.environment_status) == ("human", EnvironmentStatus.COMPLETE)
    assert {site.codebook_version for site in gold.values()} == {CODEBOOK_VERSION}
    of = read_frozen(here / "gold.json").content_sha256
    assert json.loads(built.stdout)["labels_sha256"] == load_manifest(str(here / "split")).labels_sha256 == of
    before = (here / "split" / "gold.jsonl").read_bytes()
    assert run(*build(here)).exit_code == 0
    assert (here / "split" / "gold.jsonl").read_bytes() == before


def test_a_label_file_of_another_mind_stops_the_build(here: Path, sites: tuple[str, str], project: Path) -> None:
    run("labels", "freeze", project, "--out", "gold.json")
    label = here / "sites" / "bank" / "label.toml"
    assert "label.toml: depth: is not filled in, and the frozen label cites nothing that tells it" in refused(
        2, *build(here)
    )
    for name in ("bank", "shop"):
        fill(here / "sites" / name / "label.toml", depth="D3")
    fill(label, decision="VIOLATION", type="PHISHING_CREDENTIAL_THEFT")
    assert run(*build(here)).exit_code == 0, "it says the same"
    fill(label, environment_status="COMPLETE")
    said = refused(2, *build(here))
    assert "label.toml: environment_status: is 'COMPLETE', and the frozen label says PARTIAL: empty the field" in said
    label.unlink()
    assert "label.toml: depth: is not filled in" in refused(2, *build(here))


def test_a_site_without_a_frozen_label_stops_the_build(here: Path, sites: tuple[str, str]) -> None:
    run("labels", "freeze", imported(here, f"{sites[0]},ann,pass,{NONE}"), "--out", "gold.json")
    said = refused(2, *build(here))
    assert "The freeze has no label of 1 of 2 sites" in said
    assert str(here / "sites" / "shop") in said
    assert "--labels belongs to `riskchain build imported`" in refused(
        2, "build", "sites", "--out", "x", "--labels", "gold.json"
    )


def test_what_is_open_is_told_and_partial_leaves_it_out(here: Path, sites: tuple[str, str]) -> None:
    bank, shop = sites
    rows = [f"{bank},ann,pass,{VIOLATION}", f"{bank},bob,pass,{NONE}"]
    folder = imported(here, *rows, *(f"{shop},{who},pass,{NONE}" for who in ("ann", "bob")))
    said = refused(2, "labels", "freeze", folder, "--out", "gold.json")
    assert "1 of 2 items have no settled label (1 waiting for an adjudication)" in said
    assert not (here / "gold.json").exists()
    partial = run("labels", "freeze", folder, "--out", "gold.json", "--partial")
    assert (partial.exit_code, partial.stderr.splitlines()[-2:]) == (
        0,
        ["Left out, for want of a settled label: 1 site.", "Frozen labels: gold.json"],
    )


def test_another_freeze_needs_replace(here: Path, project: Path) -> None:
    run("labels", "freeze", project, "--out", "gold.json")
    before = (here / "gold.json").read_bytes()
    assert run("labels", "freeze", project, "--out", "gold.json").exit_code == 0, "the same one may be written again"
    (here / "project").rename(here / "first")
    other = imported(here, f"{next(iter(Project.open(here / 'first').states()))},ann,pass,{NONE}")
    assert "--replace" in refused(2, "labels", "freeze", other, "--out", "gold.json")
    assert (here / "gold.json").read_bytes() == before
    assert run("labels", "freeze", other, "--out", "gold.json", "--replace").exit_code == 0
    assert len(read_frozen(here / "gold.json").labels) == 1


def test_simulated_answers_are_refused(here: Path) -> None:
    run("labels", "simulate", "--count", "3", "--annotators", "3", "--out", here / "sim")
    said = refused(2, "labels", "freeze", here / "sim", "--out", "gold.json", "--partial")
    assert "simulated answers never become gold" in said
    assert not (here / "gold.json").exists()


def test_an_import_says_what_it_made_of_the_file(here: Path, sites: tuple[str, str]) -> None:
    (here / "labels.csv").write_text(
        f"url,annotator,decision,primary_violation_type,environment_status,confidence,mood\n"
        f"{sites[0]},ann,insufficient evidence,NONE,PARTIAL,4,good\n",
        encoding="utf-8",
    )
    options = ("--sites", here / "sites", "--out", here / "project", "--map", "url=item_id")
    result = run("labels", "import", "labels.csv", *options)
    assert result.stdout == "1 answer of ann about 1 site; passes of each: 1.\n"
    assert result.stderr.splitlines()[-4:] == [
        "The type NONE of INSUFFICIENT_EVIDENCE was read as UNKNOWN in 1 row.",
        "Columns that say nothing of a label were passed over: mood.",
        "Not in the project, for the file has no label of them: 1 site.",
        f"Project: {here / 'project'}",
    ]
    assert "--map is NAME=VALUE, got 'url'" in refused(
        2, "labels", "import", "labels.csv", "--sites", here / "sites", "--out", "x", "--map", "url"
    )


def test_bad_rows_are_listed_without_a_traceback(here: Path, sites: tuple[str, str]) -> None:
    (here / "labels.csv").write_text(f"{HEADER}\n{sites[0]},ann,pass,MAYBE,NONE,COMPLETE,4\n", encoding="utf-8")
    result = run("labels", "import", "labels.csv", "--sites", here / "sites", "--out", here / "project")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "labels.csv: has one fault, so nothing was imported:\n  line 2: decision: cannot be 'MAYBE'" in result.stderr
    assert not (here / "project").exists()


def test_an_export_is_imported_again(here: Path, sites: tuple[str, str], project: Path) -> None:
    assert run("labels", "export", project, "--out", "rows.jsonl").exit_code == 0
    assert run("labels", "import", "rows.jsonl", "--sites", here / "sites", "--out", here / "again").exit_code == 0
    for folder, file in ((project, "a.json"), (here / "again", "b.json")):
        run("labels", "freeze", folder, "--out", file)
    assert read_frozen(here / "a.json").labels == read_frozen(here / "b.json").labels
    (here / "rows.jsonl").write_text("mine\n", encoding="utf-8")
    assert "holds something else" in refused(2, "labels", "export", project, "--out", "rows.jsonl")
    assert "ends in '.xlsx'" in refused(2, "labels", "export", project, "--out", "rows.xlsx")
    assert "leave it out" in refused(2, "labels", "freeze", project, "--out", "c.json", "--key", "k.jsonl")


def test_settled_pairs_become_anchors_that_a_judge_is_calibrated_with(here: Path) -> None:
    drawn = sorted(read_anchors()[:2], key=lambda anchor: anchor.id)
    pairs = [
        PairItem(
            item_id=each.id, cluster=each.cluster, language=each.language, bundle=each.bundle, question=each.question
        )
        for each in drawn
    ]
    (here / "pairs.jsonl").write_bytes(encoded_pairs(pairs))
    people = ("--annotator", "ann", "--annotator", "bob", "--reviewer", "rex", "--coordinator", "kim")
    assert run("labels", "plan", "--pairs", "pairs.jsonl", *people, "--repeats", "0", "--out", "p").exit_code == 0
    project = Project.open(here / "p")
    for task in project.plan.tasks:
        if task.layer == "pass" and task.item_id == drawn[0].id:
            with project.writer(task.worker) as log:
                log.append(unsealed(project.plan, task, PairAnswer(answer="cannot_tell")))
    said = refused(2, "labels", "freeze", here / "p", "--out", "anchors.jsonl")
    assert "1 of 2 items have no settled label (1 without any pass)" in said
    result = run("labels", "freeze", here / "p", "--out", "anchors.jsonl", "--partial")
    assert result.stdout == "1 anchor: 1 cannot_tell.\n"
    (anchor,) = read_anchors(here / "anchors.jsonl")
    assert (anchor.id, anchor.source, anchor.reference) == (drawn[0].id, "human", Answer.CANNOT_TELL)
    assert {annotation.annotator for annotation in anchor.annotators} == {"ann", "bob"}
    (here / "anchors.jsonl").write_text("mine\n", encoding="utf-8")
    said = refused(2, "labels", "freeze", here / "p", "--out", "anchors.jsonl", "--partial")
    assert "holds something else" in said
    refused(2, "labels", "freeze", here / "p", "--out", "anchors.jsonl", "--partial", "--replace")
    assert (here / "anchors.jsonl").read_text(encoding="utf-8") == "mine\n", "what is no anchors is never replaced"
    said = refused(2, "labels", "freeze", here / "p", "--out", "x.jsonl", "--partial", "--codebook", "2030-01-01.v9")
    assert f"give --codebook {CODEBOOK_VERSION}" in said
    assert "of pairs, and labels of sites are exported" in refused(2, "labels", "export", here / "p", "--out", "x.csv")


def test_a_column_that_is_missing_is_one_sentence_and_only_who_answered_is_named(
    here: Path, sites: tuple[str, str]
) -> None:
    rows = [f"{item},{who},pass,{NONE}" for item in sites for who in ("amy", "ben")]
    (here / "rows.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    (here / "who.csv").write_text("\n".join([HEADER.replace("annotator", "who"), *rows, ""]), encoding="utf-8")
    options = ("--sites", here / "sites", "--out", here / "work", "--coordinator", "kim")
    said = refused(2, "labels", "import", here / "who.csv", *options)
    assert said.count("\n") == 0
    assert "no column is `annotator`; the columns are site_id, who, layer, " in said
    assert "use --map COLUMN=FIELD" in said
    told = run("labels", "import", here / "who.csv", *options, "--map", "who=annotator")
    assert told.stdout.startswith("4 answers of amy, ben about 2 sites")
    assert "riskchain annotate" in run("labels", "plan", *plan_of_imports(), "--out", "plan").stdout
    for shown in (run("labels", "status", "plan"), run("labels", "status", "plan", "--full")):
        assert "riskchain annotate plan --annotator NAME --sites FOLDER" in " ".join(shown.stdout.split())


def plan_of_imports() -> tuple[str, ...]:
    return ("--sites", "sites", "--annotator", "amy", "--passes", "1")


def test_which_id_is_which_site_is_listed_by_its_public_data(here: Path, sites: tuple[str, str]) -> None:
    listed = json.loads(run("labels", "items", "--sites", "sites", "--json").stdout)
    assert [each["item_id"] for each in listed] == sorted(sites)
    assert {(each["title"], each["language"], each["folder"]) for each in listed} == {
        ("bank", "en", "sites/bank"),
        ("shop", "en", "sites/shop"),
    }
    mini = json.loads(run("labels", "items", "--sites", "mini", "--json").stdout)
    known = {chain.site.site_id: chain for chain in load_public("mini")}
    assert [each["item_id"] for each in mini] == sorted(known)
    first = known[mini[0]["item_id"]]
    assert first.chain_id in mini[0]["chains"]
    assert mini[0]["operator"] == getattr(first.site, "operator", None)
    assert mini[0].keys() == {"item_id", "language", "title", "operator", "chains", "folder"}, "and no label"
    assert sites[0] in run("labels", "items", "--sites", "sites").stdout
