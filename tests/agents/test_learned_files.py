"""Files of the learned restorer's network that are none: each is refused when it is read, not when it restores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from riskchain_gym.agents.restore.learned_model import FORMAT, read_model, weights_sha256, write_model
from riskchain_gym.agents.restore.learned_network import Shape
from riskchain_gym.protocol.errors import InputFileError

SMALL = Shape(width=8, heads=2, hidden=12, encoder_layers=1, decoder_layers=1)
KNOWN = ["a", "b", "登"]
Arrays = dict[str, Any]


def arrays(shape: Shape = SMALL) -> Arrays:
    return {name: np.full(size, 0.5, np.float16) for name, size in shape.arrays(len(KNOWN))}


def written(path: Path, weights: Arrays, **said: Any) -> Path:
    """Write a file whose hash is right, whatever else it says."""
    values = {"shape": json.dumps(vars(SMALL)), "vocabulary": json.dumps(KNOWN), **said}
    hashed = {"format": FORMAT, "weights_sha256": weights_sha256(weights)}
    save_file(weights, path, metadata=hashed | {name: value for name, value in values.items() if value is not None})
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputFileError) as raised:
        read_model(path)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_small_network_comes_back(tmp_path: Path) -> None:
    write_model(tmp_path / "model", arrays(), SMALL, KNOWN, {"command": "none"})
    network, made = read_model(tmp_path / "model")
    assert (network.shape, network.vocabulary["登"], made["command"]) == (SMALL, 6, "none")
    read_model(written(tmp_path / "other", arrays()))


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ({"width": 0}, "width is no whole number above 0, got 0"),
        ({"heads": 0}, "heads is no whole number above 0"),
        ({"hidden": "12"}, "hidden is no whole number above 0, got '12'"),
        ({"reach": 4}, "reach is odd, got 4"),
        ({"heads": 3}, "3 heads cannot share 8 features"),
        ({"base": 0}, "base is a number"),
        ({"width": 10**12, "heads": 1}, "characters.weight is"),
        ({"hidden": 10**12}, "encoder.0.1.up.weight is"),
        ({"encoder_layers": 10**12}, "there is no array encoder.1.0.norm.gain"),
        ({"decoder_layers": 10**12}, "there is no array decoder.1.0.norm.gain"),
        ({"reach": 10**12 + 1}, "front.weight is"),
        ({"depth": 1}, "depth"),
    ],
)
def test_sizes_that_are_none_are_refused(tmp_path: Path, shape: dict[str, Any], said: str) -> None:
    assert said in refusal(written(tmp_path / "model", arrays(), shape=json.dumps({**vars(SMALL), **shape})))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"shape": "[]"}, "sizes and weights do not fit"),
        ({"shape": "[" * 100_000}, "sizes and weights do not fit"),
        ({"shape": None}, "shape: the file does not say it"),
        ({"vocabulary": None}, "vocabulary: the file does not say it"),
        ({"vocabulary": "{}"}, "no list of characters"),
        ({"vocabulary": '["a", "b", "cc"]'}, "no list of characters"),
        ({"vocabulary": '["a", "b", "a"]'}, "a character twice"),
        ({"vocabulary": '["a", "b", "c", "d"]'}, "characters.weight is (68, 8) and not (69, 8)"),
    ],
)
def test_what_the_file_says_is_checked(tmp_path: Path, values: dict[str, str | None], said: str) -> None:
    assert said in refusal(written(tmp_path / "model", arrays(), **values))


def dropped(weights: Arrays, name: str) -> None:
    del weights[name]


def halved(weights: Arrays, name: str) -> None:
    weights[name] = weights[name][:1].copy()


def spoiled(weights: Arrays, name: str) -> None:
    weights[name].flat[-1] = np.nan


@pytest.mark.parametrize("name", list(dict(SMALL.arrays(len(KNOWN)))))
@pytest.mark.parametrize(
    ("change", "said"), [(dropped, "there is no array"), (halved, "and not"), (spoiled, "not finite")]
)
def test_every_array_is_checked(tmp_path: Path, change: Callable[[Arrays, str], None], said: str, name: str) -> None:
    weights = arrays()
    change(weights, name)
    sentence = refusal(written(tmp_path / "model", weights))
    assert name in sentence
    assert said in sentence


def test_an_array_too_many_is_refused(tmp_path: Path) -> None:
    assert "nothing reads the array spare" in refusal(
        written(tmp_path / "model", {**arrays(), "spare": np.ones(1, np.float16)})
    )


@pytest.mark.parametrize(("dtype", "name"), [("<f4", "F32"), ("<f2", "BF16"), ("|u1", "F8_E4M3")])
def test_other_types_of_numbers_are_refused(tmp_path: Path, dtype: str, name: str) -> None:
    own = {"<f4": "F32", "<f2": "F16", "|u1": "U8"}[dtype]
    data = save({"odd": np.ones(8, dtype)}, metadata={"format": FORMAT})
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].replace(f'"{own}"'.encode(), f'"{name}"'.encode())
    (tmp_path / "model").write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])
    assert f"odd: is of type {name}, and weights are F16" in refusal(tmp_path / "model")
