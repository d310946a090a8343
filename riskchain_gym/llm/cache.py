"""Answers on disk: one file an entry, named by what was asked, whole or absent."""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path

from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import canonical_json

FORMAT = "riskchain-llm-cache/v1"


class ReplyCache:
    """Bodies of answers by the SHA-256 of what was asked. Threads and processes may share a folder.

    The key of the service is no part of an entry nor of its name. An entry that cannot be trusted counts as absent,
    with a warning, and is replaced by the next answer.

    Args:
        folder: Where entries are; made with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return where an entry is or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> str | None:
        """Return the body of an answer, or ``None`` if there is none that can be trusted.

        Args:
            key: Hexadecimal SHA-256 of what was asked.
        """
        path = self.path(key)
        try:
            entry = json.loads(path.read_bytes())
            body = entry["body"]
            whole = entry["format"] == FORMAT and entry["key"] == key and entry["sha256"] == _digest(body)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            self._distrust(path, type(error).__name__)
            return None
        if not whole:
            self._distrust(path, "it does not match its own hash")
            return None
        return str(body)

    def put(self, key: str, body: str) -> None:
        """Keep the body of an answer.

        Args:
            key: Hexadecimal SHA-256 of what was asked.
            body: The body as it came.

        Raises:
            OSError: The folder cannot be written to.
        """
        entry = {"format": FORMAT, "key": key, "sha256": _digest(body), "body": body}
        write_atomically(self.path(key), canonical_json(entry).encode("utf-8", "surrogatepass"))

    def _distrust(self, path: Path, why: str) -> None:
        warnings.warn(f"{path}: this cached answer is damaged ({why}) and will be asked for again.", stacklevel=3)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
