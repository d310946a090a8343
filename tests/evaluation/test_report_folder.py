"""The folder of a report: what is in it, what is left of an earlier one, and what it is never written over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import HOSTILE, episodes_of, images_of, index_of, rows_of
from run_cases import remade, trajectories

from riskchain_gym.evaluation.report.page import episode_file
from riskchain_gym.evaluation.report.publishing import ReportFolder
from riskchain_gym.evaluation.report.writing import write_report
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import MEDIA, SCORES, RunFolder
from riskchain_gym.protocol.errors import ConfigError, InputFileError


@pytest.fixture(scope="module")
def page(frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "report"
    assert write_report(list(frozen.values()), folder) == folder / "index.html"
    return folder / "index.html"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_index_asks_for_nothing_from_elsewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "default-src 'none'; img-src 'self'; style-src 'sha256-" in text
    assert "://" not in text.partition("<body>")[0]
    assert 'src="' not in text
    assert "unsafe" not in text


def test_controls_and_oracle_are_marked_and_figures_stand_open(page: Path) -> None:
    text = page.read_text("utf-8")
    assert "upper bound" in text
    assert '<tr class="control">' in text
    assert "Acc<sup>w</sup>" in text
    before, _, _ = text.partition("Intervals by what was drawn")
    assert "Further figures" in before
    assert "Gate curve" in before
    assert "First failure" in before
    assert "After fewer steps" in before
    assert "<h4>decision</h4>" in text.partition('id="strata"')[2]


def test_writing_it_again_gives_the_same_bytes(frozen: dict[str, RunFolder], page: Path, tmp_path: Path) -> None:
    again = write_report(list(frozen.values()), tmp_path / "again")
    assert contents(again.parent) == contents(page.parent)


def test_what_is_there_for_machines_says_what_the_index_says(page: Path, frozen: dict[str, RunFolder]) -> None:
    told = json.loads((page.parent / "report.json").read_bytes())
    assert told["schema_version"] == "riskchain-report/v1"
    assert told["episodes"] == index_of(page)["episodes"]
    assert set(told["summaries"]) == set(frozen)
    assert [run["identity"] for run in told["runs"]] == [run.identity for run in frozen.values()]


def test_a_row_of_the_index_is_small(page: Path) -> None:
    index = index_of(page)
    largest = max(len(json.dumps(row, ensure_ascii=False).encode()) for row in index["episodes"]["rows"])
    assert largest * 8 * 600 < 2_000_000, "eight runs over 600 chains keep the index under 5 MB"
    assert max(len(json.dumps(row, ensure_ascii=False).encode()) for row in index["chains"]["rows"]) < 1200


def test_an_earlier_report_is_replaced_and_nothing_of_it_is_left(
    frozen: dict[str, RunFolder], frozen_with_images: RunFolder, tmp_path: Path
) -> None:
    write_report([frozen_with_images], tmp_path / "report")
    (tmp_path / "report" / "NOTES.txt").write_text("mine")
    page = write_report([frozen["noop"]], tmp_path / "report")
    assert {path.name for path in (page.parent / "episodes").iterdir()} == {row["file"] for row in rows_of(page)}
    assert not list((page.parent / "media").iterdir())
    assert (page.parent / "NOTES.txt").read_text() == "mine"


def test_until_the_index_is_written_the_old_report_is_whole(
    frozen: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write_report([frozen["noop"]], tmp_path / "report")
    before = contents(page.parent)
    monkeypatch.setattr(ReportFolder, "finish", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report([frozen["oracle"]], tmp_path / "report")
    assert before.items() <= contents(page.parent).items()


def test_nothing_that_is_no_report_is_written_over(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "index.html").write_text("mine")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".riskchain-report").write_text("")
    (tmp_path / "linked" / "media").symlink_to(tmp_path / "full")
    (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
    for name, problem in {
        "x.html": "name of a file, and a report is a folder: give a folder, such as",
        "file": "is a file",
        "full": "holds something else than a report",
        "linked": "is a link",
        "nothing": "is a link to nothing",
    }.items():
        with pytest.raises((ConfigError, InputFileError), match=problem):
            write_report([frozen["noop"]], tmp_path / name)
    for path in (frozen["noop"].path, frozen["noop"].path / "report"):
        with pytest.raises(ConfigError, match="a run folder, whose files are frozen"):
            write_report([frozen["noop"]], path)
    assert (tmp_path / "full" / "index.html").read_text() == "mine"


def test_what_a_crash_left_of_the_first_write_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "..riskchain-report.0123456789ab").write_text("half")
    ReportFolder(tmp_path).begin()
    assert (tmp_path / ".riskchain-report").is_file()


def test_runs_of_no_split_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="one split"):
        write_report([], tmp_path / "x")


def test_a_run_on_another_split_than_the_one_here_is_refused(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["noop"])]
    with pytest.raises(InputFileError, match=r"run\.json: split_sha256"):
        write_report([remade(tmp_path / "run", frozen["noop"], made, split_sha256="0" * 64)], tmp_path / "x")


def test_empty_runs_are_named_and_incomplete_ones_marked(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    empty = remade(tmp_path / "empty", frozen["noop"], [])
    part = remade(tmp_path / "part", frozen["noop"], [(t, {}) for t in trajectories(frozen["noop"])[:1]])
    score_run(part)
    page = write_report([frozen["oracle"], empty, part], tmp_path / "report")
    text = page.read_text("utf-8")
    assert "empty holds no finished episode yet: it was left out." in text
    assert "1/4, incomplete" in text
    (pair,) = index_of(page)["pairs"]
    assert pair["chains"] == 1
    assert "Only the 1 chains that both runs hold are in it." in pair["legend"]
    with pytest.raises(InputFileError, match="nothing to score"):
        write_report([empty], tmp_path / "x")


def test_stale_scores_are_named(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    made = [(t, {}) for t in trajectories(frozen["noop"])]
    run = remade(tmp_path / "run", frozen["noop"], made[:3])
    score_run(run)
    run.append(*made[3], 1.0)
    with pytest.raises(InputFileError, match=SCORES):
        write_report([run], tmp_path / "x")


def test_runs_of_one_agent_are_told_apart(
    frozen: dict[str, RunFolder], frozen_with_images: RunFolder, tmp_path: Path
) -> None:
    twice = [frozen["rules+explorer"], frozen_with_images, frozen_with_images, frozen["noop"]]
    page = write_report(twice, tmp_path / "report", [])
    folders = ["/".join(run.path.parts[-2:]) for run in twice[:2]]
    names = [f"rules+explorer · {folders[0]}", *(f"rules+explorer · {folders[1]} #{n}" for n in (1, 2)), "noop"]
    assert list(dict.fromkeys(row["agent"] for row in rows_of(page))) == names
    assert "<bdi>noop</bdi></th><td><bdi>–</bdi></td><td><code>noop</code>" in page.read_text("utf-8")


def test_screenshots_are_copied_once_and_a_missing_one_is_left_open(
    frozen_with_images: RunFolder, tmp_path: Path
) -> None:
    made = [(r.trajectory, images_of(frozen_with_images, r.media)) for r in frozen_with_images.records()]
    run = remade(tmp_path / "run", frozen_with_images, made)
    score_run(run)
    page = write_report([run], tmp_path / "report", [])
    episodes = episodes_of(page)
    shown = {view["image"] for episode in episodes for view in episode["views"]}
    assert contents(page.parent / MEDIA) == contents(run.path / MEDIA)
    assert shown == set(contents(run.path / MEDIA))
    assert episodes[0]["viewport"] == [1280, 900]
    gone = episodes[0]["views"][0]["image"]
    (run.path / MEDIA / gone).unlink()
    write_report([run], page.parent, [])
    assert gone in episodes_of(page)[0]["missing"]
    assert not (page.parent / MEDIA / gone).exists()
    (run.path / MEDIA / gone).write_bytes(b"RIFF, but another picture")
    with pytest.raises(InputFileError, match=f"{gone}: was changed"):
        write_report([run], page.parent, [])


@given(
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_a_data_file_is_one_call_with_data(value: object) -> None:
    text = episode_file([value, HOSTILE, "\ud800\u2028"]).decode()
    inside = text.removeprefix("riskchainEpisode(").removesuffix(");\n")
    assert json.loads(inside) == [value, HOSTILE, "\ud800\u2028"]
    assert not set("<\u2028\u2029") & set(inside)
