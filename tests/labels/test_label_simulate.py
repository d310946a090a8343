"""Simulated labelling projects: the same bytes each time, marked as such, all layers done, as confused as told."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.confused import NEIGHBOURS, ConfusedAnnotator
from riskchain_gym.benchmark.labels.freeze import freeze_labels
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.simulate import COORDINATOR, simulate
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.scoring.label_agreement import label_agreement

MINI = {chain.site.site_id: chain.site for chain in load_gold("mini").values()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return simulate(tmp_path_factory.mktemp("simulated") / "mini", "mini", accuracy=0.7, repeats=0.25, seed=3)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(project: Project, tmp_path: Path) -> None:
    again = simulate(tmp_path / "again", "mini", accuracy=0.7, repeats=0.25, seed=3)
    assert files(again.folder) == files(project.folder)
    other = simulate(tmp_path / "other", "mini", accuracy=0.7, repeats=0.25, seed=4)
    assert files(other.folder).keys() == files(project.folder).keys()
    assert files(other.folder) != files(project.folder)


def test_everybody_is_marked_as_simulated_and_nothing_can_become_gold(project: Project) -> None:
    assert all(worker.simulated for worker in project.plan.workers)
    assert label_agreement(project.plan, project.events()).cautions[0].code == "simulated"
    with pytest.raises(ConfigError, match="simulated answers never become gold"):
        freeze_labels(project.plan, project.events())


def test_all_layers_are_done(project: Project) -> None:
    found = project.states().values()
    assert {state.status for state in found} == {"settled"}
    disputed = [state for state in found if state.disagrees]
    assert disputed
    assert all(state.review is not None and state.adjudication is not None for state in disputed)
    assert not [state for state in found if not state.disagrees and state.adjudication]
    assert {state.adjudication.worker for state in disputed if state.adjudication} == {COORDINATOR}
    layers = label_agreement(project.plan, project.events()).layers
    assert layers.repeats == layers.repeats_due > 0


def test_times_go_forward_and_layers_follow_each_other(project: Project) -> None:
    by_worker: dict[str, list[str]] = {}
    ends: dict[str, list[str]] = {}
    for event in project.events():
        by_worker.setdefault(event.worker, []).append(event.at)
        ends.setdefault("pass" if event.layer == "repeat" else event.layer, []).append(event.at)
        assert event.seconds is not None
        assert event.seconds > 0
    assert all(times == sorted(times) for times in by_worker.values())
    assert max(ends["pass"]) < min(ends["review"])
    assert max(ends["review"]) < min(ends["adjudication"])


def test_annotators_who_never_err_agree_with_the_gold(tmp_path: Path) -> None:
    project = simulate(tmp_path / "calm", "mini", annotators=2, accuracy=1.0, seed=1)
    found = label_agreement(project.plan, project.events(), gold=MINI, gold_name="mini")
    assert found.layers.disagreements == 0
    assert found.gold is not None
    assert [question.percent.value for question in found.gold.questions] == [1, 1]


def test_consistent_annotators_repeat_themselves(tmp_path: Path) -> None:
    project = simulate(tmp_path / "same", "mini", accuracy=0.3, consistency=1.0, repeats=0.5, seed=1)
    repeats = label_agreement(project.plan, project.events()).question("joint").repeats
    assert repeats.share == 1
    assert repeats.of >= 20
    fickle = simulate(tmp_path / "fickle", "mini", accuracy=0.3, consistency=0.0, repeats=0.5, seed=1)
    share = label_agreement(fickle.plan, fickle.events()).question("joint").repeats.share
    assert share is not None
    assert share < 0.9


def test_an_annotator_errs_as_often_as_told_and_leans_one_way() -> None:
    site = next(gold for gold in MINI.values() if gold.decision is Decision.VIOLATION)
    annotator = ConfusedAnnotator(accuracy=0.8, leans_to=Decision.NON_VIOLATION)
    said = [annotator.answer(site, KeyedRandom(b"k", "answer", str(i))) for i in range(4000)]
    share = {decision: sum(answer.decision is decision for answer in said) / len(said) for decision in Decision}
    # A standard deviation of the first is sqrt(.8 * .2 / 4000) = .006; the leaning takes four of five errors.
    assert share[Decision.VIOLATION] == pytest.approx(0.8, abs=0.02)
    assert share[Decision.NON_VIOLATION] == pytest.approx(0.16, abs=0.02)
    types = {answer.primary_violation_type for answer in said if answer.decision is Decision.VIOLATION}
    assert types == {site.violation_type, *NEIGHBOURS[site.violation_type]}
    sure = [answer.confidence for answer in said if answer.decision is Decision.VIOLATION]
    unsure = [answer.confidence for answer in said if answer.decision is not Decision.VIOLATION]
    assert sum(sure) / len(sure) > sum(unsure) / len(unsure) + 0.5


def test_every_concrete_type_has_neighbours_that_are_others() -> None:
    assert set(NEIGHBOURS) == set(CONCRETE_TYPES)
    assert all(others and kind not in others for kind, others in NEIGHBOURS.items())


def test_answers_follow_the_codebook_and_cite_nothing(project: Project) -> None:
    for event in project.events():
        assert isinstance(event.answer, SiteAnswer)
        assert not event.answer.evidence
        assert event.visit == ""


def test_a_part_of_a_split_can_be_drawn(tmp_path: Path) -> None:
    project = simulate(tmp_path / "ten", "mini", count=10, seed=5)
    assert len(project.plan.items) == 10
    assert set(project.plan.items) <= set(MINI)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"count": 25}, "Split 'mini' has 24 sites, got a count of 25: ask for 1 to 24"),
        ({"annotators": 1}, "2 to 26 annotators, got 1"),
        ({"accuracy": 1.5}, "accuracy is a share from 0 to 1, got 1.5"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(tmp_path: Path, more: dict[str, int], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        simulate(tmp_path / "project", "mini", **more)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputFileError, match="is not empty"):
        simulate(tmp_path, "mini")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
