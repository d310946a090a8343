"""What people have browsed becomes run folders, and they are scored by the program that scores agents."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from browsed import act, cited, fake_visits

from riskchain_gym.annotation.human_runs import first_chains, write_human_runs
from riskchain_gym.annotation.visit_errors import VisitClosedError
from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision
from riskchain_gym.protocol.errors import ConfigError, InputFileError

Image = pytest.importorskip("PIL.Image")

TEAM = (
    Worker(name="ann", role="annotator"),
    Worker(name="bob", role="annotator"),
    Worker(name="sim", role="annotator", simulated=True),
    Worker(name="kim", role="coordinator"),
)
ALONE = TEAM[:1]


def project_on(folder: Path, count: int = 9, workers=TEAM, **changes) -> Project:
    sites = item_sites(("mini",))
    drawn = {"source": sites.source, "source_sha256": sites.sha256, "seed": 3, "repeats": 0} | changes
    return create_project(folder, draw_plan("sites", tuple(sites)[:count], workers, **drawn))


def label(
    project: Project,
    worker: str,
    decision: Decision | None = None,
    browsed: bool = True,
    fail_at: Iterable[int] = (),
    seconds: float | None = 30.0,
) -> list[str]:
    """Have a worker pass all of its items, right by the gold unless told otherwise; return the items."""
    sites, gold, chains = item_sites(("mini",)), load_gold("mini"), first_chains("mini")
    visits = fake_visits(project.folder, worker, fail_at=fail_at)
    items = []
    with project.writer(worker) as log:
        while (task := project.current(worker)) is not None and task.layer == "pass":
            right = gold[chains[task.item_id]].site
            said = decision or right.decision
            kind = right.violation_type if said is right.decision else PSEUDO_TYPES[said]
            visit = visits.visit(task.task_id, task.item_id, sites[task.item_id])
            with suppress(VisitClosedError):
                act(visit, "click", "查看活动")
            citation = cited(visit, visit.step, line=1)
            answer = SiteAnswer(
                environment_status="COMPLETE",
                decision=said,
                primary_violation_type=kind,
                confidence=4,
                note="Nothing of the codebook but this." if kind == "OTHER_PROHIBITED_ACTIVITY" else "",
                evidence=(citation,) if browsed else (),
                evidence_anchor_types=(citation.anchor_type,),
            )
            kept = visits.keep(task.task_id, answer.report(), seconds) if browsed else None
            log.append(unsealed(project.plan, task, answer, visit=kept, seconds=seconds))
            visits.settle(task.task_id)
            items.append(task.item_id)
    visits.close()
    return items


@pytest.fixture(scope="module")
def labelled(tmp_path_factory) -> Project:
    project = project_on(tmp_path_factory.mktemp("labels") / "project")
    label(project, "ann")
    label(project, "bob", Decision.NON_VIOLATION)
    label(project, "sim", browsed=False)
    return project


def test_people_are_scored_like_agents(labelled, tmp_path):
    ann, bob = write_human_runs(labelled, tmp_path)
    chains, gold = first_chains("mini"), load_gold("mini")
    for run, name in ((ann, "ann"), (bob, "bob")):
        passed = [item for item, state in labelled.states().items() if name in state.passes]
        assert (run.folder.manifest.agent, run.folder.path) == (f"human:{name}", tmp_path / f"human:{name}")
        assert run.folder.manifest.chains == tuple(sorted(chains[item] for item in passed))
        assert (run.episodes, run.unseen, run.cut_short) == (len(passed), 0, 0)
    scores = score_run(ann.folder)
    assert scores.complete
    assert scores.summary.web_accuracy == 1.0
    assert scores.summary.end_to_end_accuracy is None, "nobody restored a message"
    assert all(outcome.validator.valid for outcome in scores.outcomes)
    right = [gold[chain].site.decision is Decision.NON_VIOLATION for chain in bob.folder.manifest.chains]
    assert score_run(bob.folder).summary.web_accuracy == pytest.approx(sum(right) / len(right))
    assert 0 < sum(right) < len(right)


def test_a_run_holds_visits_with_their_pictures(labelled, tmp_path):
    ann, _ = write_human_runs(labelled, tmp_path)
    records = list(ann.folder.records())
    assert [record.trajectory.chain_id for record in records] == list(ann.folder.manifest.chains)
    for record in records:
        assert (record.seconds, record.trajectory.modalities) == (30.0, ("screenshot",))
        assert record.media.keys() == {"0", "1"}
        with Image.open(ann.folder.path / "media" / record.media["1"]) as image:
            assert image.size == (1024, 768)
            assert abs(int(np.asarray(image)[0, 0, 0]) - 160) <= 2, "the offer's shade, but for what WebP costs"


def test_the_command_says_what_it_wrote_and_the_report_takes_it(labelled, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from riskchain_gym.cli import app

    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(app, ["labels", "runs", str(labelled.folder), "--out", "people"])
    assert made.exit_code == 0, made.output
    assert made.stdout == "ann: 6 visits in people/human:ann\nbob: 6 visits in people/human:bob\n"
    shown = CliRunner().invoke(app, ["report", "people", "--out", "page", "--json"])
    assert shown.exit_code == 0, shown.output
    rows = {row["agent"]: row for row in json.loads(shown.stdout)}
    assert rows["human:ann"]["summary"]["web_accuracy"] == 1.0
    assert "human:bob" in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(app, ["labels", "runs", str(labelled.folder), "--out", "people"])
    assert (again.exit_code, again.stdout) == (2, "")


def test_nothing_is_written_over_and_nothing_half(labelled, tmp_path):
    (tmp_path / "human:bob").mkdir()
    (tmp_path / "human:bob" / "mine").write_text("kept")
    with pytest.raises(ConfigError, match="human:bob exists and is not empty"):
        write_human_runs(labelled, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["human:bob"]


@pytest.fixture
def copied(labelled, tmp_path) -> Project:
    shutil.copytree(labelled.folder, tmp_path / "copy")
    return Project.open(tmp_path / "copy")


def test_a_visit_that_is_not_the_one_of_its_answer_is_refused(copied, tmp_path):
    paths = sorted((copied.folder / "visits/ann").glob("*.json"))
    paths[0].write_bytes(paths[1].read_bytes())
    with pytest.raises(InputFileError, match=f"{paths[0].name}.* is not the visit that the answer in the log rests on"):
        write_human_runs(copied, tmp_path / "out")
    paths[0].unlink()
    with pytest.raises(InputFileError, match=f"{paths[0].name}.* cannot be read"):
        write_human_runs(copied, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_answer_that_names_the_visit_to_another_site_is_refused(tmp_path):
    project = project_on(tmp_path / "project", 2, ALONE, passes=1)
    other = project_on(tmp_path / "other", 2, ALONE, passes=1)
    label(other, "ann")
    shutil.copytree(other.folder / "visits", project.folder / "visits")
    (first, second), (task, _) = other.events(), project.plan.tasks
    assert (first.task_id, first.item_id) == (task.task_id, task.item_id)
    with project.writer("ann") as log:
        log.append(unsealed(project.plan, task, first.answer, visit=second.visit_file))
    with pytest.raises(InputFileError, match="is not the visit of the answer in the log"):
        write_human_runs(project, tmp_path / "out")


def test_visits_that_the_browser_cut_short_are_no_episodes(tmp_path):
    from typer.testing import CliRunner

    from riskchain_gym.cli import app

    project = project_on(tmp_path / "project", 2, (*ALONE, TEAM[1]), passes=1)
    mine = label(project, "ann", fail_at=range(2, 9))
    assert len(mine) == 1
    with pytest.raises(ConfigError, match=r"\(1 were cut short by the browser and do not count\): label some first"):
        write_human_runs(project, tmp_path / "out")
    label(project, "bob", seconds=None)
    made = CliRunner().invoke(app, ["labels", "runs", str(project.folder), "--out", str(tmp_path / "out")])
    assert made.exit_code == 0, made.output
    assert "ann: 1 visit was cut short by the browser and is left out." in made.stderr
    assert "ann" not in made.stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["human:bob"]


def test_what_nobody_measured_took_no_known_time(tmp_path):
    project = project_on(tmp_path / "project", 2, ALONE, passes=1)
    label(project, "ann", seconds=None)
    (run,) = write_human_runs(project, tmp_path / "out")
    assert [record.seconds for record in run.folder.records()] == [None, None]


def test_passes_without_a_visit_are_left_out_and_counted(tmp_path):
    project = project_on(tmp_path / "project", 3, ALONE, passes=1)
    label(project, "ann", browsed=False)
    with pytest.raises(ConfigError, match="holds no visit of a person"):
        write_human_runs(project, tmp_path / "out")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": "import", "source_sha256": "0" * 64}, "import folders, which have no gold"),
        ({"source_sha256": "0" * 64}, "not the one that the project labels"),
    ],
)
def test_where_there_is_no_gold_to_score_by_a_sentence_says_so(tmp_path, changes, problem):
    project = project_on(tmp_path / "project", **changes)
    with pytest.raises((ConfigError, InputFileError), match=problem):
        write_human_runs(project, tmp_path / "out")


def test_a_report_of_pairs_has_no_visits(tmp_path):
    plan = draw_plan("pairs", ["a"], TEAM[:1], source="pairs", source_sha256="0" * 64, seed=0, passes=1)
    with pytest.raises(ConfigError, match="labels pairs, and only visits to sites"):
        write_human_runs(create_project(tmp_path / "project", plan, b"{}\n"), tmp_path / "out")
