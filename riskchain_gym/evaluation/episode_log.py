"""A file of frozen episodes: append-only while a run is at work, put into the planned order once when it has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.evaluation.images import media_name
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.trajectory import Trajectory


class EpisodeLog:
    """Episodes of one run, a line each, every line bound to the one before by its hash.

    Args:
        path: The file; it need not exist yet.
        media: Folder of screenshots.
        first: What stands as ``previous`` in the first line: it binds the file to its run.
        planned: Names of the episodes that are to come, in the planned order.
        name: Gives the name of an episode.
    """

    def __init__(
        self, path: Path, media: Path, first: str, planned: Sequence[str], name: Callable[[Trajectory], str]
    ) -> None:
        self.path = path
        self._media = media
        self._first = first
        self._planned = dict.fromkeys(planned)
        self._name = name
        self._file = LineFile(path)
        self._size = 0
        self._last = first
        self._names: set[str] = set()

    @property
    def torn(self) -> bool:
        """Whether an episode is half written: its writer crashed, or is at it. The next append puts it aside."""
        return self._file.torn

    @property
    def empty(self) -> bool:
        """Whether no episode was frozen yet."""
        return self._file.last() is None

    @property
    def last_hash(self) -> str:
        """Hash of the last record; what binds the file to its run before there is one.

        Raises:
            InputFileError: The last line is malformed.
        """
        line = self._file.last()
        return self._first if line is None else self._record(line, "last line").hash

    @property
    def complete(self) -> bool:
        """Whether everything planned is frozen.

        Raises:
            InputFileError: What is in the file is damaged.
        """
        self._catch_up(self._file.size)
        return self._planned.keys() <= self._names

    def holds(self, name: str) -> bool:
        """Return whether an episode is frozen here.

        Raises:
            InputFileError: What is in the file is damaged.
        """
        self._catch_up(self._file.size)
        return name in self._names

    def append(self, trajectory: Trajectory, images: Mapping[int, bytes], seconds: float | None) -> EpisodeRecord:
        """Freeze one episode: its screenshots are on disk before its line is, and the line is whole or not there.

        Several processes may append to one file: they take turns.

        Args:
            trajectory: The episode.
            images: Encoded screenshot of each browse step.
            seconds: Wall time of the episode, ``None`` where nobody measured.

        Raises:
            ConfigError: The episode was not planned, or is frozen already.
            InputFileError: What is in the file already is damaged.
            OSError: It cannot be written, such as on a full disk; then there is no line of it. Screenshots of it may
                be there: they are named by their bytes, and belong to no episode until a line names them.
        """
        name = self._name(trajectory)
        media = {str(step): media_name(data) for step, data in sorted(images.items())}
        with self._file.locked() as file:
            size = self._file.size
            self._catch_up(size)
            if name not in self._planned:
                raise ConfigError(f"Chain '{name}' is not planned in {self._run}: make a run folder that plans it.")
            if name in self._names:
                raise ConfigError(f"{self._run} holds an episode of chain '{name}' already: each is run once.")
            took = None if seconds is None else round(seconds, 3)
            record = _linked(EpisodeRecord(trajectory=trajectory, media=media, seconds=took, previous=self._last))
            line = _line(record)
            for step, file_name in media.items():
                if not (self._media / file_name).exists():
                    write_atomically(self._media / file_name, images[int(step)])
            # An episode without its newline was said to be missing until now, and is run again.
            self._file.mend(file)
            write_line(file, line)
            self._size, self._last = size + len(line), record.hash
            self._names.add(name)
        return record

    def records(self) -> Iterator[EpisodeRecord]:
        """Yield the episodes in the order of the file, checking the chain of hashes; one half written is left out.

        Raises:
            InputFileError: A line is malformed, was changed, or does not belong; the message names the line.
        """
        previous, seen = self._first, set[str]()
        for number, line in enumerate(self._file.lines(), 1):
            where = f"line {number}"
            record = self._record(line, where)
            name = self._name(record.trajectory)
            problem = ""
            if record.hash != record.expected_hash():
                problem = "breaks the chain of hashes: it was changed after it was written"
            elif record.previous != previous:
                before = "the line before it" if seen else "run.json"
                problem = f"breaks the chain of hashes: it or {before} was changed, moved or taken out"
            elif name in seen or name not in self._planned:
                problem = f"chain '{name}' is {'there twice' if name in seen else 'not planned in run.json'}"
            if problem:
                raise InputFileError(self.path, where, problem)
            previous = record.hash
            seen.add(name)
            yield record

    def arrange(self) -> None:
        """Put the episodes into the planned order, atomically: whichever ended first, the same file comes of them.

        Raises:
            InputFileError: What is in the file is damaged.
            OSError: It cannot be written; then the file is as it was.
        """
        if not self.path.exists():
            return
        # Nobody may append between what is read here and what is put in its place.
        with self._file.locked():
            records = {self._name(record.trajectory): record for record in self.records()}
            ordered = [name for name in self._planned if name in records]
            if ordered == list(records):
                return
            lines: list[bytes] = []
            previous = self._first
            for name in ordered:
                record = _linked(records[name].model_copy(update={"previous": previous}))
                lines.append(_line(record))
                previous = record.hash
            write_atomically(self.path, b"".join(lines))
        self._size, self._names = 0, set()

    @property
    def _run(self) -> Path:
        return self.path.parent.parent

    def _catch_up(self, size: int) -> None:
        """Read what another writer, or an earlier process, has appended up to a size of the file."""
        if size == self._size:
            return
        last, names = self._first, set[str]()
        for record in self.records():
            last = record.hash
            names.add(self._name(record.trajectory))
        self._size, self._last, self._names = size, last, names

    def _record(self, line: bytes, where: str) -> EpisodeRecord:
        try:
            return EpisodeRecord.model_validate_json(line)
        except ValidationError as error:
            raise InputFileError(self.path, where, "is not an episode record") from error


def _linked(record: EpisodeRecord) -> EpisodeRecord:
    return record.model_copy(update={"hash": record.expected_hash()})


def _line(record: EpisodeRecord) -> bytes:
    return canonical_json(record).encode() + b"\n"
