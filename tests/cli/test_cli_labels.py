"""``riskchain labels plan`` and ``status``: a project from its plan to the last verdict, by its words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.state import queue
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision, EnvironmentStatus

PEOPLE = ("--annotator", "ann", "--annotator", "bob", "--reviewer", "rex", "--coordinator", "kim")
PLAN = ("labels", "plan", "--sites", "mini", *PEOPLE, "--limit", "4", "--repeats", "0.25")


@pytest.fixture
def project(here: Path) -> Project:
    assert run(*PLAN, "--out", "work").exit_code == 0
    return Project.open(Path("work"))


def answer_all(project: Project, worker: str, decision: Decision) -> None:
    answer = SiteAnswer(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=PSEUDO_TYPES[decision],
        confidence=4,
    )
    with project.writer(worker) as log:
        for task in queue(project.plan, project.events(), worker):
            log.append(unsealed(project.plan, task, answer))


def test_a_plan_is_drawn_and_told(here: Path) -> None:
    result = run(*PLAN, "--out", "work")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "4 sites; tasks to begin with: ann 5, bob 5. Each of them now starts",
        "riskchain annotate work --annotator NAME",
    ]
    plan = Project.open(Path("work")).plan
    assert (len(plan.items), plan.source, plan.passes, plan.seed) == (4, "mini", 2, 0)
    assert set(plan.clusters) == set(plan.items)
    assert sorted(path.name for path in Path("work").iterdir()) == ["plan.json"]


def test_the_same_plan_again_changes_nothing_and_another_is_refused(project: Project) -> None:
    answer_all(project, "ann", Decision.NON_VIOLATION)
    before = {path: path.read_bytes() for path in Path("work").rglob("*") if path.is_file()}
    again = run(*PLAN, "--out", "work")
    assert again.exit_code == 0
    assert "holds this very plan already: nothing was changed" in again.stderr
    assert "a plan is never changed: give another folder" in refused(2, *PLAN, "--seed", "1", "--out", "work")
    assert {path: path.read_bytes() for path in Path("work").rglob("*") if path.is_file()} == before


def test_one_person_alone_is_planned_without_others(here: Path) -> None:
    result = run("labels", "plan", "--sites", "mini", "--annotator", "ann", "--passes", "1", "--repeats", "0")
    assert result.exit_code == 0
    assert result.stdout.startswith("24 sites; tasks to begin with: ann 24.")
    assert Path("runs/labels/plan.json").is_file()


REFUSED = [
    (("--sites", "mini"), "Each pass of an item is by another annotator: 2 cannot be had of 0"),
    (("--sites", "mini", "--annotator", "ann", "--annotator", "bob"), "nobody is left to review"),
    (("--sites", "mini", *PEOPLE, "--coordinator", "kay"), "One coordinator settles what stays in dispute, got 2"),
    (("--sites", "mini", *PEOPLE, "--coordinator", "ann"), "'ann' is named more than once"),
    (("--sites", "mini", *PEOPLE, "--annotator", "../x"), "'../x' cannot name files"),
    (("--sites", "mini", *PEOPLE, "--repeats", "2"), "repeats must be a share from 0 to 0.5, got 2"),
    (("--sites", "nowhere", *PEOPLE), "There is no split 'nowhere'"),
    (PEOPLE, "No sites are given"),
    (("--sites", "mini", "--pairs", "pairs.jsonl", *PEOPLE), "give --sites or --pairs, and not both"),
    (("--pairs", "pairs.jsonl", *PEOPLE), "pairs.jsonl: cannot be read"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_what_cannot_be_planned_is_a_sentence_and_leaves_nothing(
    here: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in refused(2, "labels", "plan", *options, "--out", "work")
    assert not Path("work").exists()


def told(*options: str) -> dict[str, object]:
    """Return the full status as JSON."""
    result = run("labels", "status", "work", "--full", "--json", *options)
    assert result.exit_code == 0
    assert "This is for the coordinator" in result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def full() -> str:
    """Return the full status in words."""
    return run("labels", "status", "work", "--full").stdout


def test_the_status_follows_a_project_to_its_end(project: Project) -> None:
    assert "Next: ann, bob each go on with  riskchain annotate work" in full()
    answer_all(project, "ann", Decision.NON_VIOLATION)
    answer_all(project, "bob", Decision.INSUFFICIENT_EVIDENCE)
    status = told()
    assert status["items_by_status"] == {"open": 0, "passed": 0, "to_review": 4, "to_adjudicate": 0, "settled": 0}
    assert (status["disagreements"], status["open_disagreements"]) == (4, 4)
    page = full()
    assert "4 in which passes differ, 4 of them open" in page
    assert "Next: rex each go on" in page
    answer_all(project, "rex", Decision.NON_VIOLATION)
    answer_all(project, "kim", Decision.NON_VIOLATION)
    status = told()
    assert (status["disagreements"], status["open_disagreements"]) == (4, 0)
    page = full()
    assert "4 items: 4 settled; 4 in which passes differ, 0 of them open" in page
    assert "Next: riskchain labels agreement work  and then  riskchain labels freeze work --out" in page


def test_a_dispute_that_the_plan_cannot_settle_is_told(project: Project) -> None:
    only_passes = tuple(task for task in project.plan.tasks if task.layer == "pass")
    other = create_project(Path("other"), project.plan.model_copy(update={"tasks": only_passes}))
    answer_all(other, "ann", Decision.NON_VIOLATION)
    answer_all(other, "bob", Decision.INSUFFICIENT_EVIDENCE)
    page = run("labels", "status", "other", "--full").stdout
    assert "the plan has no task that would settle the 4 open items:  riskchain labels freeze other" in page


def test_the_status_for_everybody_is_the_same_whether_passes_differ_or_not(project: Project) -> None:
    other = create_project(Path("other"), project.plan)
    for each, decision in ((project, Decision.NON_VIOLATION), (other, Decision.INSUFFICIENT_EVIDENCE)):
        answer_all(each, "ann", Decision.NON_VIOLATION)
        answer_all(each, "bob", decision)
    assert [project.states().popitem()[1].status, other.states().popitem()[1].status] == ["settled", "to_review"]
    agreed, disputed = (
        [
            run("labels", "status", folder, *options).stdout.replace(f" {folder} ", " DIR ")
            for options in ((), ("--json",))
        ]
        for folder in ("work", "other")
    )
    assert agreed == disputed
    page, data = agreed
    assert "Next: everybody looks whether anything is left for them" in page
    assert "riskchain labels status DIR --full" in page
    assert {worker["name"]: (worker["done"], worker["planned"]) for worker in json.loads(data)["workers"]} == {
        "ann": (5, 5),
        "bob": (5, 5),
        "rex": (None, None),
        "kim": (None, None),
    }
    assert set(json.loads(data)) == {"schema_version", "plan", "subject", "items", "workers"}


def test_one_person_alone_is_told_how_to_finish(here: Path) -> None:
    run("labels", "plan", "--sites", "mini", "--annotator", "ann", "--passes", "1", "--limit", "2", "--out", "work")
    answer_all(Project.open(Path("work")), "ann", Decision.NON_VIOLATION)
    assert "Next: riskchain labels agreement work  and then  riskchain" in run("labels", "status", "work").stdout


@pytest.mark.parametrize(
    ("limit", "share", "without"),
    [("2", ".5", "ann, bob"), ("6", ".01", None), ("4", ".05", "ann, bob"), ("4", "0", None)],
)
def test_repeats_that_were_asked_for_and_cannot_be_had_are_told(
    here: Path, limit: str, share: str, without: str | None
) -> None:
    result = run("labels", "plan", "--sites", "mini", *PEOPLE, "--limit", limit, "--repeats", share, "--out", "work")
    assert result.exit_code == 0
    said = f"No repeat was drawn for {without}: six items each are enough for one."
    assert (said in result.stderr) == (without is not None)
    assert ("No repeat" in result.stderr) == (without is not None)


def test_the_status_shows_no_answer(project: Project) -> None:
    answer_all(project, "ann", Decision.NON_VIOLATION)
    answer_all(project, "bob", Decision.INSUFFICIENT_EVIDENCE)
    for options in ((), ("--json",), ("--full",), ("--full", "--json")):
        shown = run("labels", "status", "work", *options).stdout
        assert not any(word in shown for word in ("VIOLATION", "INSUFFICIENT", "NONE", "UNKNOWN"))
        assert not any(item in shown for item in project.plan.items)


def test_a_damaged_project_is_a_sentence(project: Project) -> None:
    assert "give the folder of `riskchain labels plan`" in refused(2, "labels", "status", ".")
    answer_all(project, "ann", Decision.NON_VIOLATION)
    path = Path("work/logs/ann.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    assert "line 1: breaks the chain of hashes" in refused(2, "labels", "status", "work")
