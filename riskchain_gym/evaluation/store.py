"""The run folder: plain files that a run is frozen into, without gold.

::

    RUN/
      run.json              what was run, written first
      shards/00000.jsonl    one episode a line, append-only, hash-chained
      media/<name>.webp     screenshots, named by their pixels
      scores.json           outcomes and summary, written by scoring from the gold
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen, canonical_json, sha256_of
from riskchain_gym.protocol.trajectory import GENESIS, Trajectory

MANIFEST, SHARD, MEDIA, SCORES = "run.json", "shards/00000.jsonl", "media", "scores.json"


class RunManifest(Frozen):
    """What was run: everything that can change its outcome.

    Attributes:
        agent: Name of the agent.
        agent_kind: ``baseline``, ``control`` or ``oracle``; the last two are marked in tables.
        agent_sha256: Hash of the agent's configuration.
        split: Name or path of the split.
        split_sha256: Hash of the split's public file.
        origin: ``open`` or ``sealed``, as the split says.
        env_id: Gymnasium id.
        env_kwargs: Keyword arguments it was made with.
        versions: Versions of the package and of what the episodes depend on, the browser among them.
    """

    schema_version: Literal["riskchain-run/v1"] = "riskchain-run/v1"
    agent: str
    agent_kind: Literal["baseline", "control", "oracle"]
    agent_sha256: str
    split: str
    split_sha256: str
    origin: Literal["open", "sealed"]
    env_id: str
    env_kwargs: dict[str, str | int | float | bool | list[str] | None]
    versions: dict[str, str]

    @property
    def identity(self) -> str:
        """Hash of the manifest; runs are comparable episode by episode only when it is equal."""
        return sha256_of(self)


class EpisodeRecord(Frozen):
    """One episode as frozen.

    Attributes:
        trajectory: What happened.
        media: File name of the screenshot of each browse step (a string key), relative to ``media/``.
        seconds: Wall time; not part of any hash.
        previous: ``hash`` of the record before, or the genesis hash.
        hash: SHA-256 of the trajectory's hash, the media names and ``previous``.
    """

    trajectory: Trajectory
    media: dict[str, str] = Field(default_factory=dict)
    seconds: float
    previous: str = GENESIS
    hash: str = ""

    def expected_hash(self) -> str:
        """Return the hash this record must carry."""
        return sha256_of([self.trajectory.trajectory_hash(), self.media, self.previous])


class RunFolder:
    """A run folder opened for reading and appending.

    Args:
        path: The folder.
        manifest: What is run in it.
    """

    def __init__(self, path: Path, manifest: RunManifest) -> None:
        self.path = path
        self.manifest = manifest
        self._last: str | None = None

    @classmethod
    def create(cls, path: Path, manifest: RunManifest) -> RunFolder:
        """Make a new run folder.

        Raises:
            ConfigError: The path exists and is not an empty folder; data already written is never overwritten.
        """
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ConfigError(f"{path} exists and is not empty: choose another folder for the run.")
        write_atomically(path / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
        (path / MEDIA).mkdir(exist_ok=True)
        (path / SHARD).parent.mkdir(exist_ok=True)
        return cls(path, manifest)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run folder.

        Raises:
            InputFileError: There is no run in it, or its manifest is malformed.
        """
        try:
            data = (path / MANIFEST).read_bytes()
        except OSError as error:
            raise InputFileError(path / MANIFEST, "", f"is not there: {path} is not a run folder") from error
        try:
            return cls(path, RunManifest.model_validate_json(data))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InputFileError(path / MANIFEST, ".".join(map(str, first["loc"])), first["msg"]) from error

    def append(self, trajectory: Trajectory, images: Mapping[int, tuple[str, bytes]], seconds: float) -> EpisodeRecord:
        """Freeze one episode; its screenshots are on disk before its line is, and the line is synced.

        Args:
            trajectory: The episode.
            images: File name and encoded bytes of the screenshot of each browse step.
            seconds: Wall time of the episode.
        """
        for name, data in images.values():
            if not (self.path / MEDIA / name).exists():
                write_atomically(self.path / MEDIA / name, data)
        if self._last is None:
            self._last = GENESIS
            for record in self.records():
                self._last = record.hash
        record = EpisodeRecord(
            trajectory=trajectory,
            media={str(step): name for step, (name, _) in sorted(images.items())},
            seconds=round(seconds, 3),
            previous=self._last,
        )
        record = record.model_copy(update={"hash": record.expected_hash()})
        with (self.path / SHARD).open("ab") as file:
            file.write(canonical_json(record).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._last = record.hash
        return record

    def records(self) -> Iterator[EpisodeRecord]:
        """Yield the episodes in the order they were frozen, checking the chain of hashes.

        Raises:
            InputFileError: A line is malformed or the chain is broken; the message names the line.
        """
        shard = self.path / SHARD
        if not shard.exists():
            return
        previous = GENESIS
        with shard.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    record = EpisodeRecord.model_validate_json(line)
                except ValidationError as error:
                    raise InputFileError(shard, f"line {number}", "is not an episode record") from error
                if record.previous != previous or record.hash != record.expected_hash():
                    raise InputFileError(shard, f"line {number}", "breaks the chain of hashes: it was changed or moved")
                previous = record.hash
                yield record

    def scores(self) -> bytes:
        """Return the bytes of ``scores.json``.

        Raises:
            InputFileError: The run was not scored yet.
        """
        try:
            return (self.path / SCORES).read_bytes()
        except OSError as error:
            raise InputFileError(self.path / SCORES, "", "is not there: score the run first") from error


def find_runs(path: Path) -> list[Path]:
    """Return the run folders at or directly below a path, sorted by name.

    Raises:
        InputFileError: There is none.
    """
    found = [p.parent for p in (path / MANIFEST, *sorted(path.glob(f"*/{MANIFEST}"))) if p.is_file()]
    if not found:
        raise InputFileError(path, "", f"holds no run: a run folder has a {MANIFEST}")
    return found
