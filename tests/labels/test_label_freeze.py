"""Freezing: what settled answers become, what is kept of those that lost, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from frozen_cases import FRAUD, GAMBLING, Step, answered, cited, says
from label_cases import WORKERS, bad, find, fine, plan_of
from label_projects import Written

from riskchain_gym.annotation.depths import evidence_depth
from riskchain_gym.annotation.freezing import freeze_project
from riskchain_gym.annotation.human_visit import HumanVisit
from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.benchmark.labels.freeze import freeze_labels, write_frozen
from riskchain_gym.benchmark.labels.frozen import FrozenLabels, read_frozen
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.protocol.trajectory import Step as TrajectoryStep

AGREED: list[Step] = [
    (item, "pass", who, says(note=f"{who} says so")) for item in ("i000", "i001") for who in ("ann", "bob")
]
DISPUTED: list[Step] = [
    ("i000", "pass", "ann", bad("first")),
    ("i000", "pass", "bob", fine()),
    ("i001", "pass", "ann", fine()),
    ("i001", "pass", "bob", fine()),
]
SETTLED: list[Step] = [
    *DISPUTED,
    ("i000", "review", "rex", fine()),
    ("i000", "adjudication", "kim", says(FRAUD, note="a promise and a deposit")),
]


def frozen_of(project: Project, **options: object) -> FrozenLabels:
    return freeze_labels(project.plan, project.events(), **options)  # type: ignore[arg-type]


def test_agreed_passes_are_the_label_and_an_adjudication_is_over_them(tmp_path: Path) -> None:
    frozen = frozen_of(answered(tmp_path, SETTLED))
    disputed, agreed = frozen.labels
    assert (disputed.decision, disputed.primary_violation_type) == (Decision.VIOLATION, FRAUD)
    assert (disputed.provenance, disputed.note) == ("human+adjudicated", "a promise and a deposit")
    assert (agreed.decision, agreed.primary_violation_type) == (Decision.NON_VIOLATION, ViolationType.NONE)
    assert (agreed.provenance, agreed.note, agreed.depth) == ("human", "", None)
    assert frozen.codebook_version == CODEBOOK_VERSION


def test_every_answer_that_stood_is_kept_whoever_lost(tmp_path: Path) -> None:
    project = answered(tmp_path, [("i000", "pass", "ann", fine()), ("i000", "pass", "ann", None), *SETTLED])
    kept = [(raw.layer, raw.worker, raw.primary_violation_type) for raw in frozen_of(project).labels[0].raw]
    assert kept == [
        ("pass", "ann", GAMBLING),
        ("pass", "bob", ViolationType.NONE),
        ("review", "rex", ViolationType.NONE),
        ("adjudication", "kim", FRAUD),
    ]


def test_hidden_repeats_are_kept_beside_the_passes_and_decide_nothing() -> None:
    passes = {"i1": {"ann": "fraud 5", "bob": "fraud"}}
    written = Written(passes, repeats={"i1": {"ann": "none 2"}})
    (label,) = freeze_labels(written.plan, written.events).labels
    assert label.primary_violation_type is FRAUD
    assert [(raw.layer, raw.worker, raw.confidence) for raw in label.raw] == [
        ("pass", "ann", 5),
        ("pass", "bob", 3),
        ("repeat", "ann", 2),
    ]


PARTIAL, INVALID = EnvironmentStatus.PARTIAL, EnvironmentStatus.INVALID


@pytest.mark.parametrize(
    ("given", "status"),
    [((PARTIAL, PARTIAL, INVALID), PARTIAL), ((PARTIAL, INVALID, EnvironmentStatus.COMPLETE), INVALID)],
    ids=["the most frequent", "of equals the least complete"],
)
def test_the_status_of_passes_that_agree_on_the_label(
    tmp_path: Path, given: tuple[EnvironmentStatus, ...], status: EnvironmentStatus
) -> None:
    people = [Worker(name=name, role="annotator") for name in ("ann", "bob", "cid")]
    three = plan_of(1, workers=[*people, *WORKERS[2:]], passes=3)
    names = ("ann", "bob", "cid")
    steps: list[Step] = [("i000", "pass", who, says(status=each)) for who, each in zip(names, given, strict=True)]
    assert frozen_of(answered(tmp_path, steps, three)).labels[0].environment_status is status


def test_of_agreed_passes_only_what_all_name_is_a_further_type_and_all_that_any_rests_on_an_anchor(
    tmp_path: Path,
) -> None:
    phishing, malware = ViolationType.PHISHING_CREDENTIAL_THEFT, ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD
    pay, text = AnchorType.PAYMENT_RECHARGE_OR_TRANSFER, AnchorType.VISIBLE_TEXT_OR_CLAIM
    first = says(second=(malware, phishing), evidence=(cited(2, pay),), note="second")
    other = says(second=(phishing,), evidence=(cited(0, text), cited(1, pay)))
    steps: list[Step] = [("i000", "pass", "ann", first), ("i000", "pass", "bob", other)]
    label = frozen_of(answered(tmp_path, steps, plan_of(1))).labels[0]
    assert label.secondary_violation_types == (phishing,)
    assert label.evidence_anchor_types == (text, pay)
    assert [(each.worker, each.evidence) for each in label.cited] == [
        ("ann", first.evidence),
        ("bob", other.evidence),
    ]
    assert label.note == "second"


def test_an_adjudication_without_pins_rests_on_those_whose_answer_it_is(tmp_path: Path) -> None:
    pinned = says(evidence=(cited(1),))
    steps: list[Step] = [
        ("i000", "pass", "ann", pinned),
        ("i000", "pass", "bob", says(FRAUD, evidence=(cited(2),))),
        ("i000", "review", "rex", fine()),
        ("i000", "adjudication", "kim", says()),
    ]
    project = answered(tmp_path, steps, plan_of(1))
    deep = {event.hash: "D1" if event.worker == "ann" else "D2" for event in project.events()}
    label = frozen_of(project, depths=deep).labels[0]
    assert [(each.layer, each.worker) for each in label.cited] == [("pass", "ann")]
    assert (label.depth, label.evidence_anchor_types) == ("D1", (AnchorType.VISIBLE_TEXT_OR_CLAIM,))


def test_the_depth_is_the_least_that_one_of_the_deciding_answers_needed(tmp_path: Path) -> None:
    steps: list[Step] = [("i000", "pass", who, says(evidence=(cited(1),))) for who in ("ann", "bob")]
    project = answered(tmp_path, steps, plan_of(1))
    first, second = (event.hash for event in project.events())
    assert frozen_of(project, depths={first: "D2", second: "D1"}).labels[0].depth == "D1"
    assert frozen_of(project, depths={first: "D2"}).labels[0].depth == "D2"
    assert frozen_of(project).labels[0].depth is None


def walk(*pages: str) -> Trajectory:
    """A visit that shows those pages, the first of them the landing view."""
    result = ActionResult(status=ActionStatus.EXECUTED)
    steps = tuple(
        TrajectoryStep(
            index=i,
            phase=Phase.BROWSE,
            browse_step=i + 1,
            action="",
            result=result,
            feedback="",
            page=page,
            previous="",
        )
        for i, page in enumerate(pages[1:])
    )
    return Trajectory(
        chain_id="c", variant="v000", protocol="p", landing=pages[0], steps=steps, status=EpisodeStatus.RUNNING
    )


@pytest.mark.parametrize(
    ("pages", "steps", "depth"),
    [
        ("a", (0,), "D0"),
        ("aaab", (2,), "D0"),
        ("aba", (2, 0), "D0"),
        ("aab", (0, 2), "D1"),
        ("abac", (3,), "D1"),
        ("abc", (2,), "D2"),
        ("abcd", (1, 3), "D2"),
        ("abcac", (4,), "D1"),
        ("ab", (), None),
        ("ab", (7,), None),
    ],
)
def test_the_depth_of_evidence_is_the_shortest_way_that_the_visit_shows(
    pages: str, steps: tuple[int, ...], depth: str | None
) -> None:
    assert evidence_depth(walk(*pages), [cited(step) for step in steps]) == depth


def test_depths_are_those_of_the_visits_that_lie_in_the_project(tmp_path: Path) -> None:
    project = create_project(tmp_path, plan_of(1))
    for who, pages in (("ann", "abc"), ("bob", "ab")):
        task = find(project.plan, "i000", "pass", who)
        visit = HumanVisit(
            worker=who, task_id=task.task_id, item_id="i000", trajectory=walk(*pages), completion="COMPLETE"
        )
        kept = VisitStore(tmp_path, who).keep(visit)
        with project.writer(who) as log:
            log.append(unsealed(project.plan, task, says(evidence=(cited(len(pages) - 1),)), visit=kept))
    label = freeze_project(project).labels[0]
    assert (label.depth, [each.visit for each in label.cited]) == ("D1", [event.visit for event in project.events()])
    assert [each.visit_sha256 for each in label.cited] == [event.visit_sha256 for event in project.events()]
    path = tmp_path / "visits" / "bob" / label.cited[1].visit
    path.write_bytes(path.read_bytes().replace(b"COMPLETE", b"PARTIAL"))
    with pytest.raises(InputFileError, match=f"{path.name}.* is not the visit that the answer in the log rests on"):
        freeze_project(project)
    path.unlink()
    with pytest.raises(InputFileError, match=f"{path.name}.* cannot be read .*restore it from a copy"):
        freeze_project(project)


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    first = answered(tmp_path / "a", SETTLED)
    again = answered(tmp_path / "b", SETTLED)
    assert freeze_project(first).encoded() == freeze_project(again).encoded()
    write_frozen(tmp_path / "gold.json", freeze_project(first))
    assert (tmp_path / "gold.json").read_bytes() == freeze_project(first).encoded()
    assert read_frozen(tmp_path / "gold.json") == freeze_project(again)
    assert "2026-01-01" not in (tmp_path / "gold.json").read_text(encoding="utf-8")


def test_a_freeze_is_bound_to_plan_answers_and_codebook(tmp_path: Path) -> None:
    project = answered(tmp_path, SETTLED)
    frozen = frozen_of(project)
    last = {event.worker: event.hash for event in project.events()}
    assert frozen.plan_sha256 == project.plan.sha256
    assert frozen.logs == last
    assert set(last) == {"ann", "bob", "rex", "kim"}
    one = frozen_of(answered(tmp_path / "agreed", AGREED))
    assert one.logs["kim"] == one.plan_sha256, "nobody adjudicated"


def test_the_agreement_report_is_part_of_a_freeze(tmp_path: Path) -> None:
    frozen = freeze_project(answered(tmp_path, SETTLED))
    assert frozen.agreement is not None
    questions = {question["question"]: question for question in frozen.agreement["questions"]}
    assert questions["decision"]["percent"]["value"] == 0.5
    assert frozen.agreement["plan_sha256"] == frozen.plan_sha256


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "2 of 2 items have no settled label (2 without any pass): have them labelled."),
        (AGREED[:1], "(1 without any pass, 1 without some of the passes, or with one that can still be taken back)"),
        (
            DISPUTED,
            "1 of 2 items have no settled label (1 waiting for a review): have them labelled, or freeze the others",
        ),
        ([*DISPUTED, SETTLED[4]], "(1 waiting for an adjudication)"),
    ],
)
def test_what_is_open_is_counted_and_keeps_a_freeze_back(tmp_path: Path, steps: list[Step], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        frozen_of(answered(tmp_path, steps))
    assert said in str(caught.value)


def test_a_partial_freeze_says_how_many_it_leaves_out(tmp_path: Path) -> None:
    frozen = frozen_of(answered(tmp_path, DISPUTED), partial=True)
    assert ([label.item_id for label in frozen.labels], frozen.left_out) == (["i001"], 1)
    with pytest.raises(ConfigError, match="2 of 2 items have no settled label"):
        frozen_of(answered(tmp_path / "none", []), partial=True)


def test_simulated_answers_never_become_gold() -> None:
    written = Written({"i1": {"ann": "fraud", "bot": "fraud"}}, simulated=("bot",))
    with pytest.raises(ConfigError, match="A program answers in place of bot: simulated answers never become gold"):
        freeze_labels(written.plan, written.events, partial=True)


def test_another_codebook_must_be_named(tmp_path: Path) -> None:
    plan = plan_of(2).model_copy(update={"codebook_version": "2030-01-01.v9"})
    project = answered(tmp_path, AGREED, plan)
    with pytest.raises(ConfigError, match=r"follow the codebook 2030-01-01\.v9, .* give --codebook 2030-01-01\.v9"):
        freeze_project(project)
    frozen = freeze_project(project, codebook="2030-01-01.v9")
    assert frozen.codebook_version == "2030-01-01.v9"
    write_frozen(tmp_path / "gold.json", frozen)
    with pytest.raises(InputFileError, match=rf"follows the codebook 2030-01-01\.v9.* has {CODEBOOK_VERSION}"):
        read_frozen(tmp_path / "gold.json")


def test_another_freeze_is_not_lost_unasked(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    first, other = frozen_of(answered(tmp_path / "a", SETTLED)), frozen_of(answered(tmp_path / "b", AGREED))
    write_frozen(path, first)
    write_frozen(path, first)
    with pytest.raises(InputFileError, match=r"holds a freeze of 2 labels that differs .* or --replace"):
        write_frozen(path, other)
    assert read_frozen(path) == first
    write_frozen(path, other, replace=True)
    assert read_frozen(path) == other
    path.write_text("my thesis", encoding="utf-8")
    with pytest.raises(InputFileError, match="holds something that is no frozen labels"):
        write_frozen(path, other, replace=True)
    assert path.read_text(encoding="utf-8") == "my thesis"


def test_a_label_that_was_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    write_frozen(path, frozen_of(answered(tmp_path / "a", SETTLED)))
    row = json.loads(path.read_text(encoding="utf-8"))
    row["labels"][1]["raw"][0]["confidence"] = 5
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputFileError, match=r"content_sha256: is not that of the labels: the file was changed"):
        read_frozen(path)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"gold\.json: codebook_version"):
        read_frozen(path)
    with pytest.raises(InputFileError, match="give a file that `riskchain labels freeze` wrote"):
        read_frozen(tmp_path / "gone.json")
