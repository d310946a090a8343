"""Files of weights that are none."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.training.rllib.weights import read_weights, save_weights


def test_weights_come_back(tmp_path: Path) -> None:
    weights = {"a.weight": np.ones((2, 3), np.float32), "counts": np.arange(3), "on": np.array([True])}
    save_weights(weights, tmp_path / "weights.npz")
    found = read_weights(tmp_path / "weights.npz")
    assert found.keys() == weights.keys()
    assert all(
        np.array_equal(found[name], value) and found[name].dtype == value.dtype for name, value in weights.items()
    )


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06" + bytes(3), b"weights"])
def test_what_is_no_such_file_is_said(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "weights.npz"
    path.write_bytes(data)
    with pytest.raises(InputFileError, match=r"cannot be read .*: give a weights\.npz that a run wrote") as raised:
        read_weights(path)
    assert "\n" not in str(raised.value)


def test_a_single_array_and_a_folder_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(InputFileError, match="one array without a name"):
        read_weights(tmp_path / "one.npy")
    with pytest.raises(InputFileError, match="Is a directory"):
        read_weights(tmp_path)


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    save_weights({"a": np.ones(40, np.float32), "b": np.ones(4, np.float32)}, tmp_path / "whole.npz")
    data = (tmp_path / "whole.npz").read_bytes()
    for length in range(len(data)):
        (tmp_path / "cut.npz").write_bytes(data[:length])
        with pytest.raises(InputFileError):
            read_weights(tmp_path / "cut.npz")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.array([1, np.nan], np.float32), "not finite"),
        (np.array([1, -np.inf], np.float16), "not finite"),
        (np.array([1e300]), "not finite"),
        (np.array(["x"]), "type <U1"),
        (np.ones(2, complex), "type complex128"),
        (np.ones(2, ">f4"), "type >f4"),
    ],
)
def test_arrays_that_no_module_can_take_are_named(tmp_path: Path, value: np.ndarray, said: str) -> None:
    save_weights({"good": np.ones(2), "pi.bias": value}, tmp_path / "weights.npz")
    with pytest.raises(InputFileError, match=rf"pi\.bias: holds .*{said}"):
        read_weights(tmp_path / "weights.npz")


def test_a_member_that_is_no_array_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "weights.npz", "w") as file:
        file.writestr("notes.txt", "hello")
    with pytest.raises(InputFileError, match=r"notes\.txt: holds no array"):
        read_weights(tmp_path / "weights.npz")
