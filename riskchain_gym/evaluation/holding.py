"""Folders that one process at a time works in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from riskchain_gym.protocol.errors import ConfigError


@contextmanager
def folder_held(path: Path) -> Iterator[None]:
    """Hold a folder for this process; it is made if missing. The system lets go of it when the process ends, however.

    Args:
        path: The folder.

    Raises:
        ConfigError: Another run is at work in it, or it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(f"{path} cannot be made a run folder ({error.strerror}): choose another one.") from error
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(
                f"Another run is at work in {path}: wait until it has ended, or stop it first."
            ) from error
        yield
    finally:
        os.close(held)
