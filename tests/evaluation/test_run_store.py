"""A run folder survives crashes, two writers and curious hands: what is in it is whole, or the error names the line."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from run_cases import remade, trajectories

import riskchain_gym.protocol.line_file as line_file_module
from riskchain_gym.evaluation.episode_log import EpisodeLog
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import MANIFEST, MEDIA, SHARD, RunFolder, find_runs, open_runs
from riskchain_gym.protocol.errors import ConfigError, InputFileError

Json = dict[str, Any]


@pytest.fixture
def run(frozen: dict[str, RunFolder], tmp_path: Path) -> RunFolder:
    """A copy of a run of four episodes that a test may spoil."""
    shutil.copytree(frozen["rules+explorer"].path, tmp_path / "run")
    return RunFolder.open(tmp_path / "run")


@pytest.fixture
def half(frozen: dict[str, RunFolder], tmp_path: Path) -> RunFolder:
    """A run of which two of four episodes are frozen."""
    made = [(t, {}) for t in trajectories(frozen["noop"])[:2]]
    return remade(tmp_path / "half", frozen["noop"], made)


def chains(run: RunFolder) -> list[str]:
    return [record.trajectory.chain_id for record in RunFolder.open(run.path).records()]


# -- nothing can be changed unseen ------------------------------------------------------------------------------------


def page_text(record: Json) -> None:
    next(iter(record["trajectory"]["pages"].values()))["lines"][0]["text"] += "。"


def box(record: Json) -> None:
    page = next(iter(record["trajectory"]["pages"].values()))
    page["lines"][0]["box"] = {"x": 1, "y": 1, "width": 5, "height": 5}


def failure(record: Json) -> None:
    record["trajectory"]["failures"].append({"kind": "loop", "step": 0, "terminal": False, "detail": ""})


def earlier_step(record: Json) -> None:
    record["trajectory"]["steps"][1]["feedback"] += " "


def cause(record: Json) -> None:
    record["trajectory"]["infra_cause"] = "browser_lost"


def screenshot(record: Json) -> None:
    record["media"]["0"] = "0" * 32 + ".webp"


@pytest.mark.parametrize("change", [page_text, box, failure, earlier_step, cause, screenshot])
def test_a_changed_record_is_named_by_its_line(run: RunFolder, change: Callable[[Json], None]) -> None:
    lines = (run.path / SHARD).read_bytes().splitlines(keepends=True)
    record = json.loads(lines[1])
    change(record)
    EpisodeRecord.model_validate(record)
    lines[1] = json.dumps(record, ensure_ascii=False).encode() + b"\n"
    (run.path / SHARD).write_bytes(b"".join(lines))
    with pytest.raises(InputFileError, match=r"00000\.jsonl: line 2: breaks the chain of hashes"):
        score_run(RunFolder.open(run.path))


def test_wall_time_is_outside_the_hash(run: RunFolder) -> None:
    first, *_ = run.records()
    assert first.model_copy(update={"seconds": 99.0}).expected_hash() == first.hash


def test_a_time_that_nobody_measured_is_null_and_never_zero(half: RunFolder, frozen: dict[str, RunFolder]) -> None:
    half.append(trajectories(frozen["noop"])[2], {}, None)
    assert [record.seconds for record in half.records()] == [1.0, 1.0, None]
    assert b'"seconds":null' in (half.path / SHARD).read_bytes()


@pytest.mark.parametrize("damage", ["cut", "swapped", "taken out", "repeated"])
def test_a_damaged_shard_is_named_by_its_line(run: RunFolder, damage: str) -> None:
    lines = (run.path / SHARD).read_bytes().splitlines(keepends=True)
    match damage:
        case "cut":
            lines[1] = lines[1][: len(lines[1]) // 2] + b"\n"
        case "swapped":
            lines[1], lines[2] = lines[2], lines[1]
        case "taken out":
            del lines[1]
        case "repeated":
            lines.insert(1, lines[0])
    (run.path / SHARD).write_bytes(b"".join(lines))
    with pytest.raises(InputFileError, match=r"00000\.jsonl: line 2"):
        list(RunFolder.open(run.path).records())


def test_records_belong_to_their_manifest(run: RunFolder) -> None:
    text = (run.path / MANIFEST).read_text()
    (run.path / MANIFEST).write_text(text.replace('"agent": "rules+explorer"', '"agent": "somebody else"'))
    with pytest.raises(InputFileError, match=r"line 1: breaks the chain of hashes: it or run\.json was changed"):
        list(RunFolder.open(run.path).records())


def test_the_identity_is_the_hash_of_the_manifest_file(run: RunFolder) -> None:
    assert run.identity == sha256((run.path / MANIFEST).read_bytes()).hexdigest()
    assert next(run.records()).previous == run.identity
    assert RunFolder.open(run.path).last_hash == list(run.records())[-1].hash


def test_a_changed_screenshot_is_refused_and_a_missing_one_is_known_to_be(half: RunFolder) -> None:
    record = half.append(trajectory_left(half), {0: b"pixels", 1: b"pixels"}, 1.0)
    name = record.media["0"]
    assert record.media == {"0": name, "1": name}
    assert half.media(name) == b"pixels"
    (half.path / MEDIA / name).write_bytes(b"others")
    with pytest.raises(InputFileError, match=rf"{name}: was changed"):
        half.media(name)
    (half.path / MEDIA / name).unlink()
    assert half.media(name) is None


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.webp", "0" * 32 + ".png", "0" * 32 + ".webp\n"])
def test_a_record_names_screenshots_only(run: RunFolder, name: str) -> None:
    record = next(run.records()).model_dump(mode="json")
    with pytest.raises(ValueError, match="media"):
        EpisodeRecord.model_validate({**record, "media": {"0": name}})


# -- crashes and two writers ------------------------------------------------------------------------------------------


_everything: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def _all_trajectories(frozen: dict[str, RunFolder]) -> None:
    _everything.update({t.chain_id: t for t in trajectories(frozen["noop"])})


def trajectory_left(run: RunFolder) -> Any:
    """A planned trajectory that the run does not hold yet."""
    return next(_everything[chain] for chain in run.manifest.chains if chain not in chains(run))


@pytest.mark.parametrize("cut", [1, 2, 500])
def test_an_episode_cut_short_by_a_crash_costs_that_episode_only(half: RunFolder, cut: int) -> None:
    shard = half.path / SHARD
    before = chains(half)
    shard.write_bytes(shard.read_bytes()[:-cut])
    crashed = RunFolder.open(half.path)
    assert crashed.torn
    assert not crashed.empty
    assert chains(crashed) == before[:1]
    assert len(score_run(crashed).outcomes) == 1
    crashed.append(_everything[before[1]], {}, 1.0)
    assert not crashed.torn
    assert shard.with_name("00000.jsonl.torn").read_bytes().endswith(b"\n"), "nothing is thrown away"
    assert chains(crashed) == before


def test_a_run_whose_first_episode_was_cut_short_is_empty(half: RunFolder) -> None:
    (half.path / SHARD).write_bytes(b'{"trajectory":')
    run = RunFolder.open(half.path)
    assert run.torn
    assert run.empty
    assert run.last_hash == run.identity
    with pytest.raises(InputFileError, match="no finished episode"):
        score_run(run)


def test_a_failed_write_leaves_nothing_behind(half: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (half.path / SHARD).read_bytes()
    left = trajectory_left(half)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(line_file_module.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            half.append(left, {}, 1.0)
    assert (half.path / SHARD).read_bytes() == before
    half.append(left, {}, 1.0)
    assert len(chains(half)) == 3


def test_two_writers_take_turns(half: RunFolder) -> None:
    other = RunFolder.open(half.path)
    first, second = (_everything[c] for c in half.manifest.chains if c not in chains(half))
    half.append(first, {}, 1.0)
    with pytest.raises(ConfigError, match="already"):
        other.append(first, {}, 1.0)
    other.append(second, {}, 1.0)
    assert len(chains(half)) == 4
    assert half.holds(second.chain_id)


def test_many_threads_append_to_one_folder(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    remade(tmp_path / "run", frozen["noop"], [])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda t: RunFolder.open(tmp_path / "run").append(t, {}, 1.0), _everything.values()))
    assert set(chains(RunFolder.open(tmp_path / "run"))) == set(_everything)


def test_what_is_appended_while_episodes_are_put_in_order_is_not_lost(
    frozen: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third, fourth = trajectories(frozen["noop"])
    run = remade(tmp_path / "run", frozen["noop"], [(second, {}), (first, {}), (fourth, {})])
    log = EpisodeLog(run.path / SHARD, run.path / MEDIA, run.identity, run.manifest.chains, lambda t: t.chain_id)
    read = EpisodeLog.records
    other = threading.Thread(target=lambda: RunFolder.open(run.path).append(third, {}, None))

    def read_and_append(self: EpisodeLog) -> Iterator[EpisodeRecord]:
        yield from read(self)
        if self is log:
            other.start()
            other.join(0.3)  # it is done by then, unless it waits for its turn as it should

    monkeypatch.setattr(EpisodeLog, "records", read_and_append)
    log.arrange()
    other.join()
    monkeypatch.undo()
    assert sorted(chains(run)) == sorted(run.manifest.chains)
    assert RunFolder.open(run.path).freeze().episodes == 4
    assert chains(run) == list(run.manifest.chains)


def test_each_planned_chain_is_frozen_once(half: RunFolder) -> None:
    with pytest.raises(ConfigError, match="already"):
        half.append(_everything[chains(half)[0]], {}, 1.0)
    with pytest.raises(ConfigError, match="not planned"):
        half.append(trajectory_left(half).model_copy(update={"chain_id": "elsewhere"}), {}, 1.0)


def test_only_one_of_two_makes_the_folder(
    frozen: dict[str, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunFolder, "check_free", lambda path: None)
    RunFolder.create(tmp_path / "run", frozen["noop"].manifest)
    with pytest.raises(ConfigError, match="another run has just made it"):
        RunFolder.create(tmp_path / "run", frozen["oracle"].manifest)
    assert RunFolder.open(tmp_path / "run").manifest == frozen["noop"].manifest


def test_a_folder_that_cannot_be_made_is_explained(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made a run folder"):
        RunFolder.create(tmp_path / "file" / "run", frozen["noop"].manifest)


def test_only_empty_folders_are_discarded(half: RunFolder, frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    half.discard_if_empty()
    assert len(chains(half)) == 2
    remade(tmp_path / "new", frozen["noop"], []).discard_if_empty()
    assert not (tmp_path / "new").exists()


def test_bad_folders_and_manifests_are_explained(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="holds no run"):
        find_runs(tmp_path)
    with pytest.raises(InputFileError, match="not a run folder"):
        RunFolder.open(tmp_path)
    (tmp_path / "run.json").write_text('{"agent": 3}')
    with pytest.raises(InputFileError, match=r"run\.json: agent"):
        RunFolder.open(tmp_path)


def test_a_folder_of_runs_is_refused_with_the_runs_in_it(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    for place in ("a/noop", "a/oracle"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "run.json").write_bytes(frozen["noop"].manifest.encoded())
    with pytest.raises(InputFileError, match=r"holds some, give one of them, e\.g\. .*/a/noop: noop, oracle"):
        RunFolder.open(tmp_path / "a")
    with pytest.raises(InputFileError, match="a/noop, a/oracle"):
        RunFolder.open(tmp_path)


def test_runs_are_found_below_a_folder_of_series_but_neither_inside_runs_nor_behind_links(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    within = tmp_path / "runs"
    for place in ("rand/steps-15/repeat-1", "rand/steps-15/repeat-0", "alone", "alone/kept", "a/b/c/d/e", "empty"):
        (within / place).mkdir(parents=True)
        if place != "empty":
            (within / place / "run.json").write_bytes(frozen["noop"].manifest.encoded())
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/run.json").write_bytes(frozen["noop"].manifest.encoded())
    (within / "link").symlink_to(tmp_path / "elsewhere")
    found = [within / name for name in ("alone", "rand/steps-15/repeat-0", "rand/steps-15/repeat-1")]
    assert find_runs(within) == found
    opened, left_out = open_runs([within, within / "rand", within / "empty"])
    assert [run.path for run in opened] == found
    assert left_out == [f"{within / 'empty'} holds no run: it was left out."]
    for search in (find_runs, lambda path: open_runs([path])):
        with pytest.raises(InputFileError, match="nosuch: is not there: give a run folder"):
            search(tmp_path / "nosuch")


def test_a_manifest_names_each_chain_once(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    manifest = json.loads(frozen["noop"].manifest.encoded())
    manifest["chains"].append(manifest["chains"][0])
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(InputFileError, match="every chain is run once"):
        RunFolder.open(tmp_path)
