"""Weights of a module as a file of named arrays, without pickle: to begin with, to evaluate, to give away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import write_atomically


def save_weights(weights: Mapping[str, Any], path: Path) -> None:
    """Write named arrays.

    Args:
        weights: Arrays or torch tensors by name, e.g. ``module.state_dict()``.
        path: The file, ``.npz``.
    """
    held = io.BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in weights.items()}
    np.savez(held, **arrays)
    write_atomically(path, held.getvalue())


def read_weights(path: Path) -> dict[str, NDArray[Any]]:
    """Return the named arrays of a file of weights.

    Raises:
        InputFileError: It is not there, or no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except FileNotFoundError as error:
        raise InputFileError(path, "", "there is no such file of weights, check the path") from error
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise InputFileError(path, "", f"it cannot be read as a file of weights ({error})") from error


def load_weights(module: Any, weights: Mapping[str, NDArray[Any]], source: Path | str) -> None:
    """Put named arrays into a torch module.

    Args:
        module: The module.
        weights: What :func:`read_weights` returned.
        source: Where they are from, for the error.

    Raises:
        InputFileError: Names or shapes are not those of the module.
    """
    import torch

    wanted = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    found = {name: tuple(value.shape) for name, value in weights.items()}
    if odd := sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)):
        raise InputFileError(
            source,
            odd[0],
            f"the module holds {wanted.get(odd[0], 'nothing')} here and the file {found.get(odd[0], 'nothing')}: give "
            "the settings (hidden, env) that the weights were trained with",
        )
    module.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in weights.items()})
