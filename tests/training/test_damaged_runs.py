"""Run folders that were damaged, and checkpoints that were gone back to: a sentence that says what to do."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.training.rllib.checkpoints import Checkpoints, Progress
from riskchain_gym.training.rllib.curves import Curves


class Pickled:
    """Saves itself as RLlib does: a pickle in a folder."""

    def save_to_path(self, path: str) -> None:
        """Write the pickle."""
        Path(path).mkdir(parents=True)
        (Path(path) / "module_state.pkl").write_bytes(pickle.dumps({"weights": list(range(100))}))

    def restore_from_path(self, path: str) -> None:
        """Read it."""
        pickle.loads((Path(path) / "module_state.pkl").read_bytes())


def saved(folder: Path, *iterations: int, keep: int = 2) -> Checkpoints:
    checkpoints = Checkpoints(folder, keep)
    for iteration in iterations:
        checkpoints.save(Pickled(), Progress(iteration=iteration, env_steps=100 * iteration))
    return checkpoints


def refusal(checkpoints: Checkpoints) -> str:
    """Return the sentence with which a run is not gone on with."""
    with pytest.raises(InputFileError) as raised:
        checkpoints.restore(Pickled(), (checkpoints.latest() or (Path(), Progress()))[0])
    said = str(raised.value)
    assert "\n" not in said
    assert "http" not in said
    return said


@pytest.mark.parametrize(
    "said", [b"\xff\xfe", b"", b"10", b"../../base/checkpoints/00000005", b"/tmp/00000004", "０００００００４".encode()]
)
def test_the_pointer_is_eight_digits(tmp_path: Path, said: bytes) -> None:
    checkpoints = saved(tmp_path / "run", 2, 4)
    saved(tmp_path / "base" / "checkpoints", 5)
    (tmp_path / "run" / "latest").write_bytes(said)
    assert "eight digits" in (sentence := refusal(checkpoints))
    assert f"write 00000004, the newest whole one that is kept, into {tmp_path / 'run' / 'latest'}" in sentence


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ("{", "JSON"),
        ('{"iteration":-4,"env_steps":400}', "greater than or equal to 0, got -4"),
        ('{"iteration":4,"env_steps":"many"}', "valid integer"),
        ('{"iteration":2,"env_steps":200}', "of iteration 2"),
    ],
)
def test_a_damaged_state_is_said_with_the_checkpoint_before_it(tmp_path: Path, state: str, problem: str) -> None:
    checkpoints = saved(tmp_path, 2, 4)
    (tmp_path / "00000004" / "state.json").write_text(state)
    assert problem in (sentence := refusal(checkpoints))
    assert "write 00000002, the newest other that is kept" in sentence
    (tmp_path / "latest").write_text("00000002\n")
    assert checkpoints.latest() == (tmp_path / "00000002", Progress(iteration=2, env_steps=200))


def test_what_rllib_cannot_read_is_said_with_its_cause(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 2, 4)
    module = tmp_path / "00000004" / "rllib" / "module_state.pkl"
    module.write_bytes(module.read_bytes()[:20])
    assert "damaged (UnpicklingError" in (sentence := refusal(checkpoints))
    assert "write 00000002" in sentence
    module.unlink()
    module.parent.rmdir()
    assert "rllib/ is missing" in refusal(checkpoints)


def test_no_checkpoint_is_named_that_is_damaged_too(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 2, 4)
    for name in ("00000002", "00000004"):
        (tmp_path / name / "state.json").unlink()
    assert "no other whole one is kept, begin again in another folder" in refusal(checkpoints)


def test_a_lost_pointer_does_not_begin_the_run_again(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 2)
    (tmp_path / "latest").unlink()
    assert checkpoints.latest() is None  # killed before its first checkpoint was whole
    saved(tmp_path, 4)
    (tmp_path / "latest").unlink()
    assert "write 00000004" in refusal(checkpoints)


def test_a_run_that_has_gone_back_keeps_what_it_saves(tmp_path: Path) -> None:
    saved(tmp_path, 8, 10, 13)
    (tmp_path / "mine").mkdir()
    checkpoints = saved(tmp_path, 12, keep=1)
    assert checkpoints.latest() == (tmp_path / "00000012", Progress(iteration=12, env_steps=1200))
    assert {path.name for path in tmp_path.iterdir()} == {"00000012", "latest", "mine"}


@pytest.mark.parametrize(
    "line", ['{"a":1}', "garbage", "[]", '{"iteration":"2"}', '{"iteration":2,"lost":NaN}', "\x80"]
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "curves.jsonl"
    path.write_bytes(json.dumps({"iteration": 1}).encode() + b"\n" + line.encode("latin-1") + b"\n")
    for read in (Curves(path).rows, lambda: Curves(path).cut(1)):
        with pytest.raises(InputFileError, match=r"line 2: is no row .* take the line away"):
            read()
    assert len(path.read_bytes().splitlines()) == 2
