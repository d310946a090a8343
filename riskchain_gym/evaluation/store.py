"""The run folder: plain files that a run is frozen into, without gold.

::

    RUN/
      run.json                    what was run, written first
      shards/00000.jsonl          one episode a line, append-only, hash-chained
      restorations/00000.jsonl    further variants that were restored on their own, one a line, likewise
      frozen.json                 the seal of a run that has ended
      media/<name>.webp           screenshots, named by their bytes
      incidents.jsonl             what kept episodes from their end, see :mod:`riskchain_gym.evaluation.incidents`
      calls/00000.jsonl           what the agent asked of a model, see :mod:`riskchain_gym.evaluation.calls`
      replies/                    the model's answers as they came, see :mod:`riskchain_gym.llm.cache`
      scores.json                 outcomes and summary, written by scoring from the gold
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.evaluation.episode_log import EpisodeLog
from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.evaluation.images import media_name
from riskchain_gym.evaluation.records import EpisodeRecord, RunManifest
from riskchain_gym.evaluation.seal import Seal
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.protocol.trajectory import Trajectory

MANIFEST, SHARD, MEDIA, SCORES = "run.json", "shards/00000.jsonl", "media", "scores.json"
RESTORATIONS, SEAL = "restorations/00000.jsonl", "frozen.json"
_LISTED = 5
_LEVELS = 4


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
        self._episodes = EpisodeLog(path / SHARD, path / MEDIA, identity, manifest.chains, lambda t: t.chain_id)
        self._restorations = EpisodeLog(
            path / RESTORATIONS,
            path / MEDIA,
            sha256_of([identity, RESTORATIONS]),
            [_named(chain, variant) for chain in manifest.chains for variant in manifest.restored],
            lambda t: _named(t.chain_id, t.variant),
        )

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
        make_folder(path / MEDIA)
        make_folder((path / SHARD).parent)
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
            if names := [str(run.relative_to(path)) for run in _runs_at(path)]:
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
        return self._episodes.torn or self._restorations.torn

    @property
    def empty(self) -> bool:
        """Whether no episode was frozen yet."""
        return self._episodes.empty

    @property
    def last_hash(self) -> str:
        """Hash of the last record, the run's identity before the first.

        Raises:
            InputFileError: The last line is malformed.
        """
        return self._episodes.last_hash

    @property
    def last_restoration(self) -> str:
        """Hash of the last restoration of a further variant; what binds their file to the run before the first.

        Raises:
            InputFileError: The last line is malformed.
        """
        return self._restorations.last_hash

    @property
    def complete(self) -> bool:
        """Whether everything planned is frozen.

        Raises:
            InputFileError: What is in the folder is damaged.
        """
        return all(log.complete for log in self._logs)

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
            OSError: It cannot be written, such as on a full disk; then there is no line of it. Screenshots of it may
                be there: they are named by their bytes, and belong to no episode until a line names them.
        """
        return self._episodes.append(trajectory, images, seconds)

    def append_restoration(self, trajectory: Trajectory, seconds: float | None) -> EpisodeRecord:
        """Freeze the restoration of a further variant, as :meth:`append` does an episode.

        Raises:
            ConfigError: The variant of the chain was not planned, or is frozen already.
            InputFileError: What is in the folder already is damaged.
            OSError: It cannot be written.
        """
        return self._restorations.append(trajectory, {}, seconds)

    def holds(self, chain: str) -> bool:
        """Return whether an episode of a chain is frozen here.

        Raises:
            InputFileError: What is in the folder is damaged.
        """
        return self._episodes.holds(chain)

    def holds_restoration(self, chain: str, variant: str) -> bool:
        """Return whether the restoration of a further variant is frozen here.

        Raises:
            InputFileError: What is in the folder is damaged.
        """
        return self._restorations.holds(_named(chain, variant))

    def records(self) -> Iterator[EpisodeRecord]:
        """Yield the episodes in the order of the file, checking the chain of hashes; one half written is left out.

        Raises:
            InputFileError: A line is malformed, was changed, or does not belong; the message names the line.
        """
        return self._episodes.records()

    def restorations(self) -> Iterator[EpisodeRecord]:
        """Yield the restorations of further variants, as :meth:`records` does episodes.

        Raises:
            InputFileError: A line is malformed, was changed, or does not belong; the message names the line.
        """
        return self._restorations.records()

    def freeze(self) -> Seal:
        """Put everything into the planned order and seal it; idempotent.

        Raises:
            ConfigError: Something that was planned is not there yet.
            InputFileError: What is in the folder is damaged.
            OSError: It cannot be written.
        """
        if not self.complete:
            raise ConfigError(f"{self.path} lacks episodes that were planned: run the same command again first.")
        self._episodes.arrange()
        self._restorations.arrange()
        seal = self.found()
        if self.readable_seal != seal:
            write_atomically(self.path / SEAL, seal.encoded())
        return seal

    def found(self) -> Seal:
        """Return the seal of what is in the folder, every record read and checked.

        Raises:
            InputFileError: What is in the folder is damaged.
        """
        ends = {"last": self.identity, "last_restoration": ""}
        counts = {"episodes": 0, "restorations": 0}
        pictures: set[str] = set()
        for record in self.records():
            ends["last"], counts["episodes"] = record.hash, counts["episodes"] + 1
            pictures.update(record.media.values())
        for record in self.restorations():
            ends["last_restoration"], counts["restorations"] = record.hash, counts["restorations"] + 1
        return Seal(run=self.identity, media=len(pictures), **ends, **counts)

    @property
    def seal(self) -> Seal | None:
        """The seal of a run that has ended, ``None`` before.

        Raises:
            InputFileError: It is malformed.
        """
        try:
            return Seal.model_validate_json((self.path / SEAL).read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise InputFileError(self.path / SEAL, "", "is no seal of a run: run the same command again") from error

    @property
    def readable_seal(self) -> Seal | None:
        """The seal of a run that has ended, ``None`` where there is none, or one that is damaged and is made anew."""
        try:
            return self.seal
        except InputFileError:
            return None

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
        own = {MANIFEST, MEDIA, *(log.path.parent.name for log in self._logs)}
        if not all(log.empty for log in self._logs) or any(inside.name not in own for inside in self.path.iterdir()):
            return
        for log in self._logs:
            log.path.unlink(missing_ok=True)
            with suppress(OSError):
                log.path.parent.rmdir()
        with suppress(OSError):
            (self.path / MEDIA).rmdir()
            (self.path / MANIFEST).unlink()
            self.path.rmdir()

    @property
    def _logs(self) -> tuple[EpisodeLog, EpisodeLog]:
        return self._episodes, self._restorations


def _named(chain: str, variant: str) -> str:
    return f"{chain}/{variant}"


def _left_over(path: Path) -> bool:
    """Say whether a file is what a crash left of a manifest that was never whole."""
    return path.name.startswith(f".{MANIFEST}.")


def open_runs(given: Sequence[Path]) -> tuple[list[RunFolder], list[str]]:
    """Return the runs at or below paths, each once, and a sentence for each path that holds none.

    So ``runs/*`` can be given: what is no run beside the runs does no harm.

    Raises:
        InputFileError: A path is not there, none holds a run, or the manifest of a run is malformed.
    """
    found: dict[Path, None] = {}
    skipped: list[Path] = []
    for path in given:
        runs = _runs_at(_there(path))
        found |= dict.fromkeys(run.resolve() for run in runs)
        skipped += [] if runs else [path]
    if not found:
        find_runs(given[0])
    return [RunFolder.open(path) for path in found], [f"{path} holds no run: it was left out." for path in skipped]


def find_runs(path: Path) -> list[Path]:
    """Return the run folders at or below a path, sorted by name: a folder of runs, of series of runs, or both.

    Raises:
        InputFileError: It is not there, or there is none.
    """
    found = _runs_at(_there(path))
    if not found:
        raise InputFileError(path, "", f"holds no run: a run folder has a {MANIFEST}")
    return found


def _there(path: Path) -> Path:
    if not path.exists():
        raise InputFileError(path, "", "is not there: give a run folder, or a folder that holds some")
    return path


def _runs_at(path: Path, levels: int = _LEVELS) -> list[Path]:
    """Return the runs in a folder and so many levels below; what is inside a run, or behind a link, is not searched."""
    if (path / MANIFEST).is_file():
        return [path]
    if not levels or not path.is_dir():
        return []
    below = sorted(inside for inside in path.iterdir() if inside.is_dir() and not inside.is_symlink())
    return [run for inside in below for run in _runs_at(inside, levels - 1)]
