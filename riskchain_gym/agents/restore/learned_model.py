"""The file of the learned restorer's network: weights in half precision, sizes, settings, hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from riskchain_gym.agents.restore.learned_network import Network, Shape
from riskchain_gym.agents.restore.learned_text import SPECIALS
from riskchain_gym.agents.restore.ngram import model_file
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import write_atomically

MODEL = "learned.safetensors"
"""File of the model in ``baselines/models/``."""

FORMAT = "riskchain-restorer/v1"
"""What the file says it is."""

Array = NDArray[np.float16] | NDArray[np.float32]
_CHARACTERS = "vocabulary"
_HALF = "F16"
"""Name of half precision in safetensors."""


def weights_sha256(weights: Mapping[str, Array]) -> str:
    """Return a hash of names, shapes and values.

    Args:
        weights: Arrays by name.
    """
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].shape} {weights[name].dtype}\n".encode())
        digest.update(np.ascontiguousarray(weights[name]).tobytes())
    return digest.hexdigest()


def write_model(
    path: Path, weights: Mapping[str, Array], shape: Shape, vocabulary: Sequence[str], made: Mapping[str, str]
) -> None:
    """Write a model.

    Args:
        path: Where to.
        weights: Arrays by name; they are written in half precision.
        shape: Sizes.
        vocabulary: Characters with a row of their own, in the order of their rows.
        made: How it was made.
    """
    halves = {name: np.ascontiguousarray(value, dtype=np.float16) for name, value in weights.items()}
    metadata = {
        **made,
        "format": FORMAT,
        "shape": json.dumps(asdict(shape), sort_keys=True),
        _CHARACTERS: json.dumps(list(vocabulary)),
        "weights_sha256": weights_sha256(halves),
    }
    write_atomically(path, save(halves, metadata=dict(sorted(metadata.items()))))


def read_model(path: Path) -> tuple[Network, dict[str, str]]:
    """Return the network of a file, and what the file says of how it was made.

    Raises:
        InputFileError: The file cannot be read, is no such model, or is damaged.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            metadata: dict[str, str] = dict(file.metadata() or {})
            for name in file.keys():  # noqa: SIM118
                if (kind := file.get_slice(name).get_dtype()) != _HALF:
                    raise InputFileError(path, name, f"is of type {kind}, and weights are {_HALF}: train it again")
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise InputFileError(path, "", f"it cannot be read ({error}): train it again, or reinstall") from error
    if metadata.get("format") != FORMAT:
        raise InputFileError(path, "format", f"a restorer's file says '{FORMAT}': train it again")
    if metadata.get("weights_sha256") != weights_sha256(weights):
        raise InputFileError(path, "weights_sha256", "the weights are not those that were written: reinstall")
    try:
        shape = Shape(**json.loads(metadata["shape"]))
        vocabulary = _vocabulary(metadata[_CHARACTERS])
        network = Network({name: value.astype(np.float32) for name, value in weights.items()}, shape, vocabulary)
    except KeyError as error:
        raise InputFileError(path, str(error.args[0]), "the file does not say it: train it again") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(path, "shape", f"sizes and weights do not fit ({error}): train it again") from error
    return network, metadata


def _vocabulary(text: str) -> dict[str, int]:
    characters = json.loads(text)
    if not isinstance(characters, list) or not all(isinstance(char, str) and len(char) == 1 for char in characters):
        raise ValueError(f"{_CHARACTERS} is no list of characters")
    if len(set(characters)) < len(characters):
        raise ValueError(f"{_CHARACTERS} holds a character twice")
    return {char: SPECIALS + place for place, char in enumerate(characters)}


@cache
def load_network(name: str = MODEL) -> Network:
    """Return the network of a file in ``baselines/models/``, read once in a process.

    Raises:
        InputFileError: The file is missing, is no such model, or is damaged.
    """
    return read_model(model_file(name))[0]
