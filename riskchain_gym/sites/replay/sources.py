"""What a capture is, by looking at it: a mirror folder, a HAR or a WARC."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.replay.capture import Budget, Capture, Notes
from riskchain_gym.sites.replay.folder import read_folder
from riskchain_gym.sites.replay.har import read_har
from riskchain_gym.sites.replay.warc import read_warc

SourceKind = Literal["folder", "har", "warc"]

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """A capture on disk.

    Attributes:
        path: Where it lies.
        kind: What it is.
    """

    path: Path
    kind: SourceKind

    def captures(self, base: str, budget: Budget, notes: Notes) -> Iterator[Capture]:
        """Yield its answers in order.

        Args:
            base: Address that a folder stands for.
            budget: How large bodies may be.
            notes: Where what is left out is listed.

        Raises:
            InputFileError: It cannot be read as what it is.
        """
        match self.kind:
            case "folder":
                yield from read_folder(self.path, base, budget, notes)
            case "har":
                yield from read_har(self.path, budget, notes)
            case "warc":
                yield from read_warc(self.path, budget, notes)


def find_source(path: Path) -> Source:
    """Return what lies at a path.

    Raises:
        InputFileError: Nothing does, or it is no capture.
    """
    if path.is_dir():
        return Source(path, "folder")
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give a folder, HAR or WARC") from error
    if start.startswith((b"WARC/", _GZIP)):
        return Source(path, "warc")
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return Source(path, "har")
    raise InputFileError(path, "", "is no capture: give a mirror folder, a HAR (JSON) or a WARC (.warc, .warc.gz)")


def hash_source(source: Source, captures: list[Capture]) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and hashes of the files read."""
    if source.kind == "folder":
        rows = [[capture.url, hashlib.sha256(capture.body).hexdigest()] for capture in captures]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    with source.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
