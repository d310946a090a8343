"""Files that are never half written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    The folder is made if missing. After a crash a stray ``.NAME.*`` file may be left beside it, the target is whole.

    Args:
        path: The file to replace or create.
        data: Its new content.
        private: Whether only its owner may read it; otherwise whoever the process's umask lets.
    """
    with written_atomically(path, private=private) as file:
        file.write(data)


@contextmanager
def written_atomically(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to bit by bit, which takes its place at the end of the block, as :func:`write_atomically`.

    If the block raises, nothing of it is left.

    Args:
        path: The file to replace or create.
        private: As there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    # The mode is given to the system when the file is made: it applies the umask, and the bytes were never open to all.
    mode = 0o600 if private else 0o666
    file = open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
