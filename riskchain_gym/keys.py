"""The key that a build is drawn from: that of a public seed, or the secret in a file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import key_from_seed

SECRET_BYTES = 32
"""Fewest bytes of a secret."""


class BuildKey(NamedTuple):
    """A key and what may be said of it.

    Attributes:
        key: The key itself.
        seed: The public seed, or ``None`` for a secret.
        sha256: SHA-256 of a secret, which may be published; ``None`` for a seed.
    """

    key: bytes
    seed: int | None
    sha256: str | None


def build_key(what: str, seed: int | None, key_file: Path | None) -> BuildKey:
    """Return the key of a build.

    Args:
        what: What is built, e.g. ``messages``.
        seed: The public seed; or give a key file.
        key_file: File with the secret of a sealed build.

    Raises:
        ConfigError: Neither or both are given.
        InputFileError: The key file cannot be read or is too short.
    """
    if seed is not None and key_file is None:
        return BuildKey(key_from_seed(seed), seed, None)
    if key_file is not None and seed is None:
        secret = _secret(key_file)
        return BuildKey(secret, None, hashlib.sha256(secret).hexdigest())
    given = "got neither" if seed is None else "got both"
    raise ConfigError(f"A build of {what} needs --seed (open) or --key-file (sealed), {given}: give one of them.")


def _secret(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give the file of the secret") from error
    if len(key) < SECRET_BYTES:
        raise InputFileError(path, "", f"holds {len(key)} bytes, a secret needs {SECRET_BYTES} or more: make a new one")
    return key
