"""Whatever is changed in a run folder after it was written, the check finds it and names the place."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from model_cases import Script, settings_for
from run_cases import remade, trajectories

from riskchain_gym.evaluation.calls import CallLog, ChainCalls
from riskchain_gym.evaluation.images import media_name
from riskchain_gym.evaluation.incidents import Incident, IncidentLog
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.store import MEDIA, RESTORATIONS, SCORES, SEAL, SHARD, RunFolder
from riskchain_gym.evaluation.verify import Check, Verification, verify_run
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.protocol.failures import EpisodeStatus


def check(found: Verification, name: str) -> Check:
    return next(each for each in found.checks if each.name == name)


def problems(found: Verification) -> list[str]:
    return [str(problem) for each in found.checks for problem in each.problems]


@pytest.fixture(scope="module")
def sealed(frozen_with_images: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed run with screenshots; whoever changes a file of it puts it back."""
    path = tmp_path_factory.mktemp("sealed") / "run"
    shutil.copytree(frozen_with_images.path, path)
    RunFolder.open(path).freeze()
    score_run(RunFolder.open(path))
    return path


@pytest.fixture
def run(sealed: Path, tmp_path: Path) -> Path:
    shutil.copytree(sealed, tmp_path / "run")
    return tmp_path / "run"


def test_a_run_as_it_was_written_is_whole(sealed: Path) -> None:
    found = verify_run(sealed, rescore=True)

    assert found.intact, problems(found)
    statuses = {each.name: each.status for each in found.checks}
    assert {name for name, status in statuses.items() if status == "not_checked"} == {
        "restorations",
        "incidents",
        "calls",
        "replies",
    }
    assert found.run == RunFolder.open(sealed).identity


@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_one_changed_byte_is_found(sealed: Path, data: st.DataObject) -> None:
    change_a_byte(sealed, data)


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_whichever_byte_is_changed_it_is_found(sealed: Path, data: st.DataObject) -> None:
    change_a_byte(sealed, data)


def change_a_byte(sealed: Path, data: st.DataObject) -> None:
    pictures = sorted(f"{MEDIA}/{each.name}" for each in (sealed / MEDIA).iterdir())
    name = data.draw(st.sampled_from([SHARD, SHARD, SEAL, "run.json", SCORES, *pictures[:2]]))
    path = sealed / name
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[place]))
    assume(not any(found.start() <= place < found.end() for found in re.finditer(rb'(?<="seconds":)[\d.e-]+', whole)))

    try:
        path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
        found = verify_run(sealed, rescore=name == SCORES)
    finally:
        path.write_bytes(whole)

    assert not found.intact


def _drop_line(path: Path) -> None:
    lines = (path / SHARD).read_bytes().splitlines(keepends=True)
    (path / SHARD).write_bytes(b"".join(lines[:-1]))


def _drop_picture(path: Path) -> None:
    sorted((path / MEDIA).iterdir())[0].unlink()


def _add_file(path: Path) -> None:
    (path / MEDIA / "note.txt").write_text("hello")


def _older_scores(path: Path) -> None:
    scores = json.loads((path / SCORES).read_bytes())
    (path / SCORES).write_text(json.dumps({**scores, "last": "0" * 64}))


def _respelled(path: Path) -> None:
    (path / SHARD).write_bytes((path / SHARD).read_bytes().replace(b'"index":0', b'"index": 0', 1))


def _stray_incident(path: Path) -> None:
    IncidentLog(path).add(Incident(chain_id="nowhere", cause="worker_died"))


@pytest.mark.parametrize(
    ("damage", "name", "said"),
    [
        (_drop_line, "seal", "episodes is 1, frozen was 2"),
        (_respelled, "episodes", "line 1: is not spelled as it was written, though it reads the same"),
        (_drop_picture, "media", "is not there, and shards/00000.jsonl"),
        (_add_file, "media", "media/note.txt: belongs to no episode. Remove it."),
        (_older_scores, "scores", "scores.json: last: is older than the run's last episode"),
        (_stray_incident, "incidents", "incidents.jsonl: line 1: chain 'nowhere' is not planned"),
    ],
)
def test_what_is_missing_or_added_is_named(run: Path, damage: Callable[[Path], None], name: str, said: str) -> None:
    damage(run)

    found = verify_run(run)

    assert not found.intact
    assert check(found, name).status == "problem"
    assert any(said in problem for problem in problems(found)), problems(found)


def test_an_episode_that_contradicts_itself_is_found_though_its_record_is_hashed(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    like = frozen["rules+explorer"]
    first, *others = trajectories(like)
    steps = (first.steps[0].model_copy(update={"feedback": "well done"}), *first.steps[1:])
    forged = remade(tmp_path / "forged", like, [(t, {}) for t in (first.model_copy(update={"steps": steps}), *others)])

    found = verify_run(forged.path)

    assert check(found, "episodes").status == "ok"
    assert "steps.0: the hash chain is broken" in problems(found)[0]
    assert f"line 1 ({first.chain_id})" in problems(found)[0]


def test_scores_that_are_not_what_scoring_gives_need_rescoring_to_be_found(run: Path) -> None:
    path = run / SCORES
    path.write_bytes(path.read_bytes().replace(b'"end_to_end_correct": 0', b'"end_to_end_correct": 1'))

    assert verify_run(run).intact
    assert "is not what scoring gives now. Score the run again" in problems(verify_run(run, rescore=True))[0]


def test_screenshots_of_an_attempt_that_was_broken_off_are_no_fault(run: Path) -> None:
    (run / MEDIA / media_name(b"left over")).write_bytes(b"left over")
    (run / MEDIA / ".half.webp.0a1b").write_bytes(b"")

    found = verify_run(run)

    assert found.intact
    assert "2 more of attempts that were broken off" in check(found, "media").said


def test_a_run_that_goes_on_has_no_seal_yet_and_a_torn_line_is_told(
    frozen: dict[str, RunFolder], tmp_path: Path
) -> None:
    like = frozen["noop"]
    half = remade(tmp_path / "half", like, [(t, {}) for t in trajectories(like)[:2]])
    with (half.path / SHARD).open("ab") as file:
        file.write(b'{"trajectory":')

    found = verify_run(half.path)

    assert found.intact
    assert "2 of 4" in check(found, "episodes").said
    assert "never finished" in check(found, "episodes").said
    assert check(found, "seal").said == "there is none: the run goes on"


def test_a_split_that_is_not_here_leaves_the_rest_checked(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["noop"]
    moved = remade(tmp_path / "moved", like, [(t, {}) for t in trajectories(like)], split="elsewhere")
    ends = {"run": moved.identity, "last": moved.last_hash, "last_restoration": moved.last_restoration}
    scores = {**json.loads(like.scores()), **ends}
    (moved.path / SCORES).write_text(json.dumps(scores))

    found = verify_run(moved.path)

    assert found.intact
    assert check(found, "split").status == check(found, "scores").status == "not_checked"
    assert "not on this machine" in check(found, "scores").said


def test_answers_and_calls_prove_each_other(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    with FakeEndpoint(Script()) as endpoint:
        settings = settings_for(endpoint)
        run = run_agent("llm", tmp_path / "run", settings).path
    assert verify_run(run).intact
    kept = sorted(each for each in (run / "replies").rglob("*.json"))

    body = kept[0].read_bytes()
    kept[0].write_bytes(body.replace(b"choices", b"choises"))
    damaged = problems(verify_run(run))
    kept[0].unlink()
    missing = problems(verify_run(run))

    assert any("does not match its own hash or name. Remove it" in problem for problem in damaged), damaged
    assert any("calls/00000.jsonl: line" in problem and "holds its answer" in problem for problem in missing), missing


def test_restorations_are_checked_as_episodes_are(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    like = frozen["rules+explorer"]
    run = remade(tmp_path / "run", like, [(t, {}) for t in trajectories(like)], restored=("v001",))
    for trajectory in trajectories(like):
        alone = {"variant": "v001", "status": EpisodeStatus.COMMITTED, "steps": trajectory.steps[:1], "report": None}
        run.append_restoration(trajectory.model_copy(update={**alone, "landing": None, "pages": {}}), 0.1)
    run.freeze()
    whole = verify_run(run.path)

    path = run.path / RESTORATIONS
    path.write_bytes(path.read_bytes().replace(b'"strikes":0', b'"strikes":1', 1))
    damaged = verify_run(run.path)

    assert whole.intact, problems(whole)
    assert check(whole, "restorations").said.startswith("4 of 4")
    assert "restorations/00000.jsonl: line 1: breaks the chain of hashes" in problems(damaged)[0]
    assert check(damaged, "seal").status == "not_checked"


def test_a_call_of_a_variant_that_was_not_planned_is_found(run: Path) -> None:
    chain = RunFolder.open(run).manifest.chains[0]
    CallLog(run).add(ChainCalls(chain_id=chain, variant="v003"))

    assert (
        f"calls/00000.jsonl: line 1: variant 'v003' of chain '{chain}' is not planned" in problems(verify_run(run))[0]
    )
