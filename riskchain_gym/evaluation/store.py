"""The run folder: plain files that a run is frozen into, without gold.

::

    RUN/
      run.json              what was run, written first
      shards/00000.jsonl    one episode a line, append-only, hash-chained
      media/<name>.webp     screenshots, named by their bytes
      calls/00000.jsonl     what the agent asked of a model, see :mod:`riskchain_gym.evaluation.calls`
      replies/              the model's answers as they came, see :mod:`riskchain_gym.llm.cache`
      scores.json           outcomes and summary, written by scoring from the gold
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.evaluation.images import media_name
from riskchain_gym.evaluation.records import EpisodeRecord, RunManifest
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.trajectory import Trajectory

MANIFEST, SHARD, MEDIA, SCORES = "run.json", "shards/00000.jsonl", "media", "scores.json"
_LISTED = 5


class RunFolder:
    """A run folder opened for reading and appending.

    Args:
        path: The folder.
        manifest: What is run in it.
        identity: SHA-256 of the bytes of ``run.json``; the first record's ``previous`` and the ``run`` of the scores.
    """

    def __init__(self, path: Path, manifest: RunManifest, identity: str) -> None:
        self.path = path
        self.manifest = manifest
        self.identity = identity
        self._shard = LineFile(path / SHARD)
        self._size = 0
        self._last = identity
        self._chains: set[str] = set()

    @staticmethod
    def check_free(path: Path) -> None:
        """Refuse a path at which no run folder can be made.

        Raises:
            ConfigError: It exists and is not an empty folder; data already written is never overwritten.
        """
        if path.exists() and (not path.is_dir() or any(not _left_over(inside) for inside in path.iterdir())):
            raise ConfigError(f"{path} exists and is not empty: choose another folder for the run.")

    @classmethod
    def create(cls, path: Path, manifest: RunManifest) -> RunFolder:
        """Make a new run folder.

        Raises:
            ConfigError: The path exists and is not an empty folder, another run is making one there, or none can be
                made.
        """
        cls.check_free(path)
        with folder_held(path):
            return cls.begin(path, manifest)

    @classmethod
    def begin(cls, path: Path, manifest: RunManifest) -> RunFolder:
        """Make a run folder of a folder that is held, see :func:`~riskchain_gym.evaluation.holding.folder_held`.

        Raises:
            ConfigError: There is a run in it already.
        """
        if (path / MANIFEST).exists():
            raise ConfigError(f"{path} cannot be made a run folder (another run has just made it): choose another one.")
        data = manifest.encoded()
        write_atomically(path / MANIFEST, data)
        (path / MEDIA).mkdir(exist_ok=True)
        (path / SHARD).parent.mkdir(exist_ok=True)
        return cls(path, manifest, hashlib.sha256(data).hexdigest())

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run folder.

        Raises:
            InputFileError: There is no run in it, or its manifest is malformed.
        """
        try:
            data = (path / MANIFEST).read_bytes()
        except OSError as error:
            found = (p.parent for inside in ("*", "*/*") for p in sorted(path.glob(f"{inside}/{MANIFEST}")))
            if names := [str(run.relative_to(path)) for run in found]:
                named = ", ".join(names[:_LISTED]) + (" …" if len(names) > _LISTED else "")
                problem = f"is not a run folder but holds some, give one of them, e.g. {path / names[0]}: {named}"
                raise InputFileError(path, "", problem) from error
            raise InputFileError(path / MANIFEST, "", f"is not there: {path} is not a run folder") from error
        try:
            manifest = RunManifest.model_validate_json(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InputFileError(path / MANIFEST, ".".join(map(str, first["loc"])), first["msg"]) from error
        return cls(path, manifest, hashlib.sha256(data).hexdigest())

    @property
    def torn(self) -> bool:
        """Whether an episode is half written: its writer crashed, or is at it. The next append puts it aside."""
        return self._shard.torn

    @property
    def empty(self) -> bool:
        """Whether no episode was frozen yet."""
        return self._shard.last() is None

    @property
    def last_hash(self) -> str:
        """Hash of the last record, the run's identity before the first.

        Raises:
            InputFileError: The last line is malformed.
        """
        line = self._shard.last()
        return self.identity if line is None else self._record(line, "last line").hash

    def append(self, trajectory: Trajectory, images: Mapping[int, bytes], seconds: float | None) -> EpisodeRecord:
        """Freeze one episode: its screenshots are on disk before its line is, and the line is whole or not there.

        Several processes may append to one folder: they take turns.

        Args:
            trajectory: The episode.
            images: Encoded screenshot of each browse step.
            seconds: Wall time of the episode, ``None`` where nobody measured.

        Raises:
            ConfigError: The chain was not planned, or an episode of it is frozen already.
            InputFileError: What is in the folder already is damaged.
        """
        chain = trajectory.chain_id
        media = {str(step): media_name(data) for step, data in sorted(images.items())}
        with self._shard.locked() as file:
            size = self._shard.size
            self._catch_up(size)
            if chain not in self.manifest.chains:
                raise ConfigError(f"Chain '{chain}' is not planned in {self.path}: make a run folder that plans it.")
            if chain in self._chains:
                raise ConfigError(f"{self.path} holds an episode of chain '{chain}' already: each is run once.")
            took = None if seconds is None else round(seconds, 3)
            record = EpisodeRecord(trajectory=trajectory, media=media, seconds=took, previous=self._last)
            record = record.model_copy(update={"hash": record.expected_hash()})
            line = canonical_json(record).encode() + b"\n"
            for step, name in media.items():
                if not (self.path / MEDIA / name).exists():
                    write_atomically(self.path / MEDIA / name, images[int(step)])
            # An episode without its newline was said to be missing until now, and is run again.
            self._shard.mend(file)
            write_line(file, line)
            self._size, self._last = size + len(line), record.hash
            self._chains.add(chain)
        return record

    def holds(self, chain: str) -> bool:
        """Return whether an episode of a chain is frozen here.

        Raises:
            InputFileError: What is in the folder is damaged.
        """
        self._catch_up(self._shard.size)
        return chain in self._chains

    def records(self) -> Iterator[EpisodeRecord]:
        """Yield the episodes in the order they were frozen, checking the chain of hashes; one half written is left out.

        Raises:
            InputFileError: A line is malformed, was changed, or does not belong; the message names the line.
        """
        previous, seen = self.identity, set[str]()
        for number, line in enumerate(self._shard.lines(), 1):
            where = f"line {number}"
            record = self._record(line, where)
            chain = record.trajectory.chain_id
            problem = ""
            if record.hash != record.expected_hash():
                problem = "breaks the chain of hashes: it was changed after it was written"
            elif record.previous != previous:
                before = "the line before it" if seen else MANIFEST
                problem = f"breaks the chain of hashes: it or {before} was changed, moved or taken out"
            elif chain in seen or chain not in self.manifest.chains:
                problem = f"chain '{chain}' is {'there twice' if chain in seen else f'not planned in {MANIFEST}'}"
            if problem:
                raise InputFileError(self._shard.path, where, problem)
            previous = record.hash
            seen.add(chain)
            yield record

    def media(self, name: str) -> bytes | None:
        """Return the bytes of a screenshot, ``None`` if its file is missing.

        Args:
            name: A file name of :attr:`EpisodeRecord.media`.

        Raises:
            InputFileError: The file is not the one that was frozen.
        """
        path = self.path / MEDIA / name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        if media_name(data) != name:
            raise InputFileError(path, "", "was changed after it was written: its name is not that of its bytes")
        return data

    def scores(self) -> bytes:
        """Return the bytes of ``scores.json``.

        Raises:
            InputFileError: The run was not scored yet.
        """
        try:
            return (self.path / SCORES).read_bytes()
        except OSError as error:
            raise InputFileError(self.path / SCORES, "", "is not there: score the run first") from error

    def discard_if_empty(self) -> None:
        """Remove the folder if no episode was frozen in it, so that the run can be started again there.

        A folder that holds anything else, such as answers of a model, stays as it is.
        """
        own = {MANIFEST, MEDIA, SHARD.partition("/")[0]}
        if not self.empty or any(inside.name not in own for inside in self.path.iterdir()):
            return
        self._shard.path.unlink(missing_ok=True)
        with suppress(OSError):
            self._shard.path.parent.rmdir()
            (self.path / MEDIA).rmdir()
            (self.path / MANIFEST).unlink()
            self.path.rmdir()

    def _catch_up(self, size: int) -> None:
        """Read what another writer, or an earlier process, has appended up to a size of the shard."""
        if size == self._size:
            return
        last, chains = self.identity, set[str]()
        for record in self.records():
            last = record.hash
            chains.add(record.trajectory.chain_id)
        self._size, self._last, self._chains = size, last, chains

    def _record(self, line: bytes, where: str) -> EpisodeRecord:
        try:
            return EpisodeRecord.model_validate_json(line)
        except ValidationError as error:
            raise InputFileError(self._shard.path, where, "is not an episode record") from error


def _left_over(path: Path) -> bool:
    """Say whether a file is what a crash left of a manifest that was never whole."""
    return path.name.startswith(f".{MANIFEST}.")


def open_runs(given: Sequence[Path]) -> tuple[list[RunFolder], list[str]]:
    """Return the runs at or directly below paths, each once, and a sentence for each path that holds none.

    So ``runs/*`` can be given: what is no run beside the runs does no harm.

    Raises:
        InputFileError: A path is not there, none holds a run, or the manifest of a run is malformed.
    """
    found: dict[Path, None] = {}
    skipped: list[Path] = []
    for path in given:
        if not path.exists():
            raise InputFileError(path, "", "is not there: give a run folder, or a folder that holds some")
        runs = _runs_at(path)
        found |= dict.fromkeys(run.resolve() for run in runs)
        skipped += [] if runs else [path]
    if not found:
        find_runs(given[0])
    return [RunFolder.open(path) for path in found], [f"{path} holds no run: it was left out." for path in skipped]


def find_runs(path: Path) -> list[Path]:
    """Return the run folders at or directly below a path, sorted by name.

    Raises:
        InputFileError: There is none.
    """
    found = _runs_at(path)
    if not found:
        raise InputFileError(path, "", f"holds no run: a run folder has a {MANIFEST}")
    return found


def _runs_at(path: Path) -> list[Path]:
    return [p.parent for p in (path / MANIFEST, *sorted(path.glob(f"*/{MANIFEST}"))) if p.is_file()]
