"""Weights of a module as a file of named arrays, without pickle: to begin with, to evaluate, to give away."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import write_atomically

_TYPES = frozenset(
    np.dtype(name) for name in ("float16", "float32", "float64", "bool", "uint8", "int8", "int16", "int32", "int64")
)
"""What torch takes over from numpy, in this machine's byte order."""

_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise where the bytes are not what they expect."""


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
        InputFileError: It is not there, or no such file, or an array in it holds no finite numbers.
    """
    try:
        weights = _arrays(path)
    except FileNotFoundError as error:
        raise InputFileError(path, "", "there is no such file of weights, check the path") from error
    except _UNREADABLE as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputFileError(
            path, "", f"it cannot be read as a file of weights ({said}): give a weights.npz that a run wrote"
        ) from error
    for name, value in weights.items():
        if not isinstance(value, np.ndarray) or value.dtype not in _TYPES:
            held = f"type {value.dtype}" if isinstance(value, np.ndarray) else "no array"
            raise InputFileError(path, name, f"holds {held}, not numbers: give a weights.npz that a run wrote")
        # What is larger would be infinite in single precision, which modules compute in.
        if value.dtype.kind == "f" and not (np.abs(value) <= np.finfo(np.float32).max).all():
            raise InputFileError(
                path, name, "holds numbers that are not finite: give weights that training wrote whole"
            )
    return weights


def _arrays(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        held = np.load(file, allow_pickle=False)
        if not isinstance(held, np.lib.npyio.NpzFile):
            raise ValueError("it is one array without a name")
        return {name: held[name] for name in held.files}


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
