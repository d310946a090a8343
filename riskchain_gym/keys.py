"""The key that a build is drawn from: that of a public seed, or the secret in a file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import derive_key, key_from_seed

SECRET_BYTES = 32
"""Fewest bytes of a secret."""

SECRET_VALUES = 16
"""Fewest different bytes of a secret: of 32 random ones about 30 differ, and fewer than 16 never do."""

_MAKE_ONE = "make a new one, e.g. with `head -c 32 /dev/urandom > FILE`"


class BuildKey(NamedTuple):
    """A key and what may be said of it.

    Attributes:
        key: The key itself.
        seed: The public seed, or ``None`` for a secret.
        commitment: What may be published of a secret: it fixes the secret and, as long as that is random, tells nothing
            of it or of what is drawn from it; ``None`` for a seed.
    """

    key: bytes
    seed: int | None
    commitment: str | None


def build_key(what: str, seed: int | None, key_file: Path | None) -> BuildKey:
    """Return the key of a build.

    Args:
        what: What is built, e.g. ``messages``.
        seed: The public seed; or give a key file.
        key_file: File with the secret of a sealed build.

    Raises:
        ConfigError: Neither or both are given.
        InputFileError: The key file cannot be read, is too short or is not random.
    """
    if seed is not None and key_file is None:
        return BuildKey(key_from_seed(seed), seed, None)
    if key_file is not None and seed is None:
        secret = _secret(key_file)
        return BuildKey(secret, None, commitment_of(secret))
    given = "got neither" if seed is None else "got both"
    raise ConfigError(f"A build of {what} needs --seed (open) or --key-file (sealed), {given}: give one of them.")


def commitment_of(secret: bytes) -> str:
    """Return what may be published of a secret: a keyed hash of a fixed text, as hexadecimal digits."""
    return derive_key(secret, "riskchain commitment/v1").hex()


def _secret(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give the file of the secret") from error
    if len(key) < SECRET_BYTES:
        raise InputFileError(path, "", f"holds {len(key)} bytes, a secret needs {SECRET_BYTES} or more: {_MAKE_ONE}")
    if (values := len(set(key))) < SECRET_VALUES:
        problem = f"holds {values} different bytes, a random secret has {SECRET_VALUES} or more: {_MAKE_ONE}"
        raise InputFileError(path, "", problem)
    return key
